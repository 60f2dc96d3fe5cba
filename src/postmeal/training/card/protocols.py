"""Sections of the model card about data sets that were left out, and about unseen people."""

from __future__ import annotations

from typing import Any

from postmeal.training.card.comparisons import TIE_MG_DL, comparison_table
from postmeal.training.card.names import MODELS
from postmeal.training.card.tables import BAND_COLUMNS, CURVE_COLUMNS, metrics_table
from postmeal.training.datasets import SHORT_NAMES


def left_out_section(metrics: dict[str, Any]) -> str:
    """Write the section about protocol 1, in which each data set is left out in turn."""
    text = f"""## Protocol 1: leave one data set out

Each data set is predicted by models that were fitted to the other training sets. The form of the
model, the priors and their strength were chosen by these figures. All labels are computed from the
predicted curves. "Fitted to this set" is the same formula, fitted to the left-out set in ten folds
of people; it shows about how much the inputs allow. The constants of the sensors are those of all
sets. The mean curves are means over meals without the glucose drinks. If a state occurs only in the
left-out set, its condition mean is that of all people.

The comparisons show the difference in a person's rise RMSE, the model minus the other one, as a
mean over people with its 95% interval. The advantage at the less favorable end of the interval
comes first. The comparison is called
a tie unless the whole interval is at least {TIE_MG_DL:g} mg/dL from zero; with few people, a tie
does not show that two models are equal."""
    groups = metrics["leave_one_data_set_out"]
    return "\n\n".join([text, *(_compared(SHORT_NAMES[name], one) for name, one in groups.items())])


def unseen_section(metrics: dict[str, Any]) -> str:
    """Write the section about protocol 2, in which the released weights predict unseen people."""
    unseen = SHORT_NAMES.get(metrics["unseen"], metrics["unseen"])
    text = f"""## Protocol 2: frozen on {unseen}

The released weights, applied to people, meals and sensors that were not used for training. LightGBM
and the baselines were trained on the same data as the model. LightGBM and the linear model have all
inputs of the model, and their settings were chosen in five folds of the people of the training
sets. The labels of the model are computed
with its impact scale, those of the others from their curves. "With a reading" is the model, given
the last reading of the 15 minutes before the meal."""
    blocks = []
    for sensor, one in metrics["frozen"].items():
        own = {
            "population": one["models"]["population"],
            **{f"population, {name}": part for name, part in one["conditions"].items()},
            "population, with a reading": metrics["with_reading"][sensor],
        }
        blocks.append(_compared(sensor, {**one, "models": {**one["models"], **own}}))
        blocks.append(metrics_table(own, BAND_COLUMNS))
    return "\n\n".join([text, *blocks])


def _compared(name: str, one: dict[str, Any]) -> str:
    models = {MODELS.get(model, model): part for model, part in one["models"].items()}
    differences = {
        other: (part["rise_rmse_difference_mg_dl"], part["low"], part["high"])
        for other, part in one["paired"].items()
    }
    return (
        f"### {name}\n\n{metrics_table(models, CURVE_COLUMNS)}\n\n{comparison_table(differences)}"
    )
