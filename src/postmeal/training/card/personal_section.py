"""Section of the model card about personal models."""

from __future__ import annotations

from typing import Any

from postmeal.glucose.history.training_days import MIN_HOURS
from postmeal.training.card.personal_age import AGE_COLUMNS
from postmeal.training.card.tables import SHORT_COLUMNS, metrics_table, table, values
from postmeal.training.datasets import SHORT_NAMES

_ROWS = {"population": "population", "served": "personal, as served", "person mean": "person mean"}


def personal_section(metrics: dict[str, Any]) -> str:
    """Write the section that compares the accuracy without and with a personal model."""
    unseen = SHORT_NAMES.get(metrics["unseen"], metrics["unseen"])
    blocks = [
        f"""## Without and with a personal model

A personal model can be fitted to five valid days of a person's data. A day is valid if it has CGM
readings in at least {MIN_HOURS} hours and food at two or more times. The tables are for people of
{unseen}, who were not used for training. Their models are fitted to their first five valid days,
and the figures are for meals on later days. RMSE and width are in mg/dL. The person mean is the
mean curve of the meals to which the personal model was fitted."""
    ]
    for sensor, one in metrics["forward"].items():
        rows = {title: one["models"][name] for name, title in _ROWS.items()}
        blocks.append(f"### {sensor}\n\n{metrics_table(rows, SHORT_COLUMNS)}")
        blocks.append(_shares_better(one))
    blocks += [
        _by_age(metrics),
        "[Personal models forward in time](personal.md) describes personal models and lists all "
        "metrics.",
        '![Error by days of history, and mean curves of six people](personal.png "protocol 3")',
    ]
    return "\n\n".join(blocks)


def _shares_better(one: dict[str, Any]) -> str:
    better, served = one["better"]["served"]["population"], one["models"]["served"]
    return (
        "The prediction as served is not worse than the population model's for "
        f"{better['absolute']:.0%} of people by absolute RMSE, and for {better['rise']:.0%} of "
        f"people by rise RMSE. For {one['n_held_back']} of {served['n_people']} people, the "
        "population model is served, because their personal model was not better on held-out "
        "training days."
    )


def _by_age(metrics: dict[str, Any]) -> str:
    rows = [
        (SHORT_NAMES[name], age, title, models[key]["n_meals"], *values(models[key], AGE_COLUMNS))
        for name, one in metrics["forward_left_out"].items()
        for age, models in one["by_age"].items()
        for key, title in (("population", "population"), ("served", "personal, as served"))
    ]
    titles = (title for _, title, _ in AGE_COLUMNS)
    return f"""### Age of the personal model

A personal model gets older with each day after its last training day. The figures are for people of
the training sets who were left out of the population model and the prior.

{table(("data set", "meals on", "model", "meals", *titles), rows)}"""
