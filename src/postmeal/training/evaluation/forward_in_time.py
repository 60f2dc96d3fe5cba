"""Protocol 3: train personal models on the first days and evaluate them on later days."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.predictor import Predictor
from postmeal.training.evaluation.baselines import PersonMean
from postmeal.training.evaluation.by_age import after_sensor_change, curves_by_age
from postmeal.training.evaluation.later_predictions import (
    ANSWERS,
    later_table,
    observed_later,
    personal,
    predict_later,
)
from postmeal.training.evaluation.released_model import score
from postmeal.training.fit.estimator import BloodCurve
from postmeal.training.fit.later_days import (
    LaterMeals,
    later_meals,
    refitted_every_day,
    without_meal_log,
)
from postmeal.training.fit.metrics import (
    curve_metrics,
    paired_bootstrap,
    per_person,
    rise_rmse_mg_dl,
    rmse_mg_dl,
)
from postmeal.training.fit.person_history import PersonHistory
from postmeal.training.fit.personal_release import unseen_predictors
from postmeal.training.fit.release import TrainingData, meal_weights

__all__ = [
    "DAYS_OF_HISTORY",
    "compare_answers",
    "forward_in_time",
    "forward_on_training_sets",
    "paired_errors",
    "shares_better",
]

Array = NDArray[np.float64]

DAYS_OF_HISTORY = (0, 1, 2, 3, 5, 7)
"""Numbers of valid training days. The scored meals are those after the largest number of days."""

_ERRORS = {"absolute": rmse_mg_dl, "rise": rise_rmse_mg_dl}


def forward_in_time(
    predictor: Predictor, peers: dict[str, BloodCurve], people: Iterable[PersonHistory]
) -> dict[str, Any]:
    """Train models of unseen people on their first five valid days, and score their later meals.

    Parameters
    ----------
    predictor : Predictor
        The released model.
    peers : dict of str to BloodCurve
        LightGBM and the baselines, fitted to the training data of the model; see
        `postmeal.training.evaluation.left_out_and_unseen.fit_peers`.
    people : iterable of PersonHistory
        The unseen people.

    Returns
    -------
    dict
        For each sensor:

        - ``models``: metrics by name. ``personal`` is the personal model as fitted. ``served`` is
          the personal model if it was more accurate on held-out days, and the population model
          otherwise. ``person mean`` is the mean curve of the meals to which the personal model was
          fitted.
        - ``n_held_back``: number of people for whom the population model is served.
        - ``paired``: see `paired_errors`.
        - ``better``: see `shares_better`.
        - ``from_reading``: metrics of the models if the last reading before the meal is given.
        - ``by_days``: metrics of the model as fitted, by number of training days. The meals are
          always the same: those after seven valid days.
        - ``refitted``: metrics if each person's model is refitted before each later day.
    """
    result = {}
    for sensor, group in _by_sensor(people).items():
        later = later_meals(predictor, group)
        if not later:
            continue
        one = compare_answers(later, predictor)
        one["models"] |= _without_log(predictor, later) | _of_peers(peers, later)
        one["from_reading"] = _from_reading(predictor, later)
        one["by_days"] = _by_days(predictor, group)
        again = refitted_every_day(predictor, group)
        one["refitted"] = score(*observed_later(again), predict_later(predictor, again, personal))
        result[sensor] = one
    return result


def forward_on_training_sets(data: TrainingData, predictor: Predictor) -> dict[str, Any]:
    """Evaluate personal models on the training sets as in `forward_in_time`, in six folds.

    For each fold, the population model and the prior are fitted to the people outside the fold.
    Only curves are scored, because the released labels and bands are calibrated on all people,
    including those in the fold.

    Parameters
    ----------
    data : TrainingData
        The training sets.
    predictor : Predictor
        The released model, whose population model and prior are replaced in each fold.

    Returns
    -------
    dict
        For each data set, ``models``, ``n_held_back``, ``paired`` and ``better``, as in
        `forward_in_time`. ``by_age`` contains the curve metrics by the age of the history, and
        ``changed_sensor`` contains the same metrics with a simulated sensor change.
    """
    with_all_sensors = replace(predictor, sensors=data.sensors)
    weight = meal_weights(data.table)
    folds = [
        (_with_gate_of(predictor, fold), unseen)
        for fold, unseen in unseen_predictors(data.histories, data.table, weight, with_all_sensors)
    ]
    found = [one for fold, unseen in folds for one in later_meals(fold, unseen)]
    result = {}
    for name in sorted({one.history.data_set for one in found}):
        later = [one for one in found if one.history.data_set == name]
        result[name] = compare_answers(later)
        result[name]["by_age"] = curves_by_age(later)
        result[name]["changed_sensor"] = after_sensor_change(folds, name)
    return result


def _with_gate_of(predictor: Predictor, fold: Predictor) -> Predictor:
    """Return the model of a fold with the released rules on when personal effects are used."""
    rules = ("gate_margin", "fading_days", "prior_level_share")
    released = {name: getattr(predictor.personal_prior, name) for name in rules}
    return replace(fold, personal_prior=replace(fold.personal_prior, **released))


def paired_errors(
    observed: Array, person: NDArray[np.str_], own: Array, others: dict[str, Array]
) -> dict[str, dict[str, float]]:
    """Compare the errors of a prediction with those of other predictions, person by person.

    Parameters
    ----------
    observed, own : ndarray of shape (n_meals, 9)
        Readings and predictions in mg/dL.
    person : ndarray of shape (n_meals,)
        Person of each meal.
    others : dict of str to ndarray of shape (n_meals, 9)
        Other predictions by name.

    Returns
    -------
    dict
        For each other prediction, the mean over people of the error minus the error of the other
        prediction in mg/dL, as ``absolute_rmse_difference_mg_dl`` and
        ``rise_rmse_difference_mg_dl``. ``absolute_low``, ``absolute_high``, ``rise_low`` and
        ``rise_high`` are the limits of the 95% intervals.
    """
    result: dict[str, dict[str, float]] = {name: {} for name in others}
    for kind in _ERRORS:
        errors = _errors_of_people(observed, person, own, kind)
        for name, other in others.items():
            less = errors - _errors_of_people(observed, person, other, kind)
            mean, low, high = paired_bootstrap(less)
            result[name] |= {
                f"{kind}_rmse_difference_mg_dl": mean,
                f"{kind}_low": low,
                f"{kind}_high": high,
            }
    return result


def shares_better(
    observed: Array, person: NDArray[np.str_], own: Array, others: dict[str, Array]
) -> dict[str, dict[str, float]]:
    """Compute the share of people for whom one prediction is at least as accurate as another.

    If the population model is served to a person, the served prediction and the population model
    have equal errors. The person is therefore included in this share.

    Parameters
    ----------
    observed, person, own, others
        See `paired_errors`.

    Returns
    -------
    dict of str to dict
        For each other prediction, the shares for the ``absolute`` and the ``rise`` RMSE.
    """
    return {
        name: {
            kind: float(
                np.mean(
                    _errors_of_people(observed, person, own, kind)
                    <= _errors_of_people(observed, person, other, kind)
                )
            )
            for kind in _ERRORS
        }
        for name, other in others.items()
    }


def _errors_of_people(
    observed: Array, person: NDArray[np.str_], predicted: Array, kind: str
) -> Array:
    return per_person(person, lambda rows: _ERRORS[kind](observed[rows], predicted[rows]))


def compare_answers(later: list[LaterMeals], predictor: Predictor | None = None) -> dict[str, Any]:
    """Compare the population model, the personal model and the person's mean curve.

    Parameters
    ----------
    later : list of LaterMeals
        People with later meals.
    predictor : Predictor, optional
        The model, for bands, ranges and labels. When omitted, only curves are scored.

    Returns
    -------
    dict
        ``models``, ``n_held_back``, ``paired`` and ``better``; see `forward_in_time`.
    """
    observed, person = observed_later(later)
    own = {
        "population": np.concatenate([one.population_mg_dl for one in later]),
        "personal": np.concatenate([one.personal_mg_dl for one in later]),
        "served": np.concatenate([one.served_mg_dl for one in later]),
    }
    person_mean = _person_mean(later)
    if predictor is None:
        models = {name: curve_metrics(observed, one, person) for name, one in own.items()}
    else:
        answers = {name: predict_later(predictor, later, ask) for name, ask in ANSWERS.items()}
        own = {name: one.glucose_mg_dl for name, one in answers.items()}
        models = {name: score(observed, person, one) for name, one in answers.items()}
    models["person mean"] = curve_metrics(observed, person_mean, person)
    others = {"population": own["population"], "person mean": person_mean}
    both = ("personal", "served")
    return {
        "models": models,
        "n_held_back": sum(not one.is_personal for one in later),
        "paired": {name: paired_errors(observed, person, own[name], others) for name in both},
        "better": {name: shares_better(observed, person, own[name], others) for name in both},
    }


def _without_log(predictor: Predictor, later: list[LaterMeals]) -> dict[str, dict[str, float]]:
    unknown = [without_meal_log(predictor, one) for one in later]
    predicted = predict_later(predictor, unknown, personal)
    return {"personal without meal log": score(*observed_later(later), predicted)}


def _of_peers(peers: dict[str, BloodCurve], later: list[LaterMeals]) -> dict[str, dict[str, float]]:
    """Score the curves of LightGBM and the baselines.

    The population model is omitted, because it is scored elsewhere together with its band.
    """
    observed, person = observed_later(later)
    rows = later_table(later)
    return {
        name: curve_metrics(observed, one.predict(rows), person)
        for name, one in peers.items()
        if name != "population"
    }


def _from_reading(predictor: Predictor, later: list[LaterMeals]) -> dict[str, dict[str, float]]:
    observed, person = observed_later(later)
    result = {}
    for name, ask in ANSWERS.items():
        one = predict_later(predictor, later, ask, from_reading=True)
        result[name] = score(observed, person, one)
    return result


def _by_days(predictor: Predictor, group: Sequence[PersonHistory]) -> dict[str, dict[str, float]]:
    """Score models that were fitted to each of `DAYS_OF_HISTORY` days, on the same later meals."""
    start = DAYS_OF_HISTORY[-1]
    nothing = later_meals(predictor, group, 0, start)
    result = {}
    for n_days in DAYS_OF_HISTORY if nothing else ():
        fitted = later_meals(predictor, group, n_days, start, least_meals=1)
        own = {one.history.person: one for one in fitted}
        people = [own.get(one.history.person, one) for one in nothing]
        predicted = predict_later(predictor, people, personal)
        result[str(n_days)] = score(*observed_later(people), predicted)
    return result


def _by_sensor(people: Iterable[PersonHistory]) -> dict[str, list[PersonHistory]]:
    groups: dict[str, list[PersonHistory]] = {}
    for one in people:
        groups.setdefault(one.sensor, []).append(one)
    return dict(sorted(groups.items()))


def _person_mean(later: list[LaterMeals]) -> Array:
    """Return the mean curve of the complete meals to which each person's model was fitted."""
    # The same people, with the meals on their training days instead of the later meals.
    known = [one._replace(meals=one.known.only(one.known.is_complete)) for one in later]
    curves, _ = observed_later(known)
    return PersonMean().fit(later_table(known), curves).predict(later_table(later))
