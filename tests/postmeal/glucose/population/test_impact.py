"""The label: its limits, and which side of a limit belongs to which label."""

import math

import numpy as np
import pytest

from postmeal.glucose.population.impact import IMPACTS, ImpactScale, label_probabilities

EVEN = ImpactScale(math.log(3) / 10, 0.0, -math.log(3), cut_medium=0.5, cut_high=0.5)
"""Even chances of reaching 30 mg/dL without a predicted rise, and of 50 mg/dL at 10 mg/dL."""


def test_chances_are_logistic_in_the_predicted_rise():
    reaches_30, reaches_50 = EVEN.chances([-10, 0, 10])
    assert reaches_30 == pytest.approx([1 / 4, 1 / 2, 3 / 4])
    assert reaches_50 == pytest.approx([1 / 10, 1 / 4, 1 / 2])


def test_a_chance_at_the_limit_has_the_higher_label():
    flat = ImpactScale(1.0, 0.0, 0.0, cut_medium=0.5, cut_high=0.5)
    assert IMPACTS[flat.labels(*flat.chances([0.0]))[0]] == "high"
    medium = ImpactScale(1.0, 0.0, -1.0, cut_medium=0.5, cut_high=0.5)
    assert IMPACTS[medium.labels(*medium.chances([0.0]))[0]] == "medium"
    assert IMPACTS[medium.labels(*medium.chances([-1e-9]))[0]] == "low"


def test_the_probabilities_of_the_labels_add_up_to_one():
    assert label_probabilities(*EVEN.chances([0.0, 10.0])) == pytest.approx(
        np.array([[1 / 2, 1 / 4, 1 / 4], [1 / 4, 1 / 4, 1 / 2]])
    )


def test_no_rise_is_too_small_or_too_large_for_a_chance():
    certain = np.array([[1, 0, 0], [0, 0, 1]])
    assert label_probabilities(*EVEN.chances([-1e6, 1e6])) == pytest.approx(certain, abs=1e-300)
    assert np.isnan(label_probabilities(*EVEN.chances([math.nan]))).all()
