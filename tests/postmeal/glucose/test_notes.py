"""Notes of a prediction: whole sentences, in a fixed order."""

from postmeal.glucose.notes import OLD_HISTORY, PRELIMINARY, notes_of, personal_notes

UNUSED = "The personal model was not more accurate on held-out days; the population model was used."
TYPE_1 = (
    "In type 1 diabetes, glucose after a meal depends on insulin, which the model does not take "
    "into account: the curve is a rough average, the band is wide, and the impact score is not "
    "informative."
)


def test_an_ordinary_prediction_has_no_notes():
    assert notes_of(["none"], "normal", True, [], [], False) == ()
    assert personal_notes(False, False) == ()


def test_every_limit_has_its_sentence():
    found = notes_of(
        ["type_1_diabetes", "lada", "gestational_diabetes"],
        "type_1",
        False,
        ["fiber_g", "fat_g"],
        [("honey", "sugars"), ("dextrose", "glucose"), ("apple", "sugars")],
        True,
        personal_notes(True, True),
    )
    assert found == (
        UNUSED,
        PRELIMINARY,
        OLD_HISTORY,
        TYPE_1,
        "No training data for lada, gestational_diabetes: treated as type_1, with a wider band.",
        "fiber_g is unknown for at least one food; a typical amount is assumed.",
        "fat_g is unknown for at least one food; zero is assumed.",
        "The carbohydrate of dextrose is treated as pure glucose, which raises glucose more than "
        "starch.",
        "The carbohydrate of honey, apple is treated as sugars of fruit, milk or sucrose, which "
        "raise glucose less than starch.",
    )


def test_of_a_personal_model_is_said_what_applies():
    assert personal_notes(True, False) == (PRELIMINARY,)
    assert personal_notes(False, True) == (OLD_HISTORY,)
