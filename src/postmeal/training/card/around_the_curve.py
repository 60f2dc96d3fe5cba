"""Section of the model card about band, range and chances, by what is known about a person."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from postmeal.glucose.population.chances import CHANCES, chance_title
from postmeal.training.card.names import LABELS
from postmeal.training.card.rungs import KNOWN
from postmeal.training.card.tables import table
from postmeal.training.datasets import SHORT_NAMES

_SLOPE = (0.8, 1.2)
_COVERAGE = (0.88, 0.93)
_IN_RANGE = (0.91, 0.97)
_BY_STATE = ("condition", "cgm-72h,reading")


def around_the_curve_section(metrics: dict[str, Any]) -> str:
    """Write the section about everything around the curve."""
    left_out = {
        SHORT_NAMES[name]: rungs for name, rungs in metrics["around_the_curve_left_out"].items()
    }
    unseen = {
        sensor: {rung: one["around_the_curve"] for rung, one in rungs.items()}
        for sensor, rungs in metrics.get("rungs", {}).items()
    }
    tables = [("People of data sets that are left out of the fit of the curve:", left_out)]
    if unseen:
        name = SHORT_NAMES.get(metrics["unseen"], metrics["unseen"])
        tables.append((f"People of {name}, by sensor:", unseen))
    return "\n\n".join([_INTRODUCTION, *(_tables(*each) for each in tables)])


_INTRODUCTION = f"""## Band, range and chances

The band is meant to hold 9 of 10 readings, and the range from `cgp_min` to `cgp_max` 19 of 20
readings after meals. The aims are {_COVERAGE[0]} to {_COVERAGE[1]} in the band, at most 20% of
people with less than 80% in the band (12% with 24 hours of CGM or more), and {_IN_RANGE[0]} to
{_IN_RANGE[1]} in the range. For chances, "slope" is that of the outcomes on the chances, and the
aim is {_SLOPE[0]} to {_SLOPE[1]} for all states together. The Brier score of chances should not be
above the base, that of the share of these meals. **MISSED** marks each figure that misses its
aim. All people have the same weight for chances."""


def _tables(title: str, found: dict[str, Any]) -> str:
    head = (
        *("of", "known", "state", "people", "meals", "in the band", "people under 80%"),
        *("in the range", "mean range"),
    )
    chances_head = (
        *("of", "known", "state"),
        *(f"{chance_title(name)}: chance → share, slope, Brier (base)" for name in CHANCES),
    )
    rows = list(_rows(found))
    first = table(head, (_band_cells(*row) for row in rows))
    second = table(chances_head, (_chance_cells(*row) for row in rows))
    return f"{title}\n\n{first}\n\n{second}"


def _rows(found: dict[str, Any]) -> Iterator[tuple[str, str, str, dict[str, float]]]:
    for name, rungs in found.items():
        for rung, states in rungs.items():
            for state, one in states.items():
                if state == "all" or (len(states) > 2 and rung in _BY_STATE):
                    yield name, rung, state, one


def _band_cells(name: str, rung: str, state: str, one: dict[str, float]) -> list[object]:
    most = 0.12 if "cgm" in rung or "meals" in rung else 0.2
    under, inside = one["people_under_80_percent"], one["readings_in_range"]
    pooled = state == "all"
    return [
        *(name, KNOWN[rung], LABELS.get(state, state), f"{one['n_people']:.0f}"),
        f"{one['n_meals']:.0f}",
        _marked(one["coverage"], _is_within(one["coverage"], _COVERAGE) or not pooled),
        _marked(under, under <= most or not pooled),
        _marked(inside, _is_within(inside, _IN_RANGE) or not pooled),
        f"{one['cgp_min']:.0f}–{one['cgp_max']:.0f}",
    ]


def _chance_cells(name: str, rung: str, state: str, one: dict[str, float]) -> list[object]:
    cells: list[object] = [name, KNOWN[rung], LABELS.get(state, state)]
    for event in CHANCES:
        mean, rate, slope, brier, base = (
            one[f"{event}_{key}"] for key in ("mean", "rate", "slope", "brier", "base_brier")
        )
        right = (_is_within(slope, _SLOPE) or state != "all") and round(brier - base, 3) <= 0
        cells.append(
            _marked(0, right, f"{mean:.2f} → {rate:.2f}, {slope:.2f}, {brier:.3f} ({base:.3f})")
        )
    return cells


def _is_within(value: float, ends: tuple[float, float]) -> bool:
    return ends[0] <= round(value, 3) <= ends[1]


def _marked(value: float, is_reached: bool, text: str | None = None) -> str:
    written = f"{value:.3f}" if text is None else text
    return written if is_reached else f"{written} **MISSED**"
