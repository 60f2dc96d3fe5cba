"""Fitting a personal model: against a slow, obvious reference, and against sense."""

from dataclasses import replace
from datetime import date, timedelta
from itertools import chain, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from known_people import FIRST_DAY, PREDICTOR, meal, meals_of, someone
from synthetic_wearer import Wearer

from postmeal.errors import InputError, TooFewDays, UnusableHistory
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import MealHistory
from postmeal.glucose.personal.features import hourly_terms, meal_features
from postmeal.glucose.personal.posterior import MealEquations
from postmeal.glucose.personal_fit import fit_personal, fit_to_meals, observe
from postmeal.glucose.population.band import widening

PRIOR = PREDICTOR.personal_prior
LEVEL = 3


def equations_of(found, state="normal", sensor=None):
    """What the posterior is computed from, and the equations themselves."""
    seen = observe(PREDICTOR, PRIOR.shapes, found, state, None)
    given = (seen.features, seen.residual_mg_dl, found.day, widening(seen.rise_mg_dl.max(axis=1)))
    return given, MealEquations(PRIOR, *given, sensor)


def regression(features, left, day, widened, days, sensor=None):
    """Dense Gaussian process regression over every single reading: effects, and levels of days.

    With sensors, also the offset of each; their variance of 64 is part of that of the mean level.
    """
    rows = [(m, t) for m, t in np.ndindex(left.shape) if not np.isnan(left[m, t])]
    curves = np.column_stack([*PRIOR.shapes, np.ones(9)])
    observed = np.array(
        [left[m, t] - sum(curves[t] * PRIOR.recent) * features[m, 2] for m, t in rows]
    )

    def covariance(one, other):
        (m, t), (n, s) = one, other
        total = 0.0
        for output in range(4):
            shared = (PRIOR.variance[output] * features[m] * features[n]).sum()
            if output == LEVEL:
                shared += PRIOR.day_variance * np.exp(-abs(day[m] - day[n]) / 10)
                if sensor is not None:
                    shared += 64.0 * (float(sensor[m] == sensor[n]) - 1)
            total += curves[t, output] * curves[s, output] * shared
        if m == n:
            total += widened[m] ** 2 * PRIOR.noise[t, s]
        return total

    matrix = np.array([[covariance(one, other) for other in rows] for one in rows])
    weight = np.linalg.solve(matrix, observed)
    effects = np.zeros((4, 36))
    of_day = dict.fromkeys(days, 0.0)
    variance = PRIOR.variance.copy()
    of_sensor = np.zeros(1 if sensor is None else max(sensor) + 1)
    if sensor is not None:
        variance[LEVEL, 0] -= 64.0
    for (m, t), each in zip(rows, weight, strict=True):
        for output in range(4):
            effects[output] += variance[output] * features[m] * curves[t, output] * each
        if sensor is not None:
            of_sensor[sensor[m]] += 64.0 * curves[t, LEVEL] * each
        for one in days:
            near = PRIOR.day_variance * np.exp(-abs(one - day[m]) / 10)
            of_day[one] += near * curves[t, LEVEL] * each
    return effects, of_day, of_sensor


@pytest.mark.parametrize("seed", range(6))
def test_the_posterior_is_that_of_a_dense_gaussian_process(seed):
    """Meals cut short, days left out and days apart included, to 1e-6."""
    found = meals_of(seed, n_days=4, level_mg_dl=12.0, gain=1.4, cut_short=0.4)
    found = found.only(np.random.default_rng(seed).random(12) < 0.8)
    later = found.day + np.where(found.day >= FIRST_DAY + 2, 3, 0)  # a gap between the days
    found = found._replace(local_s=found.local_s + 86400 * (later - found.day))
    (features, left, day, widened), equations = equations_of(found)
    days = np.unique(day).tolist()
    effects, of_day, _ = regression(features, left, day, widened, days)
    solved = equations.effects()
    assert solved.effects == pytest.approx(effects, abs=1e-6)
    assert solved.of_day == pytest.approx(of_day, abs=1e-6)
    errors = equations.held_out_errors()
    for one in days:
        kept = day != one
        effects, of_day, _ = regression(features[kept], left[kept], day[kept], widened[kept], days)
        along = features[~kept] @ effects.T + np.outer(features[~kept, 2], PRIOR.recent)
        along[:, LEVEL] += of_day[one]
        expected = left[~kept] - along @ PRIOR.curves.T
        assert errors[~kept] == pytest.approx(expected, abs=1e-6, nan_ok=True)


