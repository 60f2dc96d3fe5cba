"""Prediction of the glucose curve after a meal."""

from __future__ import annotations

import re

from postmeal.chat.answer import Computation
from postmeal.chat.lists_in_text import list_of
from postmeal.chat.named_meals import NamedMeal
from postmeal.chat.person import Eater
from postmeal.chat.tools.request import glucose_text, meal_of, request_of
from postmeal.glucose.predictor import Predictor

_MINUTES = re.compile(r"\b(\d{1,3})(?=(?:,? (?:and )?\d{1,3}){0,40},? ?(?:min|minutes)\b)")
_HOURS = re.compile(
    r"\b(?:at|after|in|within) (?:about )?(\d(?:\.\d)?) ?(?:h|hr|hrs|hours?)\b(?! ago)"
)
_LAST_MIN = 120
_SHOWN_UNREAD = 2


def predict_meal(predictor: Predictor, named: NamedMeal, eater: Eater, text: str) -> Computation:
    """Return the predicted glucose curve of a meal in words, with the assumptions made."""
    meal = meal_of(named, eater)
    minutes = sorted(
        {int(each) for each in _MINUTES.findall(text)}
        | {round(60 * float(each)) for each in _HOURS.findall(text)}
    )
    asked = [each for each in minutes if 0 < each <= _LAST_MIN]
    prediction = predictor.predict(eater.profile, meal)
    unit = eater.wants_mmol_l
    peak = glucose_text(prediction.peak_mg_dl, wants_mmol_l=unit)
    start = glucose_text(prediction.glucose_mg_dl[0], wants_mmol_l=unit)
    end = glucose_text(prediction.glucose_mg_dl[-1], wants_mmol_l=unit)
    place = prediction.glucose_mg_dl.index(prediction.peak_mg_dl)
    low = glucose_text(prediction.lower_mg_dl[place], wants_mmol_l=unit)
    high = glucose_text(prediction.upper_mg_dl[place], wants_mmol_l=unit)
    facts = [understood(named)]
    facts.append(
        f"For {eater.description}, glucose is predicted to go from {start} to a peak of {peak}"
        f" after"
        f" {prediction.peak_min:g} minutes and to be {end} after {prediction.minutes[-1]:g}"
        f" minutes;"
        f" the impact is {prediction.impact}."
    )
    if asked:
        at = predictor.predict(eater.profile, meal, minutes=asked)
        values = (
            f"{glucose_text(value, wants_mmol_l=unit)} after {minute} minutes"
            for minute, value in zip(asked, at.glucose_mg_dl, strict=True)
        )
        facts.append(f"The prediction is {', '.join(values)}.")
    else:
        facts.append(f"90% of such people are expected between {low} and {high} at the peak.")
    late = [each for each in minutes if each > _LAST_MIN]
    if late:
        facts.append(
            f"The model predicts {_LAST_MIN} minutes only, so I have no value after"
            f" {list_of(str(each) for each in late)} minutes."
        )
    if prediction.notes:
        facts.append(_sentence(prediction.notes[0]))
    return Computation(1, "predict_meal", tuple(facts), request_of(named, eater))


def understood(*options: NamedMeal) -> str:
    """Return a sentence that states the foods and amounts that the chat understood."""
    texts = " against ".join(option.text for option in options)
    if any(option.assumes_amounts for option in options):
        texts += ", with typical servings where no amount is stated"
    unread = [each for option in options for each in option.unread][:_SHOWN_UNREAD]
    if unread:
        texts += "; I left out " + list_of(f"“{each}”" for each in unread)
    return f"I read {texts}."


def _sentence(note: str) -> str:
    return note[:1].upper() + note[1:].rstrip(".") + "."
