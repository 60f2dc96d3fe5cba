"""The dish model, where it has been fetched."""

import pytest

from postmeal.scans import dish_model
from postmeal.scans.dishes import DishRecognizer


@pytest.fixture(scope="session")
def dish_recognizer() -> DishRecognizer:
    """The recognizer with the released model, which is not part of the repository."""
    if dish_model.find() is None:
        pytest.skip("no dish model: run make photo-model")
    return DishRecognizer()
