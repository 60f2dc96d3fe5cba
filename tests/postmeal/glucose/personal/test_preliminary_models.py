"""Personal models of two to four days: asked for, marked, and with a wider band."""

from dataclasses import replace

import pytest
from known_people import FIRST_DAY, PREDICTOR, meal, meals_of, someone
from synthetic_wearer import Wearer

from postmeal.errors import InputError, TooFewDays, UnusableHistory
from postmeal.glucose.notes import PRELIMINARY
from postmeal.glucose.personal.prior import PRELIMINARY_SCALE, PersonalPrior
from postmeal.glucose.personal_fit import fit_personal, fit_to_meals
from postmeal.glucose.population.weights import read_weights


def wearer_of(catalog, days, **more):
    return Wearer(catalog, PREDICTOR, rise=1.6, level_mg_dl=125.0, days=days, **more)


def fitted(one, **options):
    return fit_personal(
        PREDICTOR, one.profile, one.trace, one.meal_history, sensor="Libre", **options
    )


@pytest.mark.parametrize("days", [2, 3, 4])
def test_two_to_four_days_make_a_preliminary_model_if_asked_for(catalog, days):
    one = wearer_of(catalog, days)
    own = fitted(one, least_days=2)
    assert own.n_days == days
    assert own.preliminary
    lunch = replace(one.meals[1], time=one.next_morning)
    prediction = PREDICTOR.predict(one.profile, lunch, personal=own)
    assert prediction.is_personal
    assert PRELIMINARY in prediction.notes
    assert own.to_bytes() == type(own).from_bytes(own.to_bytes()).to_bytes()


@pytest.mark.parametrize("options", [{}, {"least_days": 5}])
def test_without_asking_five_days_are_needed(catalog, options):
    """Row 468: the same error as before."""
    said = (
        "^trace must contain at least 5 complete days with meals, got 4; record more days,"
        " or pass least_days=4 for a preliminary model$"
    )
    with pytest.raises(TooFewDays, match=said) as refusal:
        fitted(wearer_of(catalog, 4), **options)
    assert "least_days" not in refusal.value.problem


def test_one_day_is_never_enough(catalog):
    said = "must contain at least 2 complete days with meals, got 1"
    with pytest.raises(TooFewDays, match=said) as refusal:
        fitted(wearer_of(catalog, 1), least_days=2)
    assert "preliminary" not in str(refusal.value)


@pytest.mark.parametrize("least_days", [0, 1, 6])
def test_other_numbers_of_days_are_refused(catalog, least_days):
    with pytest.raises(InputError, match="least_days must be 2 to 5, got"):
        fitted(wearer_of(catalog, 6), least_days=least_days)


def test_five_days_make_the_same_model_whatever_was_asked_for(catalog):
    one = wearer_of(catalog, 5)
    own = fitted(one, least_days=2)
    assert own == fitted(one)
    assert not own.preliminary
    assert PREDICTOR.predict(one.profile, one.meals[0], personal=own).notes == ()


def test_two_days_with_too_few_whole_meals_are_refused(catalog):
    one = wearer_of(catalog, 2, at_hours=(8, 9))
    with pytest.raises(UnusableHistory, match="must contain at least 3 meals"):
        fitted(one, least_days=2)


def test_the_band_of_a_preliminary_model_is_wider_and_the_less_days_the_wider():
    found = meals_of(2, n_days=4)
    scales = [
        fit_to_meals(PREDICTOR, found, "normal", None, days).scale_mg_dl for days in (2, 3, 4, 5)
    ]
    assert scales == sorted(scales, reverse=True)
    factors = [scale / scales[-1] for scale in scales[:-1]]
    fitted = PREDICTOR.personal_prior.preliminary_scale
    assert factors == pytest.approx([fitted[days] for days in (2, 3, 4)], rel=1e-4)
    assert fitted == pytest.approx(PRELIMINARY_SCALE, abs=0.02)


def test_the_factors_of_the_weights_take_the_place_of_the_default_ones():
    values = read_weights(None)["personal"]
    values.pop("preliminary_scale", None)
    assert PersonalPrior.from_dict(values).preliminary_scale == PRELIMINARY_SCALE
    changed = values | {"preliminary_scale": {"2": 1.5, "3": 1.25, "4": 1.0}}
    assert PersonalPrior.from_dict(changed).preliminary_scale == {2: 1.5, 3: 1.25, 4: 1.0}


def test_a_preliminary_model_may_be_a_tenth_worse_on_held_out_days():
    own = fit_to_meals(PREDICTOR, meals_of(2, n_days=3), "normal", None, 3)
    dinner = meal((60, 5, 15, 12), hour=19.0, day=FIRST_DAY + 3)
    for error, n_days, is_used in ((21.9, 3, True), (22.1, 3, False), (20.1, 5, False)):
        tried = replace(own, n_days=n_days, population_rmse_mg_dl=20.0, personal_rmse_mg_dl=error)
        assert PREDICTOR.predict(someone(), dinner, personal=tried).is_personal == is_used
