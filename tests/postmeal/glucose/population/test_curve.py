"""Figures of a curve: each of many curves has its own."""

import numpy as np
import pytest

from postmeal.glucose.population.curve import iauc_mg_dl_min, peak_min, peak_rise_mg_dl

CURVES = np.array([[90.0, 150.0, 120.0, 90.0], [100.0, 90.0, 80.0, 70.0], [80.0, 80.0, 90.0, 90.0]])
MINUTES = (0.0, 30.0, 60.0, 100.0)


def test_each_curve_has_its_own_rise():
    assert peak_rise_mg_dl(CURVES).tolist() == [60, 0, 10]


def test_each_curve_has_its_own_minute():
    assert peak_min(CURVES, MINUTES).tolist() == [30, 0, 60]
    assert peak_min(CURVES).tolist() == [15, 0, 30]


def test_areas_are_those_of_triangles_and_trapezoids():
    first = 30 * 60 / 2 + 30 * (60 + 30) / 2 + 40 * 30 / 2
    third = 30 * 10 / 2 + 40 * 10
    assert iauc_mg_dl_min(CURVES, MINUTES).tolist() == [first, 0, third]


def test_of_a_line_that_crosses_the_start_the_part_above_counts():
    curves = np.array([[100.0, 130.0, 70.0, 100.0], [100.0, 80.0, 140.0, 100.0]])
    up_and_down = 30 * 30 / 2 + 15 * 30 / 2
    down_and_up = 20 * 40 / 2 + 40 * 40 / 2
    assert iauc_mg_dl_min(curves, MINUTES) == pytest.approx([up_and_down, down_and_up])
