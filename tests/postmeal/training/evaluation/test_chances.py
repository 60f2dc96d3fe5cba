"""Brier scores and reliability of the chances, for held-out people."""

import json

import numpy as np
import pytest

from postmeal.assets import asset
from postmeal.cli import main
from postmeal.glucose.population.chances import CHANCES
from postmeal.glucose.population.states import STATES
from postmeal.training.card.chances import chances_section, write_reliability_plot
from postmeal.training.evaluation.chances import (
    brier_scores,
    held_out_chances,
    outcomes,
    reliability,
)
from postmeal.training.fit.release import load_training_data

METRICS = json.loads(asset("models/population/metrics.json").read_text(encoding="utf-8"))


def curves_of(start_mg_dl, peak_mg_dl):
    """Curves that reach the peak at the second reading."""
    start, peak = np.broadcast_arrays(np.asarray(start_mg_dl, float), peak_mg_dl)
    return np.column_stack([start, peak, *[start] * 7])


def test_an_outcome_is_a_level_or_a_rise_that_is_reached():
    observed = curves_of([100, 100, 130, 150], [139.9, 140, 180, 180])
    assert outcomes(observed).tolist() == [
        [False, False, True, False],
        [True, False, True, False],
        [True, True, True, True],
        [True, True, True, False],
    ]


def test_certainty_that_comes_true_scores_zero_and_the_share_scores_as_the_base():
    observed = curves_of(100, np.array([120, 150, 190, 200]))
    person = np.array(["a", "b", "c", "d"])
    certain = brier_scores(observed, outcomes(observed).astype(float), person)
    shares = brier_scores(observed, np.tile(outcomes(observed).mean(axis=0), (4, 1)), person)
    for name in CHANCES:
        assert certain[f"{name}_brier"] == 0
        assert shares[f"{name}_brier"] == pytest.approx(shares[f"{name}_base_brier"])
    assert certain["peak_140_rate"] == 0.75
    assert certain["peak_180_base_brier"] == 0.25


def test_every_person_counts_the_same():
    observed = curves_of(100, np.array([200, 110, 110, 110]))
    scores = brier_scores(observed, np.full((4, 4), 0.5), ["a", "b", "b", "b"])
    assert scores["peak_140_rate"] == pytest.approx(0.5)


def test_reliability_groups_meals_by_their_chance():
    random = np.random.default_rng(0)
    chance = random.uniform(0, 1, 5000)
    observed = curves_of(100, np.where(random.uniform(0, 1, 5000) < chance, 150.0, 110.0))
    person = np.arange(5000).astype(str)
    groups = reliability(observed, np.tile(chance[:, None], (1, 4)), person)["peak_140"]
    assert [group["n_meals"] for group in groups] == [1000] * 5
    for number, group in enumerate(groups):
        assert group["predicted"] == pytest.approx(0.1 + 0.2 * number, abs=0.02)
        assert group["observed"] == pytest.approx(group["predicted"], abs=0.05)


@pytest.mark.reliability
def test_held_out_chances_cover_every_state_and_are_drawn(made_up_data, tmp_path):
    found = held_out_chances(load_training_data(made_up_data[0]))
    assert set(found["by_state"]) <= set(STATES)
    for one in found["by_state"].values():
        assert one["n_people"] > 0
        for name in CHANCES:
            assert 0 <= one[f"{name}_brier"] <= 1
    section = chances_section({"chances": found})
    for one in found["by_state"].values():
        assert f"| {one['n_people']} | {one['n_meals']} | {one['peak_140_rate']:.3f}, " in section
    write_reliability_plot(tmp_path / "reliability.png", {"chances": found})
    assert (tmp_path / "reliability.png").read_bytes().startswith(b"\x89PNG")


def test_the_released_chances_beat_the_share_of_meals_without_type_1_diabetes():
    """The published figures, for held-out people: at most a rounding worse than the base."""
    for state, one in METRICS["chances"]["by_state"].items():
        for name in CHANCES:
            if state != "type_1":
                assert one[f"{name}_brier"] <= one[f"{name}_base_brier"] + 0.001, (state, name)
    for groups in METRICS["chances"]["reliability"].values():
        for group in groups:
            assert group["observed"] == pytest.approx(group["predicted"], abs=0.15)


@pytest.mark.reliability
def test_evaluate_prints_the_scores_of_the_chances(made_up_data, capsys):
    assert main(["evaluate", "cgmacros", str(made_up_data[0] / "cgmacros")]) == 0
    printed = capsys.readouterr().out
    assert "Brier score of the predicted chances" in printed
    assert all(f"peak {level}" in printed for level in (140, 180))
    after = printed.partition("Brier score")[2].splitlines()[2:]
    assert len([line for line in after if "(0." in line]) >= 2
