"""The model card: written by the report, every figure from its metrics."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from postmeal.glucose.states import CONDITION_TO_STATE, STATES

__all__ = ["write_card"]

_CURVE_COLUMNS = (
    ("n_meals", "meals", 0),
    ("n_people", "people", 0),
    ("rise_rmse_mg_dl", "rise RMSE", 1),
    ("within_person_iauc_r", "within-person iAUC r", 3),
    ("absolute_rmse_mg_dl", "absolute RMSE", 1),
    ("iauc_r", "iAUC r", 3),
    ("rise_r", "rise r", 3),
    ("rise_mae_mg_dl", "rise MAE", 1),
    ("peak_time_mae_min", "peak time MAE, min", 1),
    ("macro_f1", "macro-F1", 3),
)
_BAND_COLUMNS = (
    ("coverage", "coverage of the 90 % band", 3),
    ("width_mg_dl", "width, mg/dL", 1),
    ("people_under_80_percent", "people under 80 %", 3),
    ("range_coverage", "curves inside cgp_min…cgp_max", 3),
    ("range_width_mg_dl", "its width", 1),
    ("constant_range_width_mg_dl", "width of one constant range that holds as many", 1),
)


def write_card(folder: Path, metrics: dict[str, Any]) -> None:
    """Write ``card.md`` into a model's folder from its weights and metrics.

    Parameters
    ----------
    folder : path
        Folder of the model.
    metrics : dict
        Content of ``metrics.json``.
    """
    weights = json.loads((folder / "weights.json").read_text(encoding="utf-8"))
    choices = folder / "choices.md"
    parts = [
        _introduction(weights),
        _training(weights),
        _formula(weights),
        _left_out(metrics),
        *([_frozen(metrics), _forward(metrics)] if "frozen" in metrics else []),
        _pictures(metrics),
        _limits(),
        choices.read_text(encoding="utf-8").strip() if choices.is_file() else "",
    ]
    (folder / "card.md").write_text("\n\n".join(filter(None, parts)) + "\n", encoding="utf-8")


def _introduction(weights: dict[str, Any]) -> str:
    return f"""# Model card: {weights["name"]} {weights["version"]}

Predicts the two hours of glucose after a meal from who eats (profile), what is eaten (nutrients of
foods and servings) and when (local time), without a sensor. It answers with a curve in mg/dL, a
90 % band, an impact score (low, medium, high) and the range that the person's glucose keeps to
(`cgp_min`, `cgp_max`). It is a mean of people like the person, not advice on treatment, and not
validated for dosing. This page is written by the evaluation run (`postmeal card`); the figures are
those of `metrics.json`."""


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
    table = _table(("data set", "licence", "people", "meals", "citation"), rows)
    return f"""## What it was trained on

Only sets whose licence lets anyone use the weights.

{table}

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
        ("minutes to the peak of the shape", model["peak_min"]),
        ("drift over two hours, mg/dL", model["drift_mg_dl"]),
        ("blood glucose at the first bite, mg/dL", [weights["level_mg_dl"][s] for s in STATES]),
    ]
    table = _table(
        ("coefficient", *STATES),
        ((name, *(f"{v:.3g}" for v in values)) for name, values in by_state),
    )
    sensors = ", ".join(
        f"{name} {one['offset_mg_dl']:.1f} + {one['gain']:.3f} × blood"
        for name, one in weights["sensors"].items()
    )
    conditions = _table(
        ("health condition", "trained state", "band"),
        (
            (name, one.state, "as trained" if one.is_trained else "a quarter wider")
            for name, one in CONDITION_TO_STATE.items()
        ),
    )
    return f"""## The formula

`rise(t) = G · K · (1 − exp(−c / K)) · (z · exp(1 − z)) ^ s + d · t / 120`, with
`z = t / peak_min` and `c = (carbohydrate − fibre / 2) / (1 + b)`. The blunting b is
{model["protein_per_g"]:.4f} a gram of protein, {model["fat_per_g"]:.4f} a gram of fat and
{model["fiber_per_g"]:.4f} a gram of fibre; K = {model["saturation_g"]:.0f} g;
s = {model["sharpness"]:.2f} up to the peak and, after it, smaller by a factor of e for every
{1 / model["slowing_per_kcal"]:.0f} kcal of protein and fat. Neither more carbohydrate nor a bigger
portion ever lowers any point of the curve.

{table}

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
        head = ("", *(title for _, title, _ in _BAND_COLUMNS))
        blocks.append(_table(head, ((k, *_values(part, _BAND_COLUMNS)) for k, part in own.items())))
    return "\n\n".join([text, *blocks])


def _forward(metrics: dict[str, Any]) -> str:
    text = f"""## Protocol 3: forward in time on {metrics["unseen"]}

Meals after each person's first five valid days (12 hours of readings, two meals). The person mean
knows those days; the others know nothing of the person."""
    return "\n\n".join([text, *(_compared(name, one) for name, one in metrics["forward"].items())])


def _compared(name: str, one: dict[str, Any]) -> str:
    return f"### {name}\n\n{_models(one['models'])}\n\n{_paired(one['paired'])}"


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
- Much of the absolute error is the person's own level, which no meal tells. Sensors differ by 20
  and more mg/dL; name the sensor to have its readings predicted.
- The training data hold few people with prediabetes, and people with type 2 diabetes from one
  country. Pregnancy, children and people on glucose-lowering drugs other than those of the type 2
  set are not covered.
- The glycemic index of the foods changes nothing: on the training data no effect beyond
  carbohydrate and fibre could be found.
- Errors of food logs are part of the error figures; meals followed by another within two hours
  are not part of the evaluation."""


def _models(models: dict[str, dict[str, float]]) -> str:
    return _table(
        ("", *(title for _, title, _ in _CURVE_COLUMNS)),
        ((name, *_values(one, _CURVE_COLUMNS)) for name, one in models.items()),
    )


def _paired(paired: dict[str, dict[str, float]]) -> str:
    lines = ["Rise RMSE of a person, population model (mean, 95 % interval over people):", ""]
    for name, one in paired.items():
        mean, low, high = one["rise_rmse_difference_mg_dl"], one["low"], one["high"]
        lines.append(f"- less {name}: {mean:+.2f} ({low:+.2f} to {high:+.2f})")
    return "\n".join(lines)


def _values(one: dict[str, float], columns: Sequence[tuple[str, str, int]]) -> list[str]:
    return [f"{one[key]:.{digits}f}" for key, _, digits in columns]


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
