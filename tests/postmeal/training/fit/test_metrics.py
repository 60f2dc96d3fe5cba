"""Metrics against slow, plain references; calibration on errors of a known distribution."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from postmeal.glucose.population.states import STATES
from postmeal.training.evaluation.released_model import range_metrics
from postmeal.training.fit.calibration import (
    Peaks,
    borrowed_weights,
    fit_band,
    fit_impact_scale,
    fit_peak_distribution,
    fit_ranges,
    person_weights,
    smooth_over_minutes,
    weighted_quantile,
)
from postmeal.training.fit.metrics import (
    band_metrics,
    curve_metrics,
    macro_f1,
    observed_impact,
    paired_bootstrap,
    rise_rmse_mg_dl,
)

random = np.random.default_rng(0)
labels = st.lists(st.integers(0, 2), min_size=3, max_size=60)


@given(st.data(), labels)
def test_macro_f1_is_that_of_scikit_learn(data, observed):
    predicted = data.draw(
        st.lists(st.integers(0, 2), min_size=len(observed), max_size=len(observed))
    )
    present = sorted({*observed, *predicted})
    expected = f1_score(observed, predicted, average="macro", labels=present, zero_division=0)
    assert macro_f1(observed, predicted) == pytest.approx(expected)


def test_the_rise_error_forgets_the_level_and_the_absolute_error_does_not():
    observed = random.normal(110, 20, (30, 9))
    shifted = observed + 25
    assert rise_rmse_mg_dl(observed, shifted) == pytest.approx(0, abs=1e-9)
    metrics = curve_metrics(observed, shifted, np.repeat(np.arange(3), 10))
    assert metrics["absolute_rmse_mg_dl"] == pytest.approx(25)
    assert metrics["iauc_r"] == metrics["within_person_iauc_r"] == pytest.approx(1)
    assert metrics["macro_f1"] == 1


def test_impact_is_low_below_30_and_high_from_50():
    curves = np.zeros((4, 9))
    curves[:, 4] = [29.9, 30.0, 49.9, 50.0]
    assert observed_impact(curves).tolist() == [0, 1, 1, 2]


def test_band_metrics_count_points_and_people():
    observed = np.zeros((4, 9))
    lower, upper = np.full((4, 9), -1.0), np.full((4, 9), 1.0)
    observed[3] = 5
    metrics = band_metrics(observed, lower, upper, ["a", "a", "b", "b"])
    assert metrics == {"coverage": 0.75, "width_mg_dl": 2.0, "people_under_80_percent": 0.5}


def test_the_paired_interval_excludes_zero_only_for_a_real_difference():
    _, low, high = paired_bootstrap(random.normal(-2, 1, 40))
    assert low < high < 0
    _, low, high = paired_bootstrap(random.normal(0, 1, 40))
    assert low < 0 < high


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=40), st.floats(0.01, 1))
def test_the_weighted_quantile_with_equal_weights_is_an_order_statistic(values, q):
    expected = np.quantile(values, q, method="inverted_cdf")
    assert weighted_quantile(np.array(values), np.ones(len(values)), q) == expected


def test_every_person_weighs_the_same():
    weights = person_weights(np.array(["a"] * 9 + ["b"], dtype=object))
    assert weights[:9].sum() == pytest.approx(1)
    assert weights[9] == 1


def test_a_state_borrows_from_its_neighbours_but_never_from_type_1():
    state = np.repeat(np.arange(4), 10)
    weight = np.ones(40)
    assert borrowed_weights(1, state, weight).reshape(4, 10).sum(axis=1).tolist() == [5, 10, 5, 0]
    assert borrowed_weights(3, state, weight).reshape(4, 10).sum(axis=1).tolist() == [0, 0, 0, 10]
    only_normal = borrowed_weights(3, np.zeros(40, dtype=int), weight)
    assert only_normal.tolist() == weight.tolist()


def test_the_band_covers_nine_tenths_of_new_people():
    def errors(n_people):
        level = np.repeat(random.normal(0, 15, n_people), 20)[:, None]
        return level + random.normal(0, 10, (n_people * 20, 9))

    state = np.zeros(4000, dtype=int)
    band = fit_band(errors(200), state, np.ones(4000))
    new = errors(200)
    inside = (new >= -band.below_mg_dl[0]) & (new <= band.above_mg_dl[0])
    assert inside.mean() == pytest.approx(0.9, abs=0.03)


def test_the_impact_scale_is_honest_about_its_chances():
    predicted = random.uniform(0, 80, 4000)
    observed = np.maximum(predicted + random.normal(5, 15, 4000), 0)
    scale = fit_impact_scale(predicted, observed, np.ones(4000))
    for low in (10, 30, 50):
        rows = (predicted >= low) & (predicted < low + 10)
        said = np.mean([scale.chances(rise) for rise in predicted[rows]], axis=0)
        happened = [(observed[rows] >= cut).mean() for cut in (30, 50)]
        assert said == pytest.approx(happened, abs=0.08)


def peaks(shift, unit_mg_dl, n=8000):
    """Draw peaks of two states that exceed the predicted ones by different amounts."""
    state = np.arange(n) % 2
    unit, start = np.full(n, unit_mg_dl), random.uniform(80, 120, n)
    rise = random.uniform(5, 90, n)
    units = np.array(shift)[state] + random.logistic(0, 1 / 3, n)
    observed = start + rise + units * unit * (1 + 0.01 * rise)
    person = (np.arange(n) // 20).astype(str).astype(object)
    return Peaks(person, state, start, rise, unit, observed, np.ones(n))


@pytest.mark.parametrize("unit_mg_dl", [15.0, 30.0])
def test_the_chances_of_high_peaks_are_honest_in_each_state_however_much_is_known(unit_mg_dl):
    drawn = peaks((0.1, 0.5), unit_mg_dl)
    fitted = fit_peak_distribution(drawn)
    said = fitted.chances(drawn.start_mg_dl, drawn.rise_mg_dl, drawn.unit_mg_dl, drawn.state)
    for index in (0, 1):
        for chance, cut in zip(said, (140, 180), strict=True):
            for low in (0.1, 0.3, 0.5, 0.7):
                rows = (drawn.state == index) & (chance >= low) & (chance < low + 0.2)
                happened = (drawn.observed_mg_dl[rows] >= cut).mean()
                assert chance[rows].mean() == pytest.approx(happened, abs=0.1)


def test_a_state_without_meals_has_the_prior_of_the_peaks():
    fitted = fit_peak_distribution(peaks((0.1, 0.5), 30.0))
    assert fitted.shift[2:] == pytest.approx((0, 0), abs=1e-6)
    everybody_high = fit_peak_distribution(
        peaks((0.1, 0.5), 30.0)._replace(observed_mg_dl=np.full(8000, 300.0))
    )
    assert np.isfinite([everybody_high.slope, *everybody_high.shift]).all()


def test_smoothing_over_minutes_keeps_a_line_and_flattens_a_spike():
    assert smooth_over_minutes(np.full(9, 7.0)) == pytest.approx([7.0] * 9)
    assert smooth_over_minutes(np.arange(9.0))[1:-1] == pytest.approx(np.arange(1.0, 8.0))
    assert smooth_over_minutes(np.eye(9)[4]).max() == 0.5


def test_the_range_holds_95_percent_of_the_readings_of_new_people():
    """Row 466."""
    n_people = 600  # so many that five borrowed ones from the other state weigh little
    person = np.repeat(np.arange(n_people), 5).astype(str).astype(object)
    state = np.repeat(np.arange(n_people) % 2, 5)

    def draw():
        level = np.repeat(random.normal(100, 8, n_people), 5) + 80 * state
        return level[:, None] + random.normal(0, 8, (n_people * 5, 9))

    readings = draw()
    ranges = fit_ranges(readings, readings < 0, state, person_weights(person))
    low, high = np.array([ranges[STATES[one]] for one in state]).T
    metrics = range_metrics(draw(), low, high)
    assert metrics["readings_in_range"] == pytest.approx(0.95, abs=0.015)
