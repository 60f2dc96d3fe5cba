"""Section of the model card about standard loads."""

from __future__ import annotations

from typing import Any

from postmeal.training.card.names import LABELS
from postmeal.training.card.tables import table
from postmeal.training.evaluation.rise_bias import BIAS_MIN


def standard_loads_section(metrics: dict[str, Any]) -> str:
    """Write the section about standard loads from ``metrics["standard_loads"]``."""
    found = metrics["standard_loads"]
    minutes = " / ".join(str(minute) for minute in BIAS_MIN)
    drinks = table(
        (
            "state",
            "people",
            "tests",
            f"observed rise at {minutes} min",
            "predicted rise",
            "observed iAUC",
            "predicted / observed",
            "inside the band",
            "above it",
        ),
        (_drink_row(state, one) for state, one in found["glucose_drinks"].items()),
    )
    published = table(
        ("response", "published", "predicted / published", "fitted without published responses"),
        (
            (
                name,
                f"{one['published']:g}",
                f"{one['ratio']:.2f}",
                f"{one['ratio_without']:.2f}",
            )
            for name, one in found["published"].items()
        ),
    )
    return f"""## Standard loads

75 g of glucose in water, predicted by a model and a band that were fitted without these tests. Only
the constants of the sensors are those of all sets. Rises are means in mg/dL, and areas are means
over two hours in mg/dL × min.

{drinks}

Published mean responses. The first three are areas of Libre readings of 992 adults without diabetes
(Food & You), for loads that are assumed to contain 50 g of carbohydrate. The others are ratios of
plasma glucose. They are part of the fit, so the third column does not show how well the model
predicts other loads; the last column is from a fit without them.

{published}"""


def _drink_row(state: str, one: dict[str, Any]) -> tuple[object, ...]:
    observed, bias = one["observed_mg_dl"], one["bias_mg_dl"]
    return (
        LABELS[state],
        one["n_people"],
        one["n_meals"],
        " / ".join(f"{value:.0f}" for value in observed.values()),
        " / ".join(f"{observed[minute] + bias[minute]:.0f}" for minute in observed),
        one["observed_iauc_mg_dl_min"],
        f"{one['iauc_ratio']:.2f}",
        f"{one['coverage']:.3f}",
        f"{one['share_above']:.3f}",
    )
