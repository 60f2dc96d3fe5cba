"""The page with all metrics of the population model."""

from __future__ import annotations

from typing import Any

from postmeal.training.card.chances import chances_section
from postmeal.training.card.protocols import left_out_section, unseen_section


def evaluation_page(metrics: dict[str, Any]) -> str:
    """Write the page about left-out data sets, unseen people, and chances of peaks and rises."""
    parts = [
        """# Evaluation of the population model

The [model card](card.md) summarizes these figures. Errors and widths are in mg/dL.""",
        left_out_section(metrics),
        *([unseen_section(metrics)] if "frozen" in metrics else []),
        chances_section(metrics),
    ]
    return "\n\n".join(parts)
