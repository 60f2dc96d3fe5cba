"""Section of the model card about the training data."""

from __future__ import annotations

from typing import Any

from postmeal.training.card.tables import table


def training_sets_section(weights: dict[str, Any]) -> str:
    """Write the section about the training data."""
    rows = (
        (
            one["title"],
            one["licence"],
            one["people"],
            one["meals"],
            f"{one['citation']} doi:{one['doi']}",
        )
        for one in weights["trained_on"]
    )
    lines = table(("data set", "license", "people", "meals", "citation"), rows)
    return f"""## What it was trained on

All licenses permit any use of the weights.

{lines}

Type 1 diabetes has its own gain, drift, level and band, which are learned from T1D-UOM only.
Nothing else is learned from that set. A glucose drink has a weight of 0.3 in the fit and none in
bands, scores and ranges. A few published mean responses to standard loads are part of the fit, too.

In Hall 2018, the states are those of the clinical table, where it has them: a third of the people
had prediabetes or diabetes without knowing it. Levels and bands are fitted to the conditions that
people would report, so these people count as people without a condition there.

A sensor reads `offset + gain × blood glucose`. The constants of the Libre family are from readings
paired with finger sticks (ShanghaiT2DM), and those of the Dexcom family from readings paired with
fasting venous samples (glucose tolerance tests)."""
