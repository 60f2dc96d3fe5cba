"""Section of the model card about the limits of the model."""

from __future__ import annotations

from typing import Any

from postmeal.training.card.coefficients import mostly_prior


def limits_section(metrics: dict[str, Any]) -> str:
    """Write the section about the limits of the model."""
    drinks = metrics["standard_loads"]["glucose_drinks"]
    ratios = " and ".join(f"{drinks[state]['iauc_ratio']:.0%}" for state in _STATES)
    return f"""## Limits

- **Type 1 diabetes (and LADA):** glucose after a meal depends on insulin, which is not an input.
  The curve is a rough mean, the band is wide, and the impact score is not informative.
- **Level.** Much of the absolute error is the person's own level, which cannot be predicted from a
  meal. Sensors differ by 20 mg/dL or more; specify the sensor to predict its readings. A personal
  model predicts the readings of the sensor that it was trained on.
- **Large loads of glucose** rise more than predicted: the predicted area after 75 g is {ratios} of
  the observed one in normal regulation and prediabetes if the tests are left out of the fit.
- **Few people with prediabetes** are in the training data, and almost all people with type 2
  diabetes come from one country. The data do not cover pregnancy, children, or glucose-lowering
  drugs other than those taken by people of the type 2 set.
- **Priors.** For {len(mostly_prior(metrics))} of {len(metrics["coefficients"])} coefficients, the
  prior contains more information than the data.
- **Kinds of carbohydrate** are pure glucose, mostly other sugars, and everything else. The data
  showed no further effect of the glycemic index or of the foods' names.
- **Food logs** contain errors, which increase the reported errors. Meals that are followed by
  another meal within two hours are not evaluated."""


_STATES = ("normal", "prediabetes")