@pytest.mark.parametrize("seed", range(3))
def test_offsets_of_sensors_are_those_of_a_dense_gaussian_process(seed):
    """A change in the middle of a day, to 1e-6, with all days and with each day left out."""
    found = meals_of(seed, n_days=4, level_mg_dl=12.0, gain=1.4)
    sensor = (np.arange(12) >= 4).astype(int) + (np.arange(12) >= 9)
    (features, left, day, widened), equations = equations_of(found, sensor=sensor)
    days = np.unique(day).tolist()
    expected = regression(features, left, day, widened, days, sensor)
    solved = equations.effects()
    assert solved.effects == pytest.approx(expected[0], abs=1e-6)
    assert solved.of_day == pytest.approx(expected[1], abs=1e-6)
    assert solved.of_sensor == pytest.approx(expected[2], abs=1e-6)
    assert np.abs(solved.of_sensor).max() > 0.5
    for one in equations.held_out_days():
        kept = np.setdiff1d(np.arange(12), one.meals)
        assert set(day[one.meals]).isdisjoint(day[kept])
        assert one.sensor.tolist() == sensor[one.meals].tolist()
        expected = regression(
            features[kept], left[kept], day[kept], widened[kept], days, sensor[kept]
        )
        assert one.learned.effects == pytest.approx(expected[0], abs=1e-6)
        assert one.learned.of_sensor[sensor[kept].max()] == pytest.approx(expected[2][-1], abs=1e-6)


def test_what_was_read_on_a_day_left_out_is_not_learned_from():
    """Row 471: were the day known, its errors would not grow by all of what was added to it."""
    found = meals_of(1, n_days=9, level_mg_dl=10.0)
    _, equations = equations_of(found)
    before = equations.held_out_errors()
    for day in np.unique(found.day):
        here = found.day == day
        higher = found._replace(glucose_mg_dl=found.glucose_mg_dl + 50.0 * here[:, None])
        _, moved = equations_of(higher)
        after = moved.held_out_errors()
        assert after[here] == pytest.approx(before[here] + 50, abs=1e-6, nan_ok=True)
        assert np.nanmax(np.abs(after[~here] - before[~here])) > 1


def test_what_is_stored_is_what_was_found_to_five_digits():
    """The mean effect of a recent meal included."""
    found = meals_of(6, n_days=6, level_mg_dl=8.0)
    _, equations = equations_of(found)
    expected = equations.effects().effects
    expected[:, 2] += PRIOR.recent
    own = fit_to_meals(PREDICTOR, found, "normal", None, 6)
    assert np.array(own.effects) == pytest.approx(expected, rel=1e-4)
    assert np.abs(PRIOR.recent).max() > 10
    assert own.drift_mg_dl == pytest.approx(equations.effects().of_day[FIRST_DAY + 5], rel=1e-4)


def test_an_unknown_time_since_the_last_meal_counts_as_an_average_one():
    grams, hours, gains = np.full((3, 4), 20.0), np.array([1.0, 8.0, 20.0]), np.full(3, 30.0)
    unknown = meal_features(grams, hours, gains)
    assert not unknown[:, 2].any()
    np.testing.assert_array_equal(unknown, meal_features(grams, hours, gains, np.full(3, np.nan)))


@given(st.floats(0, 24), st.floats(0, 24))
def test_hours_go_round_the_clock_and_fade_in_two(one, other):
    terms = hourly_terms(np.array([one, other, one + 24]))
    assert terms[0] == pytest.approx(terms[2], abs=1e-12)
    apart = min(abs(one - other), 24 - abs(one - other))
    assert terms[0] @ terms[1] == pytest.approx(np.exp(-((apart / 2) ** 2) / 2), abs=0.02)


