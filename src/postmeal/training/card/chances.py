"""Section of the model card about the chances of high peaks and large rises."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from postmeal.glucose.population.chances import CHANCES, chance_title
from postmeal.plotting import COLORS
from postmeal.training.card.names import LABELS
from postmeal.training.card.plots import STYLE, save
from postmeal.training.card.tables import table


def chances_section(metrics: dict[str, Any]) -> str:
    """Write the section about chances from ``metrics["chances"]``."""
    found = metrics["chances"]
    scores = table(
        (
            "state",
            "people",
            "meals",
            *(f"{chance_title(name)}: share, Brier, base" for name in CHANCES),
        ),
        (
            (LABELS[state], one["n_people"], one["n_meals"], *(_score(one, n) for n in CHANCES))
            for state, one in found["by_state"].items()
        ),
    )
    groups = table(
        ("chance", *(f"group {number}" for number in range(1, 6))),
        (
            (chance_title(name), *(f"{g['predicted']:.2f} → {g['observed']:.2f}" for g in groups))
            for name, groups in found["reliability"].items()
        ),
    )
    return f"""## Chances of high peaks and large rises

Meals of people of the training sets. Each is predicted by a curve and by scales that were fitted to
other people. The Brier score is the mean squared difference between the chance and the outcome (0
or 1). The base is the score if the share of meals in this state is predicted for every meal. If
the score is above the base, the chances are not better than this share.

{scores}

Mean predicted chance → observed share, in five groups of meals by predicted chance, without type 1
diabetes:

{groups}

![Predicted chances and observed shares]({"reliability.png"} "people of the training sets")

In type 1 diabetes, the chances are not better than the share of meals, because the response depends
on insulin. The label is therefore marked as not informative
(`Prediction.impact_is_informative`)."""


def write_reliability_plot(path: Path, metrics: dict[str, Any]) -> None:
    """Plot the observed share of meals against the predicted chance, for five groups of meals."""
    found = metrics["chances"]
    series = (
        ("reliability", "without type 1 diabetes", COLORS["blue"]),
        ("reliability_type_1", LABELS["type_1"], COLORS["purple"]),
    )
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10.4, 3.0), layout="constrained")
        axes = figure.subplots(1, len(CHANCES), sharey=True).tolist()
        for axis, name in zip(axes, CHANCES, strict=True):
            axis.plot([0, 1], [0, 1], color=COLORS["gray"], lw=0.8, ls="--")
            for key, label, color in series:
                groups = found.get(key, {}).get(name, [])
                predicted = [group["predicted"] for group in groups]
                observed = [group["observed"] for group in groups]
                axis.plot(predicted, observed, "o-", ms=4, lw=1, color=color, label=label)
            axis.set(title=chance_title(name), xlabel="predicted chance", xlim=(0, 1), ylim=(0, 1))
        axes[0].set_ylabel("share of meals")
        axes[0].legend(frameon=False, fontsize=8)
        save(figure, path)


def _score(one: dict[str, float], name: str) -> str:
    keys = ("rate", "brier", "base_brier")
    return ", ".join(f"{one[f'{name}_{key}']:.3f}" for key in keys)
