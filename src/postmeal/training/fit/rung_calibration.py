"""Calibrate bands and chances of high peaks for people of whom more or less is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.composition import band_on_grid, course
from postmeal.glucose.personal.prior import KnownStart
from postmeal.glucose.population.band import Band
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.peak_scale import PEAK_ROWS, PeakDistribution
from postmeal.glucose.population.states import STATES
from postmeal.glucose.predictor import Predictor
from postmeal.training.datasets import UNAWARE
from postmeal.training.fit.calibration import (
    COVERAGE,
    Peaks,
    fit_peak_distribution,
    person_weights,
    smooth_over_minutes,
    weighted_quantile,
)
from postmeal.training.fit.known_person import priors_of
from postmeal.training.fit.later_days import cases_of, last_readings
from postmeal.training.fit.person_coefficients import (
    Folds,
    KnownPerson,
    known_before,
    needed_factors,
)

Array = NDArray[np.float64]

RUNG_HOURS = (0.0, 72.0)
"""Hours of CGM readings before the meals to which the chances of high peaks are fitted."""


def as_people_report(folds: Folds) -> Folds:
    """Return the folds with the condition that people would report, if their study found it."""
    return [
        (
            fold,
            [replace(one, state="normal") if one.data_set in UNAWARE else one for one in people],
        )
        for fold, people in folds
    ]


def widened_for_unseen_sets(
    folds: Folds, band: Band, start: KnownStart
) -> tuple[Band, dict[str, Any]]:
    """Widen the bands so that they hold 90% of the readings of each data set that is left out.

    At each minute, the set that needs the widest band decides, and the factors are smoothed over
    minutes. Returns the band, and the band with a reading as a JSON-serializable dict.
    """
    sets = [
        (replace(fold, band=band, start=start), people) for fold, people in as_people_report(folds)
    ]
    known = [one for one in known_before(sets, 0.0) if one.history.state != "type_1"]
    plain, with_reading = (_worst_factors(known, with_reading=each) for each in (False, True))
    return _times(band, plain), _times(start.band, with_reading).to_dict()


def _times(band: Band, factor: Array) -> Band:
    return Band(band.below_mg_dl * factor, band.above_mg_dl * factor)


def _worst_factors(people: Sequence[KnownPerson], *, with_reading: bool) -> Array:
    """Return the factor of each minute for the data set that needs the widest band, at least 1."""
    needed: dict[str, list[Array]] = {}
    for one in people:
        priors = priors_of(one.predictor, one.history, [])
        found = needed_factors(one, priors, with_reading)
        if len(found):
            needed.setdefault(one.history.data_set, []).append(found)
    worst = np.ones(len(GRID_MIN))
    for parts in needed.values():
        weight = np.concatenate([np.full(len(part), 1 / len(part)) for part in parts])
        columns = np.concatenate(parts).T
        factors = [weighted_quantile(column, weight, COVERAGE) for column in columns]
        worst = np.maximum(worst, factors)
    if with_reading:
        worst[0] = worst[1]  # where meals are logged at the minute of a reading, it has no error
    return np.maximum(smooth_over_minutes(worst), 1.0)


def fit_peaks_of_rungs(folds: Folds, predictor: Predictor) -> PeakDistribution:
    """Fit the distribution of peaks to people who are unseen, with and without their readings."""
    learned = [
        (
            replace(fold, band=predictor.band, start=predictor.start, person=predictor.person),
            people,
        )
        for fold, people in as_people_report(folds)
    ]
    parts = [
        peaks_of(known_before(learned, hours), with_reading=with_reading)
        for hours in RUNG_HOURS
        for with_reading in (False, True)
    ]
    columns = (np.concatenate(each) for each in zip(*parts, strict=True))
    return fit_peak_distribution(Peaks(*columns))


def peaks_of(people: Sequence[KnownPerson], *, with_reading: bool = False) -> Peaks:
    """Return observed and predicted peaks of people's meals, with or without a reading at them."""
    parts = []
    for one in people:
        start = np.full(len(one.meals.utc_s), np.nan)
        if with_reading:
            start = last_readings(one.history.trace, one.meals.utc_s)
        rows = ~np.isnan(start) if with_reading else np.ones(len(start), dtype=np.bool_)
        priors = priors_of(one.predictor, one.history, one.before)
        cases = cases_of(one.predictor, one.history, None, one.meals, start, priors=priors)
        predicted, sides = course(one.predictor, cases), band_on_grid(one.predictor, cases)
        unit = np.mean([side[:, PEAK_ROWS].mean(axis=1) for side in sides], axis=0)
        parts.append(
            Peaks(
                np.full(int(rows.sum()), one.history.person, dtype=object),
                np.full(int(rows.sum()), STATES.index(one.history.state)),
                predicted.start_mg_dl[rows],
                predicted.rise_mg_dl.max(axis=1)[rows],
                unit[rows],
                one.meals.glucose_mg_dl.max(axis=1)[rows],
                np.ones(int(rows.sum())),
            )
        )
    found = Peaks(*(np.concatenate(each) for each in zip(*parts, strict=True)))
    return found._replace(weight=person_weights(found.person))
