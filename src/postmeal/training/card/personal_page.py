"""What the model card says of personal models, and the page with protocol 3 in full."""

from __future__ import annotations

from typing import Any

from postmeal.glucose.history.training_days import MIN_HOURS
from postmeal.training.card.tables import BAND_COLUMNS, CURVE_COLUMNS, metrics_table, table, values
from postmeal.training.evaluation.by_age import CHANGE_MG_DL

__all__ = ["personal_page", "side_by_side"]

_SHORT_COLUMNS = (
    ("absolute_rmse_mg_dl", "absolute RMSE", 1),
    ("rise_rmse_mg_dl", "rise RMSE", 1),
    ("iauc_r", "iAUC r", 3),
    ("within_person_iauc_r", "within-person iAUC r", 3),
    ("macro_f1", "macro-F1", 3),
    ("coverage", "inside the 90 % band", 3),
    ("width_mg_dl", "width of the band", 1),
)
_AGE_COLUMNS = (
    ("absolute_rmse_mg_dl", "absolute RMSE", 1),
    ("rise_rmse_mg_dl", "rise RMSE", 1),
    ("iauc_r", "iAUC r", 3),
)
_ROWS = {"population": "population", "served": "personal, as served", "person mean": "person mean"}

_TARGETS: dict[str, dict[str, dict[str, float]]] = {
    "Libre Pro": {
        "the study before": {
            "absolute_rmse_mg_dl": 21.3,
            "rise_rmse_mg_dl": 23.7,
            "iauc_r": 0.698,
            "within_person_iauc_r": 0.450,
            "macro_f1": 0.554,
        },
        "goal": {
            "absolute_rmse_mg_dl": 20.7,
            "rise_rmse_mg_dl": 23.0,
            "iauc_r": 0.73,
            "within_person_iauc_r": 0.53,
            "macro_f1": 0.60,
            "width_mg_dl": 75.0,
        },
    },
    "Dexcom G6 Pro": {
        "the study before": {
            "absolute_rmse_mg_dl": 25.1,
            "rise_rmse_mg_dl": 25.1,
            "iauc_r": 0.732,
            "within_person_iauc_r": 0.426,
            "macro_f1": 0.464,
        },
        "goal": {
            "absolute_rmse_mg_dl": 24.5,
            "rise_rmse_mg_dl": 24.5,
            "iauc_r": 0.75,
            "within_person_iauc_r": 0.50,
            "macro_f1": 0.53,
            "width_mg_dl": 75.0,
        },
    },
}
"""What the study that came before this model reached at CGMacros, and what was hoped for."""

_LESS_IS_BETTER = ("absolute_rmse_mg_dl", "rise_rmse_mg_dl", "width_mg_dl")


def side_by_side(metrics: dict[str, Any]) -> str:
    """Write population and personal model beside each other, on the same meals."""
    hours = f"{MIN_HOURS} hours"
    blocks = [
        f"""## Without and with a person's own model

Someone with five valid days of CGM and meals ({hours} of readings and two meals each) can have a
model of their own. Here are people of {metrics["unseen"]}, whom nothing was trained on: their first
five valid days fit their models, all numbers are of meals on later days. RMSE and width in mg/dL.
The person mean is the mean curve of the meals that the personal model has learned from."""
    ]
    for sensor, one in metrics["forward"].items():
        rows = {title: one["models"][name] for name, title in _ROWS.items()}
        better = one["better"]["served"]["population"]
        blocks.append(f"### {sensor}\n\n{metrics_table(rows, _SHORT_COLUMNS)}")
        blocks.append(
            f"The personal model is no worse for {better['absolute']:.0%} of people by absolute "
            f"and {better['rise']:.0%} by rise error. {one['n_held_back']} of "
            f"{one['models']['served']['n_people']} people are served the population's curve: "
            "on training days left out their own model was no better."
        )
    blocks.append("All metrics, days of history and targets: [protocol 3](personal.md).")
    blocks.append('![What five days of CGM and meals buy](personal.png "days, and six people")')
    blocks.append(_what_it_is())
    return "\n\n".join(blocks)


