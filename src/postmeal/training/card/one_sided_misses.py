"""Section of the model card about readings above and below the 90% band."""

from __future__ import annotations

from typing import Any

from postmeal.training.card.tables import table
from postmeal.training.evaluation.one_sided_misses import BREAKFAST_UNTIL_H


def misses_section(metrics: dict[str, Any]) -> str:
    """Write the section about readings above and below the band."""
    rows = [
        (sensor, meals, part["n_meals"], f"{part['share_above']:.3f}", f"{part['share_below']:.3f}")
        for sensor, one in metrics["frozen"].items()
        for meals, part in _parts(one["misses"], metrics["with_reading"][sensor])
    ]
    people = [
        f"{one['models']['population']['people_under_80_percent']:.0%} with the {sensor}"
        for sensor, one in metrics["frozen"].items()
    ]
    return f"""## Misses above and below the band

A 90% band should miss 5% of the readings on each side. Breakfast is every meal before
{BREAKFAST_UNTIL_H:.0f}:00. A band that holds 90% of all readings can still be too narrow for a
person: less than 80% of their own readings are inside the band for {" and ".join(people)}.

{table(("sensor", "meals", "number", "above the band", "below the band"), rows)}"""


def _parts(
    misses: dict[str, Any], with_reading: dict[str, Any]
) -> list[tuple[str, dict[str, Any]]]:
    names = {"all": "all", "breakfast": "breakfast"}
    parts = [(title, misses[key]) for key, title in names.items() if key in misses]
    return [*parts, ("all, with a reading", with_reading)]
