"""Compare states of knowledge, rung by rung, with the condition only and with LightGBM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.population.curve import iauc_mg_dl_min
from postmeal.glucose.predictor import Predictor
from postmeal.training.evaluation.around_the_curve import around_the_curve
from postmeal.training.evaluation.forward_in_time import paired_errors
from postmeal.training.evaluation.known_people import (
    Known,
    KnownMeals,
    known_meals,
    observations,
    predicted,
)
from postmeal.training.evaluation.released_model import score
from postmeal.training.evaluation.rivals_that_know import Rivals
from postmeal.training.fit.metrics import curve_metrics
from postmeal.training.fit.person_history import PersonHistory
from postmeal.training.fit.release import TrainingData

Array = NDArray[np.float64]

REFIT = " --refit"
"""End of the name of a rung whose personal models are fitted again before each day."""

_CONDITION = "condition"

RUNGS = (
    _CONDITION,
    "hba1c",
    "fasting",
    "reading",
    "cgm-72h",
    "cgm-24h,reading",
    "cgm-72h,reading",
    "meals-2d,reading",
    "meals-5d,reading",
    f"meals-5d,reading{REFIT}",
)
"""States of knowledge, named as after ``postmeal evaluate --known``."""


def compare_rungs(
    data: TrainingData,
    predictor: Predictor,
    people: Sequence[PersonHistory],
    names: Sequence[str] = RUNGS,
) -> dict[str, Any]:
    """Score each state of knowledge on unseen people, beside the condition only and LightGBM.

    The rivals are fitted to the training sets. Rungs that the model cannot use are omitted. For
    each sensor and rung, ``models`` contains the metrics of ``postmeal``, of ``condition only`` and
    of the ``challenger`` for the same meals, and ``paired`` the differences of postmeal to both;
    see `paired_errors` and `correlation_difference`.
    """
    rivals = Rivals(data, predictor)
    result: dict[str, Any] = {}
    for rung in names:
        refit = rung.endswith(REFIT)
        known = Known() if rung == _CONDITION else Known.parse(rung.removesuffix(REFIT))
        if known.needs_person_coefficients and predictor.person is None:
            continue
        found = [part for one in people for part in known_meals(predictor, one, known, refit=refit)]
        for sensor in sorted({one.history.sensor for one in found}):
            group = [one for one in found if one.history.sensor == sensor]
            other = np.concatenate([rivals.of(known).predict(one) for one in group])
            result.setdefault(sensor, {})[rung] = _compare(predictor, group, other)
    return result


def _compare(predictor: Predictor, group: Sequence[KnownMeals], rival: Array) -> dict[str, Any]:
    observed, person = observations(group)
    own = predicted(predictor, [one.cases for one in group])
    plain = predicted(predictor, [one.plain for one in group])
    others = {"condition only": plain.glucose_mg_dl, "challenger": rival}
    paired = paired_errors(observed, person, own.glucose_mg_dl, others)
    for name, curves in others.items():
        paired[name] |= correlation_difference(observed, person, own.glucose_mg_dl, curves)
    return {
        "around_the_curve": around_the_curve(group, own),
        "models": {
            "postmeal": score(observed, person, own),
            "condition only": score(observed, person, plain),
            "challenger": curve_metrics(observed, rival, person),
        },
        "paired": paired,
    }


def correlation_difference(
    observed: Array,
    person: NDArray[np.str_],
    own: Array,
    other: Array,
    n_draws: int = 4000,
    seed: int = 0,
) -> dict[str, float]:
    """Compare the correlations of incremental areas over all meals of two predictions.

    The difference is that of `own` minus that of `other`, and its 95% percentile interval is from
    bootstrap samples, in which people are drawn with replacement.
    """
    areas = [iauc_mg_dl_min(curves) for curves in (observed, own, other)]
    scaled = [area / max(float(np.abs(area).max()), 1.0) for area in areas]  # against rounding
    columns = np.column_stack([np.ones(len(observed)), *scaled])
    _, row = np.unique(person, return_inverse=True)
    moments = np.zeros((int(row.max()) + 1, 4, 4))
    np.add.at(moments, row, columns[:, :, None] * columns[:, None, :])
    draws = np.random.default_rng(seed).integers(0, len(moments), size=(n_draws, len(moments)))
    counts = np.apply_along_axis(np.bincount, 1, draws, minlength=len(moments)).astype(float)
    differences = _difference(np.tensordot(counts, moments, axes=1))
    low, high = np.quantile(differences, [0.025, 0.975])
    return {
        "iauc_r_difference": float(_difference(moments.sum(axis=0)[None])[0]),
        "iauc_r_low": float(low),
        "iauc_r_high": float(high),
    }


def _difference(moments: Array) -> Array:
    """Return the difference of two correlations from sums of products, of shape (n,)."""
    n = moments[:, 0, 0]
    mean = moments[:, 0] / n[:, None]
    covariance = moments / n[:, None, None] - mean[:, :, None] * mean[:, None, :]
    spread = np.sqrt(np.maximum(np.diagonal(covariance, axis1=1, axis2=2), 1e-12))
    r = covariance[:, 1, 2:] / (spread[:, 1, None] * spread[:, 2:])
    return np.asarray(r[:, 0] - r[:, 1])