def _what_it_is() -> str:
    return """What it is: effects on the rise, along three shapes, and on the level at the first
bite. They depend on the carbohydrate, on the population's rise, on the hour and on how long ago the
last meal was; the level never depends on what is about to be eaten. Effects are drawn towards none,
the more the less people of the training sets differ in them, so a few days make a cautious model.
Meals cut short by the next one count with the readings that they have.
Whatever a person's days say, more carbohydrate or a bigger portion does not lower the peak, but
for a few tenths of a mg/dL between the amounts at which this is checked.

- **Gate.** Each training day is left out in turn. A model with no smaller error than the
  population on these days is not used: the population's curve is served and the answer says so.
- **Age.** The mean level fades after the last training day, to 79 % after a week and 63 % after
  two. Later, the level and the band are the population's and the response stays personal; the
  answer says so. After a change of sensor in the history, the level is that of the last sensor.
- **Two to four days** make a preliminary model in the library, with a wider band and a note.
- **Band.** Calibrated forward in time on people of the training sets who were left out of
  population and prior, in units of the person's own size of errors. Wherever the gate holds the
  model back, the population's band is served.
- **Stored** of a person are effects, level, sizes of errors and range, under two kilobytes of
  numbers: no reading, no meal and no time of one.
- **Range.** `cgp_min` and `cgp_max` follow from the person's own post-meal minima and maxima."""


def personal_page(metrics: dict[str, Any]) -> str:
    """Write protocol 3: at unseen people where there are any, and at those of the training sets."""
    parts = ["# Personal models forward in time"]
    if "forward" in metrics:
        parts.append(_forward(metrics))
    return "\n\n".join([*parts, _left_out(metrics)])


def _forward(metrics: dict[str, Any]) -> str:
    blocks = [
        f"""## Protocol 3: forward in time on {metrics["unseen"]}

Meals after each person's first five valid days. "Personal" is the personal model as it was
fitted, "served" what the person gets with the gate. The challenger and the mean curves of others
know nothing of the person. A personal model makes use of how long ago the last meal was logged:
"without meal log" is the same model where nobody knows. Labels of population and personal models
come from their impact scales, those of the others from their curves."""
    ]
    for sensor, one in metrics["forward"].items():
        models = one["models"]
        banded = {name: part for name, part in models.items() if "coverage" in part}
        blocks += [
            f"### {sensor}",
            metrics_table(models, CURVE_COLUMNS),
            metrics_table(banded, BAND_COLUMNS),
            _paired(one),
        ]
    blocks += [_by_days(metrics["forward"]), _from_reading(metrics["forward"])]
    targets = [_target(name, one) for name, one in metrics["forward"].items() if name in _TARGETS]
    if targets:
        blocks += [_targets_said(metrics["forward"]), *targets]
    return "\n\n".join(blocks)


def _left_out(metrics: dict[str, Any]) -> str:
    blocks = [
        """## Protocol 3 at people of the training sets

The same, forward in time, with people in six folds: the population model and the prior have not
seen the person. All choices were made here. Bands and scores are calibrated on these very people,
so curves alone are compared. In type 1 diabetes (t1d_uom) a personal model learns the level and
little else: insulin is no input, and the person's mean curve does as well."""
    ]
    for name, one in metrics["forward_left_out"].items():
        blocks += [f"### {name}", metrics_table(one["models"], CURVE_COLUMNS), _paired(one)]
        if "by_age" in one:
            blocks.append(_by_age(one))
    return "\n\n".join(blocks)


def _paired(one: dict[str, Any]) -> str:
    lines = [
        "Errors of a person, served (mean, 95 % interval over people), and people not worse:",
        "",
    ]
    for name, less in one["paired"]["served"].items():
        better = one["better"]["served"][name]
        for kind in ("absolute", "rise"):
            mean = less[f"{kind}_rmse_difference_mg_dl"]
            lines.append(
                f"- {kind} RMSE less {name}: {mean:+.2f} ({less[f'{kind}_low']:+.2f} to "
                f"{less[f'{kind}_high']:+.2f}), {better[kind]:.0%}"
            )
    lines.append(f"- held back by the gate: {one['n_held_back']}")
    return "\n".join(lines)


