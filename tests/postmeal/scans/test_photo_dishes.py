"""The dish model itself; skipped where it has not been fetched."""

from collections import Counter

import numpy as np
import pytest
from drawn_pictures import without_food

from postmeal.errors import ModelError
from postmeal.foods.catalog import Catalog
from postmeal.scans.dishes import DishRecognizer
from postmeal.scans.labels import LabelFoods, read_labels
from postmeal.scans.photo import dish_in
from postmeal.scans.picture import Picture


def test_the_model_names_2023_dishes_and_45_of_them_are_bare_ids(dish_recognizer) -> None:
    labels = dish_recognizer.labels
    assert len(labels) == 2_024
    assert labels[0] == "__background__"
    assert sum(each.startswith("/") for each in labels) == 45


def test_every_label_of_the_table_is_a_label_of_the_model(dish_recognizer) -> None:
    assert set(read_labels()) <= set(dish_recognizer.labels)


def test_probabilities_fall_and_add_up_to_at_most_one(dish_recognizer) -> None:
    found = dish_recognizer.candidates(without_food(6))
    shares = [each.probability for each in found]
    assert shares == sorted(shares, reverse=True)
    assert 0 < sum(shares) <= 1.1  # the model rounds each to 1/256
    assert not any(each.label.startswith(("/", "__")) for each in found)


@pytest.mark.parametrize("size", [(1, 1), (1, 1_600), (1_600, 1), (2, 2)])
def test_pictures_of_every_shape_are_recognized(dish_recognizer, size) -> None:
    assert isinstance(
        dish_recognizer.candidates(Picture(np.zeros((*size, 3), np.uint8), "PNG")), tuple
    )


@pytest.mark.reliability
def test_no_picture_without_food_is_named_with_more_than_low_confidence(dish_recognizer) -> None:
    """Blank, black, noise, text, faces, landscapes and stripes, 200 in all."""
    foods = LabelFoods(Catalog.open())
    found = [dish_in(dish_recognizer.candidates(without_food(each)), foods) for each in range(200)]
    answers = Counter(answer[1] if answer else "none" for answer in found)
    assert answers["high"] == answers["medium"] == 0
    assert answers.total() == 200


def test_some_pictures_without_food_have_no_detection(dish_recognizer) -> None:
    foods = LabelFoods(Catalog.open())
    for number in range(8):
        answer = dish_in(dish_recognizer.candidates(without_food(number)), foods)
        assert answer is None or answer[1] == "low"


def test_a_missing_or_foreign_model_is_refused(tmp_path) -> None:
    with pytest.raises(ModelError, match="run `postmeal photos fetch`"):
        DishRecognizer(tmp_path / "none.tflite")
    foreign = tmp_path / "foreign.tflite"
    foreign.write_bytes(b"TFL3" + bytes(1_000))
    with pytest.raises(ModelError, match="not the released dish model"):
        DishRecognizer(foreign)
