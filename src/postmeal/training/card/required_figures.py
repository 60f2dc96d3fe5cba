"""Figures that population-3 and its personal models were required to reach."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

from postmeal.training.card.required_figure import RequiredFigure

__all__ = ["REQUIRED"]

_DEXCOM, _LIBRE = "Dexcom G6 Pro", "Libre Pro"
_WITHIN = "within_person_iauc_r"


def _at(*path: str) -> Callable[[dict[str, Any]], float]:
    def measure(metrics: dict[str, Any]) -> float:
        found: Any = metrics
        for key in path:
            found = found[key]
        return float(found)

    return measure


def _least(topic: str, title: str, low: float, digits: int, *path: str) -> RequiredFigure:
    return RequiredFigure(topic, title, _at(*path), low, inf, digits)


def _most(topic: str, title: str, high: float, digits: int, *path: str) -> RequiredFigure:
    return RequiredFigure(topic, title, _at(*path), -inf, high, digits)


def _between(
    topic: str, title: str, low: float, high: float, digits: int, *path: str
) -> RequiredFigure:
    return RequiredFigure(topic, title, _at(*path), low, high, digits)


def _mean_left_out_rise(metrics: dict[str, Any]) -> float:
    groups = metrics["leave_one_data_set_out"].values()
    errors = [one["models"]["population"]["rise_rmse_mg_dl"] for one in groups]
    return float(sum(errors) / len(errors))


def _change_with_reading(metrics: dict[str, Any]) -> float:
    found = metrics["hall_left_out"]
    return float(found["with_reading"]["iauc_r"] - found["without_reading"]["iauc_r"])


def _left_out() -> list[RequiredFigure]:
    def at(name: str, key: str) -> tuple[str, ...]:
        return "leave_one_data_set_out", name, "models", "population", key

    title = "data set left out, rise RMSE"
    r = "data set left out, iAUC r"
    return [
        RequiredFigure("left out", f"{title}: mean of 3", _mean_left_out_rise, -inf, 27.0, 1),
        _most("left out", f"{title}: BIG IDEAs", 24.4, 1, *at("bigideas", "rise_rmse_mg_dl")),
        _least("left out", f"{r}: BIG IDEAs", 0.515, 3, *at("bigideas", "iauc_r")),
        _least("left out", f"{r}: ShanghaiT2DM", 0.38, 2, *at("shanghai", "iauc_r")),
    ]


def _loads() -> list[RequiredFigure]:
    figures = []
    for state, name in (("normal", "normal regulation"), ("prediabetes", "prediabetes")):
        path = "standard_loads", "glucose_drinks", state
        title = f"75 g of glucose left out, {name}"
        figures += [
            _between("loads", f"{title}: area ratio", 0.75, 1.25, 2, *path, "iauc_ratio"),
            _least("loads", f"{title}: inside the band", 0.85, 2, *path, "coverage"),
        ]
    for load in ("glucose drink", "white bread", "bread and butter"):
        path = "standard_loads", "published", load
        title = f"Food & You (part of the fit), {load}: area ratio"
        figures.append(_between("published", title, 0.75, 1.25, 2, *path, "ratio"))
    return figures


def _unseen() -> list[RequiredFigure]:
    figures = []
    for sensor, r, within, rise in ((_LIBRE, 0.58, 0.53, 29.0), (_DEXCOM, 0.57, 0.50, 32.3)):
        path = "frozen", sensor, "models", "population"
        title = f"{sensor}, without a reading"
        figures += [
            _least("unseen", f"{title}: iAUC r", r, 2, *path, "iauc_r"),
            _least("unseen", f"{title}: r within a person", within, 2, *path, _WITHIN),
            _most("unseen", f"{title}: rise RMSE", rise, 1, *path, "rise_rmse_mg_dl"),
        ]
    for sensor, r, rise in ((_LIBRE, 0.56, 27.9), (_DEXCOM, 0.57, 32.5)):
        reading = "with_reading", sensor
        title = f"{sensor}, with a reading"
        share = f"{title}: people under 80%"
        figures += [
            _least("reading", f"{title}: iAUC r", r, 2, *reading, "iauc_r"),
            _most("reading", f"{title}: rise RMSE", rise, 1, *reading, "rise_rmse_mg_dl"),
            _between("reading", f"{title}: inside the band", 0.88, 0.92, 2, *reading, "coverage"),
            _most("reading", share, 0.15, 2, *reading, "people_under_80_percent"),
        ]
    title = "Hall 2018 left out: iAUC r with minus without a reading"
    figures.append(RequiredFigure("hall", title, _change_with_reading, 0.0, inf, 2))
    return figures


def _gains_and_bands() -> list[RequiredFigure]:
    figures = []
    for sensor in (_LIBRE, _DEXCOM):
        for state, name in (("all", "all people"), ("prediabetes", "prediabetes")):
            title = f"{sensor}: least-squares gain, {name}"
            path = "frozen", sensor, "bias", state, "gain"
            figures.append(_between("gain", title, 0.90, 1.15, 2, *path))
    for sensor in (_LIBRE, _DEXCOM):
        for meals, name in (("all", "all meals"), ("breakfast", "breakfast")):
            title = f"{sensor}: share above the band, {name}"
            path = "frozen", sensor, "misses", meals, "share_above"
            figures.append(_between("above", title, 0.04, 0.06, 3, *path))
        under = "frozen", sensor, "models", "population", "people_under_80_percent"
        figures.append(_most("under 80", f"{sensor}: people under 80%", 0.10, 2, *under))
    return figures


def _personal() -> list[RequiredFigure]:
    served = "forward", _LIBRE, "models", "served"
    title = f"personal after 5 days, {_LIBRE}"
    figures = [
        _most("personal", f"{title}: absolute RMSE", 21.7, 1, *served, "absolute_rmse_mg_dl"),
        _most("personal", f"{title}: rise RMSE", 23.8, 1, *served, "rise_rmse_mg_dl"),
        _least("personal", f"{title}: iAUC r", 0.73, 2, *served, "iauc_r"),
        _least("personal", f"{title}: r within a person", 0.57, 2, *served, _WITHIN),
        _least("personal", f"{title}: macro-F1", 0.59, 2, *served, "macro_f1"),
    ]
    for sensor, width in ((_LIBRE, 78.0), (_DEXCOM, 90.0)):
        path = "forward", sensor, "models", "served"
        title = f"personal after 5 days, {sensor}"
        figures += [
            _least("personal band", f"{title}: inside the band", 0.90, 2, *path, "coverage"),
            _most("personal band", f"{title}: width of the band", width, 0, *path, "width_mg_dl"),
        ]
    return figures


REQUIRED: tuple[RequiredFigure, ...] = (
    *_left_out(),
    *_loads(),
    *_unseen(),
    *_gains_and_bands(),
    *_personal(),
)
"""The required figures. They were set before population-3 was fitted and are never changed."""
