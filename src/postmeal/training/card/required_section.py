"""Section of the model card that compares the required figures with the measured figures."""

from __future__ import annotations

from typing import Any

from postmeal.training.card.missed_figures import MISSED
from postmeal.training.card.required_figure import result_of
from postmeal.training.card.required_figures import REQUIRED
from postmeal.training.card.tables import table

__all__ = ["required_section"]


def required_section(metrics: dict[str, Any]) -> str:
    """Write the table of required figures, and explain those that were missed.

    Parameters
    ----------
    metrics : dict
        Content of ``metrics.json``.

    Returns
    -------
    str
        Markdown.
    """
    rows, missed = [], []
    for figure in REQUIRED:
        if (result := result_of(figure, metrics)) is None:
            continue
        value, is_reached = result
        verdict = "reached" if is_reached else "**MISSED**"
        rows.append((figure.title, figure.required_text(), figure.measured_text(value), verdict))
        if not is_reached and figure.topic not in missed:
            missed.append(figure.topic)
    n_reached = sum(row[-1] == "reached" for row in rows)
    parts = [
        f"""## What was required, what was reached

{n_reached} of {len(rows)} required figures are reached. They were set before this version was
fitted. Errors and widths are in mg/dL, and other figures without a unit are shares, ratios and
correlations. "Area ratio" is the predicted divided by the observed or published incremental area. A
figure is computed exactly; it is shown with as many decimals as the comparison needs.""",
        table(("figure", "required", "measured", "result"), rows),
    ]
    if missed:
        parts.append("For the figures that were missed, this was tried:")
        parts.append("\n".join(f"- {MISSED[topic]}" for topic in missed))
    parts.append(_SPEED)
    return "\n\n".join(parts)


_SPEED = """The time of a prediction and of a personal fit is measured by `make bench`, because it
depends on the machine."""
