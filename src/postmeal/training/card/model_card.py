"""Write the model card, in which every figure comes from the metrics or the weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from postmeal.training.card.around_the_curve import around_the_curve_section
from postmeal.training.card.coefficients import coefficients_section
from postmeal.training.card.evaluation_page import evaluation_page
from postmeal.training.card.findings import findings_section
from postmeal.training.card.formula import formula_section
from postmeal.training.card.limits import limits_section
from postmeal.training.card.one_sided_misses import misses_section
from postmeal.training.card.person import person_section
from postmeal.training.card.personal_page import personal_page
from postmeal.training.card.personal_section import personal_section
from postmeal.training.card.rise_bias import rise_bias_section
from postmeal.training.card.rungs import rungs_section
from postmeal.training.card.standard_loads import standard_loads_section
from postmeal.training.card.training_sets import training_sets_section
from postmeal.training.card.wrapping import wrapped


def write_card(folder: Path, metrics: dict[str, Any]) -> None:
    """Write ``card.md``, ``evaluation.md`` and ``personal.md`` from the weights and the metrics."""
    weights = json.loads((folder / "weights.json").read_text(encoding="utf-8"))
    has_unseen = "frozen" in metrics
    parts = [
        _introduction(weights),
        findings_section(metrics),
        *([rungs_section(metrics)] if "rungs" in metrics else []),
        *([around_the_curve_section(metrics)] if "around_the_curve_left_out" in metrics else []),
        *([personal_section(metrics)] if has_unseen else []),
        training_sets_section(weights),
        formula_section(weights),
        *([person_section(weights)] if "person" in weights else []),
        coefficients_section(metrics),
        standard_loads_section(metrics),
        rise_bias_section(metrics),
        *([misses_section(metrics)] if has_unseen else []),
        _pictures(metrics),
        limits_section(metrics),
        _MORE,
    ]
    pages = {
        "card": "\n\n".join(parts),
        "evaluation": evaluation_page(metrics),
        "personal": personal_page(metrics),
    }
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(wrapped(text) + "\n", encoding="utf-8")


def _introduction(weights: dict[str, Any]) -> str:
    return f"""# Model card: {weights["name"]} {weights["version"]}

Predicts glucose for two hours after a meal from the person's health conditions, the nutrients of
the meal and the local time. A prediction contains a curve in mg/dL, a 90% band, an impact score
(low, medium or high), chances of high peaks and large rises, and {_range_of(weights)}
(`cgp_min`, `cgp_max`). By default, the curve is a mean of people with the
same condition. {_KNOWING if "person" in weights else _PERSONAL}

The model does not give medical advice, and it is not validated for insulin dosing. This page is
written by `postmeal card`, and its figures are those of `metrics.json`."""


def _range_of(weights: dict[str, Any]) -> str:
    if "blood_ranges" in weights:
        return "the range of 19 of 20 readings after meals of such a person"
    return "the range in which the person's glucose usually stays"


_KNOWING = """It uses whatever else is known about the person: HbA1c, fasting glucose, CGM readings
of the last days, a reading at the start of the meal, and meals with readings."""

_PERSONAL = """With five days of a person's CGM readings and meals, a personal model can be
fitted."""


def _pictures(metrics: dict[str, Any]) -> str:
    source = metrics.get("unseen", "training data")
    return f"""## Pictures

![Mean curves, observed and predicted]({"curves.png"} "{source}")
![Incremental areas, observed and predicted]({"areas.png"} "{source}")
![Rise RMSE of the model and the baselines]({"errors.png"})
![Coverage by minute]({"coverage.png"} "{source}")"""


_MORE = """## More

- [Evaluation](evaluation.md): data sets left out, unseen people, comparisons with other models,
  and chances.
- [Formulas](../population/formulas.md): every step from a meal to a prediction.
- [Personal models forward in time](personal.md): all metrics of protocol 3, and the [days of
  history](personal.md#days-of-history).
- [Model choices](../population/choices.md): what was tried, and when the test results were looked
  at."""
