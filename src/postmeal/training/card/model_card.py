"""The model card: written by the report, every figure from its metrics."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from postmeal.glucose.population.states import CONDITION_TO_STATE, STATES
from postmeal.training.card.chances import chances_section
from postmeal.training.card.personal_page import personal_page, side_by_side
from postmeal.training.card.tables import BAND_COLUMNS, CURVE_COLUMNS, metrics_table, table

__all__ = ["write_card"]


def write_card(folder: Path, metrics: dict[str, Any]) -> None:
    """Write ``card.md``, and ``personal.md`` beside it, from a model's weights and metrics.

    Parameters
    ----------
    folder : path
        Folder of the model.
    metrics : dict
        Content of ``metrics.json``.
    """
    weights = json.loads((folder / "weights.json").read_text(encoding="utf-8"))
    parts = [
        _introduction(weights),
        *([side_by_side(metrics)] if "forward" in metrics else []),
        _training(weights),
        _formula(weights),
        _left_out(metrics),
        *([_frozen(metrics)] if "frozen" in metrics else []),
        *([chances_section(metrics).rstrip()] if "chances" in metrics else []),
        _pictures(metrics),
        _limits(),
        _more(),
    ]
    (folder / "card.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    (folder / "personal.md").write_text(personal_page(metrics) + "\n", encoding="utf-8")


def _introduction(weights: dict[str, Any]) -> str:
    return f"""# Model card: {weights["name"]} {weights["version"]}

Predicts the two hours of glucose after a meal from who eats (profile), what is eaten (nutrients of
foods and servings) and when (local time); five days of a person's CGM and meals make it their own.
It answers with a curve in mg/dL, a 90 % band, an impact score (low, medium, high) and the range
that the person's glucose keeps to (`cgp_min`, `cgp_max`). Without days of the person's own it is a
mean of people like them. It is not advice on treatment, and not validated for dosing. This page is
written by the evaluation run (`postmeal card`); the figures are those of `metrics.json`."""


def _training(weights: dict[str, Any]) -> str:
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
    lines = table(("data set", "licence", "people", "meals", "citation"), rows)
    return f"""## What it was trained on

Only sets whose licence lets anyone use the weights.

{lines}

Type 1 diabetes has its own gain, drift, level and band, from the last set alone; nothing else
learns from it. The glucose drinks count 0.3 in the fit and nothing in bands, scores and ranges.
A sensor reads `offset + gain × blood glucose`: the Libre family from finger sticks paired with
readings (ShanghaiT2DM), the Dexcom family from fasting venous samples (the tolerance tests)."""


def _formula(weights: dict[str, Any]) -> str:
    model = weights["population"]
    by_state = [
        ("gain at small amounts, log mg/dL a gram", model["log_gain"]),
        ("change of log gain in the morning", model["morning"]),
        ("change of log gain in the evening", model["evening"]),
        ("grams K at which carbohydrate saturates", model["saturation_g"]),
        ("minutes to the peak of the shape", model["peak_min"]),
        ("drift over two hours, mg/dL", model["drift_mg_dl"]),
        ("blood glucose at the first bite, mg/dL", [weights["level_mg_dl"][s] for s in STATES]),
    ]
    lines = table(
        ("coefficient", *STATES),
        ((name, *(f"{v:.3g}" for v in values)) for name, values in by_state),
    )
    sensors = ", ".join(
        f"{name} {one['offset_mg_dl']:.1f} + {one['gain']:.3f} × blood"
        for name, one in weights["sensors"].items()
    )
    conditions = table(
        ("health condition", "trained state", "band"),
        (
            (name, one.state, "as trained" if one.is_trained else "a quarter wider")
            for name, one in CONDITION_TO_STATE.items()
        ),
    )
    kinds = weights["carb_weights"]
    return f"""## The formula

`rise(t) = G · K · (1 − exp(−c / K)) · (z · exp(1 − z)) ^ s + d · t / 120 + recent · r(t)`, with
`z = t / peak_min` and `c = (carbohydrate − fiber / 2) / (1 + b)`. The blunting b is
{model["protein_per_g"]:.4f} per gram of protein, {model["fat_per_g"]:.4f} per gram of fat and
{model["fiber_per_g"]:.4f} per gram of fiber; s = {model["sharpness"]:.2f} up to the peak. After the
peak, s is smaller by a factor of e for every {1 / model["slowing_per_kcal"]:.0f} kcal of protein
and fat, and for every {1 / model["slowing_per_g"]:.0f} g of c. A gram of pure glucose counts as
{kinds["glucose"]:.2f} g of carbohydrate, and a gram of carbohydrate in foods with mostly other
sugars as {kinds["sugary"]:.2f} g. Right after a previous meal, r(t) reaches
{model["recent_middle_mg_dl"] + model["recent_end_mg_dl"] / 2:.0f} mg/dL after an hour and
{model["recent_end_mg_dl"]:.0f} mg/dL after two; it fades by a factor of e in 1.5 hours. Neither
more carbohydrate nor a bigger portion lowers any point of the curve.