@pytest.fixture(scope="module")
def wearer(catalog):
    return Wearer(catalog, PREDICTOR, rise=1.4, level_mg_dl=115.0, days=7, noise_mg_dl=3.0)


def fitted(one, readings=None, meals=None):
    trace = CgmTrace.from_readings(one.readings if readings is None else readings)
    history = MealHistory.from_meals(one.meals if meals is None else meals)
    return fit_personal(PREDICTOR, one.profile, trace, history, sensor="Libre")


@settings(max_examples=10)
@given(chance=st.randoms(use_true_random=False), size=st.integers(1, 500))
def test_the_order_and_the_pieces_of_what_was_given_do_not_matter(wearer, chance, size):
    """Row 472: the same bytes."""
    readings, meals = list(wearer.readings), list(wearer.meals)
    chance.shuffle(readings)
    chance.shuffle(meals)
    pieces = [readings[at : at + size] for at in range(0, len(readings), size)]
    chance.shuffle(pieces)
    again = fitted(wearer, [*chain.from_iterable(pieces), *readings[:9]], meals)
    assert again.to_bytes() == fitted(wearer).to_bytes()


def test_refitting_after_another_day_is_fitting_from_the_start(wearer):
    more = replace(wearer, days=8)
    once = fitted(more)
    assert once.n_days == 8
    assert once.to_bytes() == fitted(replace(more)).to_bytes()
    assert once.to_bytes() != fitted(wearer).to_bytes()


def test_more_days_change_the_answer_smoothly():
    """No leap from one day to the next, and less and less change."""
    found = meals_of(2, n_days=24, level_mg_dl=14.0, gain=1.3)
    lunch = meal((60, 5, 15, 12), hour=12.5, day=FIRST_DAY + 200)
    curves = []
    for n_days in range(5, 25):
        known = found.only(found.day < FIRST_DAY + n_days)
        own = fit_to_meals(PREDICTOR, known, "normal", None, n_days)
        own = replace(own, population_rmse_mg_dl=99.0)
        curves.append(PREDICTOR.predict(someone(), lunch, personal=own).glucose_mg_dl)
    steps = [max(abs(a - b) for a, b in zip(*pair, strict=True)) for pair in pairwise(curves)]
    assert max(steps) < 8
    assert sum(steps[10:]) < sum(steps[:9])


