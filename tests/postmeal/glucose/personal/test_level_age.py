"""A personal level fades, jumps with the sensor, and is given back when the history is old."""

import json
from dataclasses import asdict, replace
from hashlib import sha256

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_people import FIRST_DAY, PREDICTOR, meal, meals_of, someone

from postmeal.frames import predict_frame
from postmeal.glucose.notes import OLD_HISTORY, PRELIMINARY
from postmeal.glucose.personal.level_age import level_share, level_shares
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.personal_fit import fit_to_meals

LIBRE = PREDICTOR.sensors["Libre"]
LAST_DAY = FIRST_DAY + 6


def fitted(**changes):
    """Someone whose level is 15 mg/dL higher and who rises more, on a Libre for seven days."""
    found = meals_of(3, level_mg_dl=15.0, gain=1.4)
    own = fit_to_meals(PREDICTOR, found, "normal", "Libre", 7)
    return replace(own, population_rmse_mg_dl=99.0, **changes)


OWN = fitted()
FLAT = replace(
    OWN,
    drift_mg_dl=4.0,
    effects=(*OWN.effects[:3], (20.0, 0.0, 0.0, 10.0, *(0.0,) * 32)),
)
"""The same person with a level that does not depend on the hour or the previous meal."""


def predicted(age_days, own=FLAT, **known):
    lunch = meal((60, 5, 15, 12), hour=12.5, day=LAST_DAY + age_days)
    return PREDICTOR.predict(someone(), lunch, sensor="Libre", personal=own, **known)


def test_the_learned_level_fades_day_by_day():
    starts = [predicted(age).glucose_mg_dl[0] for age in range(15)]
    assert starts == sorted(starts, reverse=True)
    mean = FLAT.mean_level_mg_dl
    assert 20 < mean < 30
    without = predicted(0, None).glucose_mg_dl[0]
    for age in (0, 7, 14):
        level = mean * np.exp(-age / 30) + 4 * np.exp(-age / 10)
        assert starts[age] - without == pytest.approx(LIBRE.gain * level)


@pytest.mark.parametrize("age_days", [15, 40, 400])
def test_two_weeks_after_the_history_the_level_is_the_populations_and_the_response_is_kept(
    age_days,
):
    recent, old, none = predicted(14), predicted(age_days), predicted(age_days, None)
    assert old.glucose_mg_dl[0] == pytest.approx(none.glucose_mg_dl[0], abs=1e-9)
    risen, before, populations = (
        np.subtract(one.glucose_mg_dl, one.glucose_mg_dl[0]) for one in (old, recent, none)
    )
    assert risen == pytest.approx(before, abs=1e-9)
    assert np.abs(risen - populations).max() > 3
    assert old.is_personal
    assert old.notes == (OLD_HISTORY,)
    assert recent.notes == ()


def test_the_band_goes_with_the_level():
    """Without a level it is the population's; where a reading replaces the level, the person's."""
    old, none = predicted(15), predicted(15, None)
    risen = np.subtract(old.glucose_mg_dl, old.glucose_mg_dl[0])
    below = PREDICTOR.band.below_mg_dl[0] * (1 + 0.01 * np.maximum(risen, 0))
    assert np.subtract(old.glucose_mg_dl, old.lower_mg_dl) == pytest.approx(below)
    assert none.glucose_mg_dl[0] - none.lower_mg_dl[0] == pytest.approx(below[0])
    own = PREDICTOR.personal_prior.start.band
    read = predicted(15, start_mg_dl=110.0)
    assert read.glucose_mg_dl[0] == 110
    width = read.glucose_mg_dl[0] - read.lower_mg_dl[0]
    assert width == pytest.approx(FLAT.scale_mg_dl * own.below_mg_dl[0, 0])


def test_an_old_history_is_used_only_if_the_response_alone_was_better_too():
    level_helps = replace(OWN, population_rmse_mg_dl=20.0, personal_rmse_mg_dl=15.0)
    no_response = replace(level_helps, response_rmse_mg_dl=21.0)
    assert predicted(14, no_response).is_personal
    assert not predicted(15, no_response).is_personal
    only_response = replace(no_response, personal_rmse_mg_dl=21.0, response_rmse_mg_dl=19.0)
    assert not predicted(14, only_response).is_personal
    assert not predicted(15, only_response).is_personal
    both = replace(only_response, personal_rmse_mg_dl=19.0)
    assert predicted(15, both).is_personal