{lines}

Sensors: {sensors}.

{conditions}

Of several conditions the gravest state counts. Age, sex, height, weight and activity level do not
change the curve: the data hold too few people to learn their effects, and coefficients learned
from so few made predictions for other groups worse."""


def _left_out(metrics: dict[str, Any]) -> str:
    text = """## Protocol 1: leave one data set out

Fitted on the other training sets, predicted on this one. Form, priors and their strength were
chosen here. Labels are read off the curve, for all alike. "Its own people" is the same formula
fitted on the left-out set alone, ten groups of its people in turn: about what its inputs have to
give. Sensor constants are those of all sets, for all models alike. The means are means of meals,
without the glucose drinks; of a state that only the left-out set holds, the condition mean is that
of everybody. The people of Hall 2018 are all taken as
normal, since the published file holds no HbA1c; some are not, which no prediction from it can
tell."""
    groups = metrics["leave_one_data_set_out"]
    return "\n\n".join([text, *(_compared(name, one) for name, one in groups.items())])


def _frozen(metrics: dict[str, Any]) -> str:
    text = f"""## Protocol 2: frozen on {metrics["unseen"]}

The released weights on people, meals and sensors that took no part in training. Challenger and
baselines were trained on the same data as the model. The model's labels come from its impact
scale, the others' from their curves."""
    blocks = []
    for sensor, one in metrics["frozen"].items():
        conditions = {f"population, {name}": part for name, part in one["conditions"].items()}
        own = {"population": one["models"]["population"], **conditions}
        blocks.append(_compared(sensor, {**one, "models": {**one["models"], **conditions}}))
        blocks.append(metrics_table(own, BAND_COLUMNS))
    return "\n\n".join([text, *blocks])


def _compared(name: str, one: dict[str, Any]) -> str:
    return (
        f"### {name}\n\n{metrics_table(one['models'], CURVE_COLUMNS)}\n\n{_paired(one['paired'])}"
    )


def _pictures(metrics: dict[str, Any]) -> str:
    source = metrics.get("unseen", "training data")
    return f"""## Pictures

![Mean curves, observed and predicted]({"curves.png"} "{source}")
![Incremental areas, observed and predicted]({"areas.png"} "{source}")
![Rise RMSE beside the baselines]({"errors.png"})
![Coverage by minute]({"coverage.png"} "{source}")"""


def _limits() -> str:
    return """## Limits

- Type 1 diabetes (and LADA): glucose after a meal depends on insulin, which is no input. The curve
  is a rough mean, the band is wide, and the correlation with what happens is close to none.
- Much of the absolute error is the person's own level, which no meal tells; without days of
  their own it stays unknown. Sensors differ by 20 and more mg/dL; name the sensor to have its
  readings predicted. A personal model predicts the sensor that it was trained on.
- The training data hold few people with prediabetes, and people with type 2 diabetes from one
  country. Pregnancy, children and people on glucose-lowering drugs other than those of the type 2
  set are not covered.
- The glycemic index of the foods changes nothing: on the training data no effect beyond
  carbohydrate and fibre could be found.
- Errors of food logs are part of the error figures; meals followed by another within two hours
  are not part of the evaluation."""


def _more() -> str:
    return """## More

- [Formulas](formulas.md): every step from a meal to a prediction, exact enough to reimplement.
- [Personal models forward in time](personal.md): protocol 3 with all metrics, days of history, and
  what was not reached.
- [Model choices](choices.md): looks at the unseen people, what was tried."""


def _paired(paired: dict[str, dict[str, float]]) -> str:
    lines = ["Rise RMSE of a person, population model (mean, 95 % interval over people):", ""]
    for name, one in paired.items():
        mean, low, high = one["rise_rmse_difference_mg_dl"], one["low"], one["high"]
        lines.append(f"- less {name}: {mean:+.2f} ({low:+.2f} to {high:+.2f})")
    return "\n".join(lines)