def _by_age(one: dict[str, Any]) -> str:
    rows = [
        (sensor, age, name, part["n_meals"], *values(part, _AGE_COLUMNS))
        for sensor, key in (("the same", "by_age"), ("changed", "changed_sensor"))
        for age, models in one[key].items()
        for name, part in models.items()
    ]
    titles = [title for _, title, _ in _AGE_COLUMNS]
    return f"""Errors by the days since the last training day. A changed sensor is simulated: on
the training days it reads {CHANGE_MG_DL:.0f} mg/dL higher, or as much lower, than on the later
days. "Personal" is the personal model without the gate; after day 14, its level is the
population's.

{table(("sensor", "meals", "model", "n", *titles), rows)}"""


def _by_days(forward: dict[str, Any]) -> str:
    rows = [
        (sensor, n_days, *values(part, _SHORT_COLUMNS))
        for sensor, one in forward.items()
        for n_days, part in one["by_days"].items()
    ]
    again = [
        (sensor, name, *values(part, _SHORT_COLUMNS))
        for sensor, one in forward.items()
        for name, part in (
            ("once", one["models"]["personal"]),
            ("every day", one["refitted"]),
        )
    ]
    titles = [title for _, title, _ in _SHORT_COLUMNS]
    return f"""### Days of history

Models of more and more days, each as it was fitted, at the same meals: those after seven valid
days. Models of fewer than five days are preliminary; their bands are wider.

{table(("sensor", "days", *titles), rows)}

Trained once on five days, or again before every later day on all valid days before it:

{table(("sensor", "trained", *titles), again)}"""


def _from_reading(forward: dict[str, Any]) -> str:
    rows = [
        (sensor, {"served": "personal, as served"}.get(name, name), *values(part, _SHORT_COLUMNS))
        for sensor, one in forward.items()
        for name, part in one["from_reading"].items()
    ]
    return f"""### With a reading at the first bite

The curve starts at the last reading of the 15 minutes up to the first bite. Minute 0 counts in
the errors, and there the reading is all but the answer.

{table(("sensor", "model", *(title for _, title, _ in _SHORT_COLUMNS)), rows)}"""


def _targets_said(forward: dict[str, Any]) -> str:
    def errors(sensor: str, name: str) -> str:
        one = forward[sensor]["models"][name]
        return f"{one['absolute_rmse_mg_dl']:.1f}/{one['rise_rmse_mg_dl']:.1f}"

    blocks = [
        """### What was hoped for, and what was not reached

The floor is the personal model of an earlier study at the same people; the goals were set above it,
with 88 to 92 % of readings inside a band of at most 75 mg/dL. Bands hold more than nine of ten
readings here, and are wider than they had to be: they are calibrated at people of the training
sets and were not tuned at these."""
    ]
    if "Libre Pro" in forward:
        blocks.append(f"""The tables of meals differ a little: with the Libre the study's population
had 32.9/27.6 and its person mean 26.3/26.8 (absolute/rise RMSE), here they have
{errors("Libre Pro", "population")} and {errors("Libre Pro", "person mean")}.""")
    return "\n\n".join(blocks)


def _target(sensor: str, one: dict[str, Any]) -> str:
    served, targets = one["models"]["served"], _TARGETS[sensor]
    floor, goal = targets["the study before"], targets["goal"]
    rows = []
    for key, title, digits in _SHORT_COLUMNS:
        value = served[key]
        line = [title, f"{value:.{digits}f}"]
        for part in (floor, goal):
            if key in part:
                is_reached = value <= part[key] if key in _LESS_IS_BETTER else value >= part[key]
                line += [f"{part[key]:.{digits}f}", "yes" if is_reached else "no"]
            elif key == "coverage" and part is goal:
                line += ["0.88 to 0.92", "yes" if 0.88 <= value <= 0.92 else "no"]
            else:
                line += ["–", "–"]
        rows.append(line)
    head = (sensor, "served", "floor", "reached", "goal", "reached")
    return table(head, rows)