def true_curves(seed, days, **traits):
    """Meals of later days with the curves that a person has but for noise."""
    found = meals_of(seed + 1000, n_days=days, noise_mg_dl=0.0, cut_short=0.0, **traits)
    return [
        (meal(grams, local_s % 86400 / 3600, local_s // 86400 + 10), since_h, curve)
        for grams, local_s, since_h, curve in zip(
            found.macronutrients,
            found.local_s,
            found.since_meal_h,
            found.glucose_mg_dl,
            strict=True,
        )
    ]


@pytest.mark.parametrize("traits", [{"level_mg_dl": 25.0}, {"gain": 1.5}, {"level_mg_dl": -15.0}])
def test_a_known_shift_is_found(traits):
    """Row 469 in small: in the right direction, with an error at least a tenth lower."""
    errors, moved = [], []
    for seed in range(12):
        own = fit_to_meals(PREDICTOR, meals_of(seed, **traits), "normal", None, 7)
        for eaten, since_h, curve in true_curves(seed, 3, **traits):
            given = {"since_meal_h": since_h} if np.isfinite(since_h) else {}
            pair = [
                np.array(PREDICTOR.predict(someone(), eaten, personal=each, **given).glucose_mg_dl)
                for each in (None, own)
            ]
            errors.append([np.sqrt(((one - curve) ** 2).mean()) for one in pair])
            moved.append(np.sign(curve.mean() - pair[0].mean()) * (pair[1] - pair[0]).mean())
    population, personal = np.mean(errors, axis=0)
    assert personal < 0.9 * population
    assert np.mean(np.array(moved) > 0) > 0.8


def test_the_range_grows_with_the_persons_own_spread():
    calm, lively = (
        fit_to_meals(PREDICTOR, meals_of(4, n_days=14, gain=gain), "normal", None, 14)
        for gain in (0.5, 2.0)
    )
    assert lively.high_mg_dl - lively.low_mg_dl > calm.high_mg_dl - calm.low_mg_dl + 20


def test_the_band_is_wider_for_someone_hard_to_predict():
    calm, wild = (
        fit_to_meals(PREDICTOR, meals_of(4, n_days=14, noise_mg_dl=noise), "normal", None, 14)
        for noise in (3.0, 30.0)
    )
    assert wild.scale_mg_dl > 1.5 * calm.scale_mg_dl


def test_too_few_days_are_refused_with_the_reason_of_each(catalog):
    """Row 468."""
    one = Wearer(catalog, PREDICTOR, days=6)
    first, last = one.first_day, one.first_day + timedelta(days=5)
    readings = [each for each in one.readings if each[0].date() != last or each[0].hour < 5]
    meals = [each for each in one.meals if each.time.date() != first or each.time.hour == 8]
    with pytest.raises(TooFewDays, match="got 4") as refused:
        fitted(one, readings, meals)
    assert refused.value.valid == 4
    assert refused.value.refused == {
        first: ("meals at 1 time, 2 needed",),
        last: ("5 h of CGM, 12 needed",),
    }


def test_a_sensor_that_never_moved_is_refused(catalog):
    one = Wearer(catalog, PREDICTOR)
    with pytest.raises(UnusableHistory, match="trace must vary over the day"):
        fitted(one, [(time, 100.0) for time, _ in one.readings])


def test_too_few_meals_with_two_hours_of_their_own_are_refused(catalog):
    """Whoever eats every hour leaves nothing to learn from."""
    one = Wearer(catalog, PREDICTOR, at_hours=tuple(range(7, 23)))
    meals = [each for each in one.meals if each.time.hour < 22]
    problem = r"^meals must contain at least 5 meals .* followed by two hours of CGM .*, got \d$"
    readings = [each for each in one.readings if not 21 <= each[0].hour <= 23]
    with pytest.raises(UnusableHistory, match=problem):
        fitted(one, readings, meals)


def test_an_unknown_sensor_is_refused(wearer):
    trace, history = wearer.trace, wearer.meal_history
    with pytest.raises(InputError, match="sensor"):
        fit_personal(PREDICTOR, wearer.profile, trace, history, sensor="crystal ball")


def test_a_sensor_that_contradicts_the_export_is_refused(wearer):
    read = replace(wearer.trace, device="LibreView, FreeStyle LibreLink")
    with pytest.raises(InputError) as refusal:
        fit_personal(PREDICTOR, wearer.profile, read, wearer.meal_history, sensor="Dexcom G7")
    assert str(refusal.value) == (
        "sensor must be Libre, the sensor family of the readings (LibreView, FreeStyle LibreLink),"
        " got 'Dexcom G7'"
    )
    fit = fit_personal(PREDICTOR, wearer.profile, read, wearer.meal_history, sensor="Libre 3")
    assert fit.sensor == "Libre 3"


def test_days_that_are_no_training_days_are_not_learned_from(wearer):
    """A day without enough readings, however strange, changes nothing."""
    after = wearer.next_morning + timedelta(hours=3)
    strange = [(after + timedelta(minutes=15 * at), 390.0 - 40 * (at % 2)) for at in range(20)]
    eaten = replace(wearer.meals[0], time=after + timedelta(minutes=30))
    own = fitted(wearer, [*wearer.readings, *strange], [*wearer.meals, eaten])
    assert own.to_bytes() == fitted(wearer).to_bytes()


def test_the_state_and_the_version_that_it_corrects_are_kept(wearer):
    own = fitted(wearer)
    assert (own.base, own.state, own.sensor) == (PREDICTOR.version, "prediabetes", "Libre")
    assert (own.n_days, own.n_meals) == (7, 21)
    assert own.last_day == (wearer.first_day - date(1970, 1, 1)).days + 6
