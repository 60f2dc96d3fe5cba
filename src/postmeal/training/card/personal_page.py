"""The page about protocol 3, in which personal models are evaluated on later days."""

from __future__ import annotations

from typing import Any

from postmeal.training.card.comparisons import comparison_table
from postmeal.training.card.names import MODELS
from postmeal.training.card.personal_age import age_table
from postmeal.training.card.personal_description import DESCRIPTION
from postmeal.training.card.tables import (
    BAND_COLUMNS,
    CURVE_COLUMNS,
    SHORT_COLUMNS,
    metrics_table,
    table,
    values,
)
from postmeal.training.datasets import SHORT_NAMES

_TITLES = [title for _, title, _ in SHORT_COLUMNS]


def personal_page(metrics: dict[str, Any]) -> str:
    """Write the page of results for unseen people, if any, and for people in the training sets."""
    parts = ["# Personal models forward in time", DESCRIPTION]
    if "forward" in metrics:
        parts.append(_unseen(metrics))
    return "\n\n".join([*parts, _training_people(metrics)])


def _unseen(metrics: dict[str, Any]) -> str:
    unseen, forward = SHORT_NAMES.get(metrics["unseen"], metrics["unseen"]), metrics["forward"]
    blocks = [
        f"""## Protocol 3: forward in time on {unseen}

Meals after the first five valid days of each person. "Personal" is the personal model as fitted,
and "served" is the prediction with the gate. LightGBM and the linear model have the inputs of the
population model. They and the mean curves of other people know nothing of the person, unlike
[LightGBM in the card](card.md#what-is-known-about-a-person). A personal model uses the
time since the previous meal; "personal without meal log" is the same model if that time is unknown.
The labels of the population and the personal
model are computed with their impact scales, those of the others from their curves.

Comparisons show the advantage at the less favorable end of the interval over people first."""
    ]
    for sensor, one in forward.items():
        models = {MODELS.get(name, name): part for name, part in one["models"].items()}
        banded = {name: part for name, part in models.items() if "coverage" in part}
        blocks += [
            f"### {sensor}",
            metrics_table(models, CURVE_COLUMNS),
            metrics_table(banded, BAND_COLUMNS),
            _comparisons(one),
        ]
    blocks += [_by_days(forward), _with_reading(forward)]
    return "\n\n".join(blocks)


def _training_people(metrics: dict[str, Any]) -> str:
    blocks = [
        """## Protocol 3 with people of the training sets

The same with people of the training sets, in six folds: neither the population model nor the prior
was fitted to the person. What readings tell without meals, if the model uses it, was learned from
all of these people. All choices were made by these figures. Bands and scores are calibrated on
these people, so only curves are compared. In type 1 diabetes (T1D-UOM), a personal model learns
hardly more than the level, because insulin is not an input, and the person's mean curve is as
good."""
    ]
    for name, one in metrics["forward_left_out"].items():
        blocks += [
            f"### {SHORT_NAMES[name]}",
            metrics_table(one["models"], CURVE_COLUMNS),
            _comparisons(one),
            age_table(one),
        ]
    return "\n\n".join(blocks)


def _comparisons(one: dict[str, Any]) -> str:
    differences, shares = {}, []
    for name, less in one["paired"]["served"].items():
        for kind in ("absolute", "rise"):
            differences[f"{kind} RMSE, {name}"] = (
                less[f"{kind}_rmse_difference_mg_dl"],
                less[f"{kind}_low"],
                less[f"{kind}_high"],
            )
            better = one["better"]["served"][name][kind]
            shares.append(f"{better:.0%} ({kind} RMSE, {name})")
    return f"""{comparison_table(differences, "served, compared with")}

Share of people whose error is not larger: {", ".join(shares)}. The gate holds back the models of
{one["n_held_back"]} people."""


def _by_days(forward: dict[str, Any]) -> str:
    rows = [
        (sensor, n_days, *values(part, SHORT_COLUMNS))
        for sensor, one in forward.items()
        for n_days, part in one["by_days"].items()
    ]
    repeated = [
        (sensor, name, *values(part, SHORT_COLUMNS))
        for sensor, one in forward.items()
        for name, part in (
            ("once", one["models"]["personal"]),
            ("every day", one["refitted"]),
        )
    ]
    return f"""### Days of history

Personal models as fitted to more and more days, for the same meals: those after seven valid days.
Models of fewer than five days are preliminary, and their bands are wider.

{table(("sensor", "days", *_TITLES), rows)}

Trained once on five days, or before every later day on all valid days before it:

{table(("sensor", "trained", *_TITLES), repeated)}"""


def _with_reading(forward: dict[str, Any]) -> str:
    rows = [
        (sensor, {"served": "personal, as served"}.get(name, name), *values(part, SHORT_COLUMNS))
        for sensor, one in forward.items()
        for name, part in one["from_reading"].items()
    ]
    return f"""### With a reading at the start of the meal

The curve starts at the last reading of the 15 minutes before the meal. Minute 0 counts in the
errors, although the prediction there is almost the observed reading.

{table(("sensor", "model", *_TITLES), rows)}"""
