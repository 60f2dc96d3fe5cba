"""Section of the model card about the formula and its coefficients."""

from __future__ import annotations

from typing import Any

from postmeal.glucose.population.states import CONDITION_TO_STATE, STATES
from postmeal.training.card.names import LABELS
from postmeal.training.card.tables import table


def formula_section(weights: dict[str, Any]) -> str:
    """Write the section about the formula and its coefficients."""
    model, kinds = weights["population"], weights["carb_weights"]
    sensors = ", ".join(
        f"{name} {one['offset_mg_dl']:.1f} + {one['gain']:.3f} × blood glucose"
        for name, one in weights["sensors"].items()
    )
    return f"""## The formula

`rise(t) = G · K · (1 − exp(−c / K)) · (z · exp(1 − z)) ^ s + d · t / 120 + recent · r(t)`, with
`z = t / peak_min` and `c = (carbohydrate − fiber / 2) / (1 + b)`.

- **Blunting** b is {model["protein_per_g"]:.4f} per gram of protein, {model["fat_per_g"]:.4f} per
  gram of fat and {model["fiber_per_g"]:.4f} per gram of fiber.
- **Sharpness** s is {model["sharpness"]:.2f} up to the peak. After the peak, it is smaller by a
  factor of e for every {1 / model["slowing_per_kcal"]:.0f} kcal of protein and fat, and for every
  {1 / model["slowing_per_g"]:.0f} g of c.
- **Kind of carbohydrate**: a gram of pure glucose counts as {kinds["glucose"]:.2f} g of
  carbohydrate, and a gram of carbohydrate in foods with mostly other sugars as
  {kinds["sugary"]:.2f} g, or more if the glycemic index is known and higher.
- **Previous meal**: right after it, r(t) is
  {model["recent_middle_mg_dl"] + model["recent_end_mg_dl"] / 2:.0f} mg/dL after an hour and
  {model["recent_end_mg_dl"]:.0f} mg/dL after two. It fades by a factor of e in 1.5 hours.

Neither more carbohydrate nor a bigger portion lowers any point of the curve.

{_by_state(weights)}

Sensors in the weights: {sensors}.

The states of the health conditions when the model was released:

{_conditions()}

If a person has several conditions, the most severe state counts. Age, sex, height, weight and
activity do not change the curve: the data contain too few people to learn such effects, and
coefficients learned from so few people made the predictions for other groups worse."""


def _by_state(weights: dict[str, Any]) -> str:
    model = weights["population"]
    rows = [
        ("log of the gain G for small amounts, mg/dL per g", model["log_gain"]),
        ("change of the log gain in the morning", model["morning"]),
        ("change of the log gain in the evening", model["evening"]),
        ("grams K at which carbohydrate saturates", model["saturation_g"]),
        ("minutes to the peak of the shape", model["peak_min"]),
        ("drift d over two hours, mg/dL", model["drift_mg_dl"]),
        (
            "blood glucose at the start of the meal, mg/dL",
            [weights["level_mg_dl"][state] for state in STATES],
        ),
    ]
    return table(
        ("coefficient", *(LABELS[state] for state in STATES)),
        ((name, *(f"{value:.3g}" for value in values)) for name, values in rows),
    )


def _conditions() -> str:
    return table(
        ("health condition", "state", "band"),
        (
            (name, LABELS[one.state], "as calibrated" if one.is_trained else "wider by a quarter")
            for name, one in CONDITION_TO_STATE.items()
        ),
    )
