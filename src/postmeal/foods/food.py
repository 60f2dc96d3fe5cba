"""Food, Serving, Selection and Meal: foods and the amounts eaten."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import Literal, NamedTuple

from postmeal.arguments import check_type
from postmeal.errors import InputError, UnknownServing
from postmeal.foods.diets.verdicts import NOTHING_KNOWN, Diets
from postmeal.foods.nutrients import Nutrients

__all__ = [
    "MAX_FOODS",
    "MAX_QUANTITY",
    "CatalogKind",
    "Food",
    "FoodInputs",
    "FoodKind",
    "GISource",
    "Meal",
    "Selection",
    "Serving",
]

FoodKind = Literal["generic", "branded", "recipe"]
CatalogKind = Literal["generic", "dish", "recipe", "branded"]
"""Kinds of food in a table or catalog file, where ready dishes (``dish``) are a separate kind."""

GISource = Literal["measured", "group median", "none", "computed"]

MAX_QUANTITY = 10_000.0
MAX_FOODS = 100


@dataclass(frozen=True, slots=True)
class Serving:
    """A measure of a food, such as ``1 cup`` or ``100 g``.

    Attributes
    ----------
    id : int
        Number of the serving, unique within its food.
    quantity : float
        Number of units in this serving: 1 for "1 cup", 100 for "100 g".
    unit : str
        The unit, such as ``cup``, ``g`` or ``slice, large``.
    scaling_factor : float
        Mass of this serving divided by the mass of the food's default serving.
    weight_g : float or None
        Mass in grams; None if unknown.
    is_default : bool
        Whether the food's nutrients are given for this serving.
    """

    id: int
    quantity: float
    unit: str
    scaling_factor: float
    weight_g: float | None
    is_default: bool = False


_WHOLE_MEAL = Serving(1, 1.0, "meal", 1.0, None, is_default=True)


class FoodInputs(NamedTuple):
    """Inputs of the glucose model for a food, as plain floats.

    Attributes
    ----------
    glycemic_index : float or None
        See `Food.model_glycemic_index`.
    carbs_g, fiber_g, protein_g, fat_g, sugars_g : float
        Grams per default serving, NaN if unknown.
    """

    glycemic_index: float | None
    carbs_g: float
    fiber_g: float
    protein_g: float
    fat_g: float
    sugars_g: float


@dataclass(frozen=True)
class Food:
    """A food with its nutrients per default serving.

    Attributes
    ----------
    id : int
        Number of the food, 1 to 10 digits, assigned once and never reused.
    name : str
        Short name of the food, as people say it, without its brand.
    kind : {"generic", "branded", "recipe"}
        ``generic`` for a basic food or a ready dish, ``branded`` for a product of a brand or
        restaurant chain, ``recipe`` for a food that a user imported as a recipe.
    category : str
        The publisher's food group.
    nutrients : Nutrients
        Amounts per default serving.
    servings : tuple of Serving
        All servings, the default one first.
    brand_name : str or None
        The brand or restaurant chain of a branded food.
    glycemic_index : float or None
        Glycemic index, glucose = 100.
    gi_source : {"measured", "group median", "none", "computed"}
        Source of the glycemic index: a measurement, the median of a food group, none, or the
        carbohydrate-weighted mean of the food's parts.
    barcode : str or None
        The digits printed on the product; None if unknown. `Catalog.barcode` also finds the food by
        the other formats of the same barcode.
    image_url : str or None
        URL of a picture; None if unknown.
    diets : Diets
        The verdict of each diet rule.
    is_dish : bool
        Whether the food is a ready dish or a recipe, made of several foods.
    description : str
        The publisher's name of the food without its brand, from which the food is classified;
        `name` when omitted.
    gi_sd : float or None
        Standard deviation of the glycemic index; None if unknown. If it is 15 or more, the index
        shows only whether the true value is low or high.
    gi_in_model : bool
        Whether the glucose model may use the glycemic index. The released model was fitted without
        the indices that are computed from parts, and without most group medians.
    added_sugars_estimated : bool
        Whether the added sugars are estimated by a rule instead of published or zero by definition.
    """

    id: int
    name: str
    kind: FoodKind
    category: str
    nutrients: Nutrients
    servings: tuple[Serving, ...]
    brand_name: str | None = None
    glycemic_index: float | None = None
    gi_source: GISource = "none"
    barcode: str | None = None
    image_url: str | None = None
    diets: Diets = NOTHING_KNOWN
    is_dish: bool = False
    description: str = ""
    gi_sd: float | None = None
    gi_in_model: bool = True
    added_sugars_estimated: bool = False

    def __post_init__(self) -> None:
        if not self.description:
            object.__setattr__(self, "description", self.name)

    @cached_property
    def default_serving(self) -> Serving:
        """The serving that `nutrients` refers to."""
        return next(serving for serving in self.servings if serving.is_default)

    @property
    def glycemic_load(self) -> float | None:
        """Glycemic index times the default serving's net carbohydrate in grams, divided by 100.

        Defined by Salmerón et al. 1997 (doi:10.1001/jama.1997.03540300040031); None if the index
        or the net carbohydrate is unknown.
        """
        net_carbs_g = self.nutrients.net_carbs_g
        if self.glycemic_index is None or math.isnan(net_carbs_g):
            return None
        return self.glycemic_index * net_carbs_g / 100

    @property
    def model_glycemic_index(self) -> float | None:
        """Glycemic index that the glucose model uses for this food; None if there is none."""
        return self.glycemic_index if self.gi_in_model else None

    @cached_property
    def model_inputs(self) -> FoodInputs:
        """The amounts and the glycemic index that the glucose model uses."""
        amounts = map(self.nutrients.amount, FoodInputs._fields[1:])
        return FoodInputs(self.model_glycemic_index, *amounts)

    def serving(self, serving_id: int, field: str = "serving.id") -> Serving:
        """Return the serving with the given ID.

        Parameters
        ----------
        serving_id : int
            ID of the serving.
        field : str, default="serving.id"
            Field name for error messages.

        Returns
        -------
        Serving
            The serving.

        Raises
        ------
        UnknownServing
            The food does not have this serving.
        """
        for serving in self.servings:
            if serving.id == serving_id:
                return serving
        allowed = (str(serving.id) for serving in self.servings)
        raise UnknownServing(
            field, f"must be the ID of a serving of food {self.id}", serving_id, allowed=allowed
        )


@dataclass(frozen=True)
class Selection:
    """An amount of a food, measured in one of its servings.

    The quantity is in the unit of the serving. With the serving "1 cup", a quantity of 2 means
    two cups; with the serving "100 g", a quantity of 150 means 150 g.

    Attributes
    ----------
    food : Food
        The food.
    serving : Serving
        One of its servings.
    quantity : float
        Number of units, above 0 and at most 10,000.

    Raises
    ------
    UnknownServing
        The serving does not belong to the food.
    InputError
        The quantity is not a number or is out of range.
    """

    food: Food
    serving: Serving
    quantity: float

    def __post_init__(self) -> None:
        if self.serving not in self.food.servings:
            servings = (f"{s.quantity:g} {s.unit}" for s in self.food.servings)
            problem = f"must be one of the servings of food {self.food.id}"
            raise UnknownServing("serving", problem, self.serving.unit, allowed=servings)
        if isinstance(self.quantity, bool) or not isinstance(self.quantity, (int, float)):
            raise InputError("quantity", "must be a number", self.quantity)
        if not 0 < self.quantity <= MAX_QUANTITY:
            raise InputError(
                "quantity", f"must be above 0 and at most {MAX_QUANTITY:g}", self.quantity
            )

    @classmethod
    def of(cls, food: Food, quantity: float | None = None, unit: str | None = None) -> Selection:
        """Create a selection from a food, a quantity and a serving unit.

        Parameters
        ----------
        food : Food
            The food.
        quantity : float, optional
            Number of units; defaults to the quantity of the serving.
        unit : str, optional
            Unit of one of the food's servings; defaults to the unit of the default serving.

        Returns
        -------
        Selection
            The selection.

        Raises
        ------
        InputError
            `food` is not a `Food`, it has no serving with this unit, or the quantity is out of
            range.
        """
        check_type("food", food, Food, "must be a Food, as returned by Catalog.search")
        serving = food.default_serving
        if unit is not None:
            serving = next((s for s in food.servings if s.unit == unit), serving)
            if serving.unit != unit:
                units = (s.unit for s in food.servings)
                raise InputError(
                    "unit", f"must be one of the units of {food.name!r}", unit, allowed=units
                )
        return cls(food, serving, serving.quantity if quantity is None else quantity)

    @property
    def factor(self) -> float:
        """Number of default servings that this amount equals."""
        return self.serving.scaling_factor * self.quantity / self.serving.quantity

    @property
    def nutrients(self) -> Nutrients:
        """Nutrients in this selection."""
        return self.food.nutrients * self.factor

    @property
    def weight_g(self) -> float | None:
        """Mass in grams; None if the mass of the serving is unknown."""
        if self.serving.weight_g is None:
            return None
        return self.serving.weight_g * self.quantity / self.serving.quantity


@dataclass(frozen=True)
class Meal:
    """Foods eaten together, and the local time of the start of the meal.

    Attributes
    ----------
    selections : tuple of Selection
        1 to 100 selections.
    time : datetime or date
        Local time of the start of the meal, or its date if the hour is unknown. A time zone is
        optional; it tells which CGM readings are from before the meal.
    hour_is_known : bool, default=True
        Whether the hour of `time` is that of the person's clock. False for an instant in UTC that
        does not tell the local hour.

    Raises
    ------
    InputError
        The number of selections is not 1 to 100, one of them is not a `Selection`, or the time is
        neither a datetime nor a date.
    """

    selections: tuple[Selection, ...]
    time: datetime | date
    hour_is_known: bool = True

    def __post_init__(self) -> None:
        check_type("foods", self.selections, (tuple, Sequence), "must be a tuple of Selection")
        if not 1 <= len(self.selections) <= MAX_FOODS:
            raise InputError("foods", f"must contain 1 to {MAX_FOODS} foods", len(self.selections))
        selections: tuple[object, ...] = self.selections
        for place, selection in enumerate(selections):
            if not isinstance(selection, Selection):
                problem = "must be a Selection; create one with Selection.of or parse_meal"
                raise InputError(f"foods[{place}]", problem, selection)
        if not isinstance(self.time, date):  # the base class of datetime
            raise InputError("time", "must be a datetime, or a date without an hour", self.time)

    @classmethod
    def of_macros(
        cls,
        *,
        carbs_g: float,
        time: datetime | date,
        fiber_g: float | None = None,
        protein_g: float | None = None,
        fat_g: float | None = None,
    ) -> Meal:
        """Create a meal from macronutrients only, as one food of unknown mass.

        Omitted amounts are unknown, not zero. Predictions assume that unknown fiber is 9% of the
        carbohydrate and that unknown protein and fat are zero, and state this in their `notes`.

        Parameters
        ----------
        carbs_g : float
            Total carbohydrate in grams, fiber included.
        time : datetime or date
            Local time of the start of the meal; a date if the hour is unknown.
        fiber_g, protein_g, fat_g : float, optional
            Amounts in grams.

        Returns
        -------
        Meal
            The meal.

        Raises
        ------
        InputError
            An amount is negative or not a number, or the time is neither a datetime nor a date.

        Examples
        --------
        >>> meal = Meal.of_macros(carbs_g=50, protein_g=20, time=datetime(2026, 5, 1, 8, 0))
        >>> meal.nutrients["carbs_g"], "fat_g" in meal.nutrients
        (50.0, False)
        """
        given = {"carbs_g": carbs_g, "fiber_g": fiber_g, "protein_g": protein_g, "fat_g": fat_g}
        known = {key: grams for key, grams in given.items() if grams is not None}
        nutrients = Nutrients({"carbs_g": carbs_g} | known)  # raises if carbs_g is None
        food = Food(1, "bare macronutrients", "recipe", "", nutrients, (_WHOLE_MEAL,))
        return cls((Selection(food, _WHOLE_MEAL, 1.0),), time)

    @cached_property
    def nutrients(self) -> Nutrients:
        """Nutrients in the whole meal."""
        return Nutrients.sum(selection.nutrients for selection in self.selections)

    @property
    def hour(self) -> float:
        """Local time of the start as a fractional hour, from 0 to below 24; NaN if unknown."""
        if self.hour_is_known and isinstance(time := self.time, datetime):
            return time.hour + time.minute / 60 + time.second / 3600
        return math.nan
