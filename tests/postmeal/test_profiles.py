"""Who eats: every field of a profile, and what is refused."""

import pytest

from postmeal import InputError, Profile
from postmeal.people import ACTIVITY_LEVELS, HEALTH_CONDITIONS
from postmeal.units import KG_PER_POUND

SOMEONE = {"age": 45, "sex": "female", "height_cm": 168, "weight_kg": 68}


@pytest.mark.parametrize("condition", HEALTH_CONDITIONS)
@pytest.mark.parametrize("level", ACTIVITY_LEVELS)
def test_every_condition_and_activity_level_is_accepted(condition, level):
    profile = Profile(**SOMEONE, activity_level=level, health_conditions=[condition])
    assert (profile.health_conditions, profile.activity_level) == ((condition,), level)


def test_there_are_nine_conditions_and_four_activity_levels():
    assert (len(HEALTH_CONDITIONS), len(ACTIVITY_LEVELS)) == (9, 4)


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("age", "45", "must be a number"),
        ("age", True, "must be a number"),
        ("age", 0, "at least 1"),
        ("age", float("nan"), "finite"),
        ("sex", "X", "female, male"),
        ("height_cm", 1.68, "at least 50"),
        ("weight_kg", -1, "at least 1"),
        ("activity_level", "Sedentary", "very_active"),
        ("health_conditions", "none", "a list that contains only"),
        ("health_conditions", ["none", "lada"], "must not combine 'none' with other conditions"),
        ("health_conditions[0]", ["flu"], "one of"),
        ("shoe_size", 42, "is not a profile field"),
    ],
)
def test_invalid_fields_are_named_in_the_error(field, value, problem):
    with pytest.raises(InputError, match=problem) as caught:
        Profile(**{**SOMEONE, field.partition("[")[0]: value})
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("given", "sex"),
    [("F", "female"), ("Female", "female"), ("f", "female"), ("M", "male"), ("MALE", "male")],
)
def test_initials_and_capitals_of_the_sex_are_accepted(given, sex):
    assert Profile(sex=given).sex == sex


def test_nothing_is_required_about_a_person():
    someone = Profile()
    assert (someone.age, someone.sex, someone.bmi) == (None, None, None)
    assert Profile(height_cm=170).bmi is None
    assert Profile(**SOMEONE).bmi == pytest.approx(68 / 1.68**2)


def test_inches_and_pounds_are_named_as_they_were_given():
    with pytest.raises(InputError, match="height_in must be a number"):
        Profile.imperial(age=45, sex="female", height_in="66", weight_lb=150)
    with pytest.raises(InputError, match="weight_lb must be a number"):
        Profile.imperial(age=45, sex="female", height_in=66, weight_lb=None)
    profile = Profile.imperial(age=45, sex="female", height_in=66, weight_lb=150)
    assert profile.weight_kg == 150 * KG_PER_POUND
