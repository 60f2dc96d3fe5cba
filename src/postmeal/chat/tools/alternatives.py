"""Foods with a lower predicted peak that can replace a food of a meal."""

from __future__ import annotations

from collections.abc import Sequence

from postmeal.chat.answer import Computation
from postmeal.chat.avoided_foods import AvoidedFoods
from postmeal.chat.lists_in_text import list_of
from postmeal.chat.named_meals import NamedMeal, changed
from postmeal.chat.person import Eater
from postmeal.chat.tools.predict_meal import understood
from postmeal.chat.tools.request import glucose_text, request_of
from postmeal.foods.alternatives import Alternative, alternatives
from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food, Meal, Selection
from postmeal.foods.language import Detection
from postmeal.foods.words import words
from postmeal.glucose.predictor import Predictor

_SHOWN, _ASKED_FOR = 3, 12


def suggest_alternatives(
    predictor: Predictor, catalog: Catalog, named: NamedMeal, eater: Eater, avoided: AvoidedFoods
) -> tuple[Computation, ...]:
    """Return alternatives to the food of a meal that raises glucose most.

    The first computation contains the sentences of the answer and the request for the food to
    replace. Each of the other computations contains the request for one suggested food. If the
    person avoids an allergen, all suggested foods are certain to be free of it.
    """

    def peak_of(selection: Selection) -> float:
        return predictor.predict(eater.profile, Meal((selection,), eater.time)).peak_mg_dl

    replaced = max(named.detections, key=lambda one: peak_of(one.selection))
    food = replaced.selection.food
    own_peak = peak_of(Selection.of(food))
    found = alternatives(
        food,
        catalog,
        avoided.restrictions,
        avoided.diets,
        limit=_ASKED_FOR,
        peak_of=peak_of,
    ).best
    chosen = [
        each
        for each in found
        if _may_be_eaten(each.food, avoided) and (each.peak_mg_dl or own_peak) < own_peak
    ][:_SHOWN]
    unit = eater.wants_mmol_l
    first = Computation(
        1,
        "alternatives",
        _facts(
            named,
            food,
            own_peak,
            _chosen_text(chosen, wants_mmol_l=unit),
            eater,
            is_limited=bool(avoided.restrictions or avoided.diets or avoided.words),
        ),
        request_of(changed(named, (_whole(replaced, Selection.of(food)),)), eater),
    )
    rest = (
        Computation(
            number,
            "alternatives",
            (),
            request_of(changed(named, (_whole(replaced, each.selection),)), eater),
        )
        for number, each in enumerate(chosen, 2)
    )
    return (first, *rest)


def _may_be_eaten(food: Food, avoided: AvoidedFoods) -> bool:
    """Return whether a food may be suggested.

    Its name must not contain an avoided word. It must not be a dish or a branded food, either, if
    the person has an allergy that no restriction covers.
    """
    if avoided.words & set(words(food.name)):
        return False
    is_plain = not food.is_dish and food.kind == "generic"
    return is_plain or not avoided.has_allergy or bool(avoided.restrictions)


def _chosen_text(chosen: Sequence[Alternative], *, wants_mmol_l: bool) -> str:
    """Return the suggested foods in words, with their amounts and predicted peaks."""
    return list_of(
        f"{each.selection.weight_g or 0:.0f} g of {each.food.name}"
        f" (peak {glucose_text(each.peak_mg_dl or 0.0, wants_mmol_l=wants_mmol_l)})"
        for each in chosen
    )


def _facts(
    named: NamedMeal, food: Food, own_peak: float, shown: str, eater: Eater, *, is_limited: bool
) -> tuple[str, ...]:
    serving = f"{Selection.of(food).weight_g or 0:.0f} g of {food.name}"
    peak = glucose_text(own_peak, wants_mmol_l=eater.wants_mmol_l)
    limit = " that certainly fits what you eat and avoid" if is_limited else ""
    if not shown:
        return (
            understood(named),
            f"The predicted peak after {serving} is {peak}.",
            f"I found no food of a similar kind with a lower peak than {food.name}{limit}.",
        )
    return (
        understood(named),
        f"In place of {food.name}, these foods lower the predicted peak: {shown}.",
        f"For {eater.description}, the peak after {serving} alone is {peak}.",
    )


def _whole(detection: Detection, selection: Selection) -> Detection:
    return Detection(detection.said, selection, detection.amount_said, detection.confidence)
