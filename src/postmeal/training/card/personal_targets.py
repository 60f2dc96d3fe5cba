"""Section of the model card that compares the personal models with their original goals."""

from __future__ import annotations

from typing import Any

from postmeal.training.card.tables import SHORT_COLUMNS, table

__all__ = ["targets_section"]

_TARGETS: dict[str, dict[str, dict[str, float]]] = {
    "Libre Pro": {
        "floor": {
            "absolute_rmse_mg_dl": 21.3,
            "rise_rmse_mg_dl": 23.7,
            "iauc_r": 0.698,
            "within_person_iauc_r": 0.450,
            "macro_f1": 0.554,
        },
        "goal": {
            "absolute_rmse_mg_dl": 20.7,
            "rise_rmse_mg_dl": 23.0,
            "iauc_r": 0.73,
            "within_person_iauc_r": 0.53,
            "macro_f1": 0.60,
            "width_mg_dl": 75.0,
        },
    },
    "Dexcom G6 Pro": {
        "floor": {
            "absolute_rmse_mg_dl": 25.1,
            "rise_rmse_mg_dl": 25.1,
            "iauc_r": 0.732,
            "within_person_iauc_r": 0.426,
            "macro_f1": 0.464,
        },
        "goal": {
            "absolute_rmse_mg_dl": 24.5,
            "rise_rmse_mg_dl": 24.5,
            "iauc_r": 0.75,
            "within_person_iauc_r": 0.50,
            "macro_f1": 0.53,
            "width_mg_dl": 75.0,
        },
    },
}
"""Results of an earlier study on CGMacros, and the original goals, by sensor."""

_LESS_IS_BETTER = ("absolute_rmse_mg_dl", "rise_rmse_mg_dl", "width_mg_dl")


def targets_section(forward: dict[str, Any]) -> str:
    """Write the section about the goals: whether they were reached, and an earlier study's results.

    Parameters
    ----------
    forward : dict
        Figures by sensor; see `postmeal.training.evaluation.forward_in_time.forward_in_time`.

    Returns
    -------
    str
        Markdown; empty if there are no goals for the sensors.
    """
    sensors = [name for name in forward if name in _TARGETS]
    if not sensors:
        return ""

    def errors(sensor: str, name: str) -> str:
        one = forward[sensor]["models"][name]
        return f"{one['absolute_rmse_mg_dl']:.1f} and {one['rise_rmse_mg_dl']:.1f}"

    blocks = [
        """### Goals of the first personal models

The floor is the personal model of an earlier study with the same people. The goals were set above
it, with 88 to 92% of the readings inside a band of at most 75 mg/dL. The bands contain more
readings than intended and are wider than necessary: they are calibrated on people of the training
sets and were not adjusted to these people."""
    ]
    if "Libre Pro" in forward:
        blocks.append(f"""The tables of meals differ slightly. With the Libre, the absolute and rise
RMSE of the study's population model were 32.9 and 27.6, and those of its person mean 26.3 and 26.8.
Here they are {errors("Libre Pro", "population")}, and {errors("Libre Pro", "person mean")}.""")
    return "\n\n".join([*blocks, *(_target(name, forward[name]) for name in sensors)])


def _target(sensor: str, one: dict[str, Any]) -> str:
    served, targets = one["models"]["served"], _TARGETS[sensor]
    floor, goal = targets["floor"], targets["goal"]
    rows = []
    for key, title, digits in SHORT_COLUMNS:
        value = served[key]
        line = [title, f"{value:.{digits}f}"]
        for part in (floor, goal):
            if key in part:
                is_reached = value <= part[key] if key in _LESS_IS_BETTER else value >= part[key]
                line += [f"{part[key]:.{digits}f}", "yes" if is_reached else "no"]
            elif key == "coverage" and part is goal:
                line += ["0.88 to 0.92", "yes" if 0.88 <= value <= 0.92 else "no"]
            else:
                line += ["–", "–"]
        rows.append(line)
    head = (sensor, "served", "floor", "reached", "goal", "reached")
    return table(head, rows)