def test_a_state_stored_by_an_earlier_release_is_loaded_and_served():
    """It has no error of the response alone; its gate is that of the level."""
    values = asdict(OWN)
    del values["response_rmse_mg_dl"]
    body = json.dumps(values, separators=(",", ":"))
    stored = f"postmeal-personal 1 {sha256(body.encode()).hexdigest()}\n{body}".encode()
    own = PersonalModel.from_bytes(stored)
    assert own == replace(OWN, response_rmse_mg_dl=None)
    assert predicted(1, own) == predicted(1, OWN)
    assert predicted(15, own).is_personal
    worse = replace(own, personal_rmse_mg_dl=own.population_rmse_mg_dl)
    assert not predicted(15, worse).is_personal


@given(st.floats(-30, 60))
def test_a_share_is_the_same_for_one_age_and_for_many(age_days):
    (share,) = level_shares(np.array([age_days]))
    assert share == pytest.approx(level_share(age_days), rel=1e-15)
    assert 0 <= share <= 1


def test_a_table_gets_the_same_notes_and_curves_as_single_meals():
    """Models with recent and old histories, preliminary and unused ones, in one table."""
    models = {
        "recent": FLAT,
        "preliminary": replace(FLAT, n_days=3),
        "unused": replace(FLAT, personal_rmse_mg_dl=120.0, response_rmse_mg_dl=90.0),
    }
    days = [LAST_DAY + age for age in (3, 14, 15)]
    rows = [
        {"carbs_g": 60, "fiber_g": 5, "protein_g": 15, "fat_g": 12, "person": person, "day": day}
        for person in (*models, None)
        for day in days
    ]
    frame = pd.DataFrame(rows)
    frame["time"] = pd.to_datetime(frame["day"] * 86400 + 45_000, unit="s")
    frame["sensor"] = "Libre"
    found = predict_frame(frame, PREDICTOR, personal=models)
    expected = set()
    for row, values in enumerate(rows):
        own = models.get(values["person"])
        single = predicted(values["day"] - LAST_DAY, own)
        mine = found[found["row"] == row]
        assert mine["glucose_mg_dl"].to_numpy() == pytest.approx(single.glucose_mg_dl, rel=1e-12)
        assert mine["upper_mg_dl"].to_numpy() == pytest.approx(single.upper_mg_dl, rel=1e-12)
        assert set(mine["notes"]) == {" ".join(single.notes)}
        expected.add(single.notes)
    assert {(), (OLD_HISTORY,), (PRELIMINARY,), (PRELIMINARY, OLD_HISTORY)} < expected


@pytest.mark.parametrize("jump", [-30.0, 30.0])
def test_the_level_is_that_of_the_last_sensor(jump):
    """Three days on one sensor and four on the next, which reads higher or lower."""
    found = meals_of(5, level_mg_dl=10.0, noise_mg_dl=3.0)
    is_second = found.day >= FIRST_DAY + 3
    found = found._replace(glucose_mg_dl=found.glucose_mg_dl + jump * is_second[:, None])
    change = [(FIRST_DAY + 3) * 86400.0]
    one = fit_to_meals(PREDICTOR, found, "normal", None, 7)
    two = fit_to_meals(PREDICTOR, found, "normal", None, 7, change)
    true = 10 + jump
    assert abs(two.mean_level_mg_dl + two.drift_mg_dl - true) < 6
    assert abs(two.mean_level_mg_dl - true) < abs(one.mean_level_mg_dl - true) - 2
    same = fit_to_meals(PREDICTOR, found, "normal", None, 7, [(FIRST_DAY + 90) * 86400.0])
    assert same == one


def test_the_gate_compares_a_level_that_has_faded_for_a_week():
    """Someone who differs by the level alone: the response without it is no better."""
    found = meals_of(8, n_days=9, level_mg_dl=25.0, noise_mg_dl=6.0)
    own = fit_to_meals(PREDICTOR, found, "normal", None, 9)
    assert own.personal_rmse_mg_dl < own.population_rmse_mg_dl - 10
    assert own.response_rmse_mg_dl == pytest.approx(own.population_rmse_mg_dl, abs=2.5)
    residual = 25 * (1 - level_share(7))
    assert own.personal_rmse_mg_dl > residual
