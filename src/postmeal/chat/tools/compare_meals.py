"""Comparison of the predicted peaks and the nutrients of several meals."""

from __future__ import annotations

from postmeal.chat.answer import Computation
from postmeal.chat.lists_in_text import list_of
from postmeal.chat.named_meals import NamedMeal, without_glucose
from postmeal.chat.person import Eater
from postmeal.chat.tools.meal_nutrients import nutrients_asked, nutrients_text
from postmeal.chat.tools.predict_meal import understood
from postmeal.chat.tools.request import glucose_text, meal_of, request_of
from postmeal.foods.nutrients import Nutrients
from postmeal.glucose.predictor import Predictor

_CLOSE_MG_DL = 5.0


def compare_meals(
    predictor: Predictor, options: tuple[NamedMeal, ...], eater: Eater, text: str
) -> tuple[Computation, ...]:
    """Compare the predicted peaks and the nutrients of meals, lowest peak first.

    If the text names no nutrients, the carbohydrate is compared. The first computation contains the
    sentences of the answer. Each computation contains the request for one meal.
    """
    peaks = [predictor.predict(eater.profile, meal_of(each, eater)).peak_mg_dl for each in options]
    order = sorted(range(len(options)), key=lambda place: peaks[place])
    unit = eater.wants_mmol_l
    asked = nutrients_asked(without_glucose(text)) or ("carbs_g",)
    shown = list_of(
        f"{glucose_text(peaks[place], wants_mmol_l=unit)} after {_name(options[place])}"
        for place in order
    )
    contents = list_of(
        f"{nutrients_text(_nutrients(options[place]), asked)} in {_name(options[place])}"
        for place in order
    )
    difference = peaks[order[-1]] - peaks[order[0]]
    verdict = f"The peaks differ by {glucose_text(difference, wants_mmol_l=unit)}" + (
        ", which is less than people differ from day to day."
        if difference < _CLOSE_MG_DL
        else f", and the lower one follows {_name(options[order[0]])}."
    )
    facts = (
        understood(*options),
        f"For {eater.description}, the predicted peaks are {shown}.",
        verdict,
        f"There are {contents}.",
    )
    return tuple(
        Computation(number, "compare_meals", facts if number == 1 else (), request_of(each, eater))
        for number, each in enumerate(options, 1)
    )


def _name(option: NamedMeal) -> str:
    return option.text


def _nutrients(option: NamedMeal) -> Nutrients:
    return Nutrients.sum(selection.nutrients for selection in option.selections)
