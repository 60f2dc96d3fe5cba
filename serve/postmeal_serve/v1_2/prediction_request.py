"""Predictions in v1.2 request bodies, and what they tell about the end user."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from pydantic import AliasChoices, Field

from postmeal.errors import InputError
from postmeal.foods.food import MAX_FOODS
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import MealHistory
from postmeal.glucose.history.training_days import TRAINING_DAYS_REQUIRED
from postmeal.glucose.history.wall_clock import TIME_ZONE_ACCEPTS
from postmeal.glucose.person.trace import (
    FADED_AGE_MIN,
    FULL_HOURS,
    LEAST_HOURS,
    MAX_AGE_MIN,
    MAX_TRACE_DAYS,
)
from postmeal.units import FASTING_GLUCOSE, GLUCOSE, HBA1C
from postmeal_serve.resources.cgm_history import (
    MOST_CONSUMED_FOODS,
    MOST_READINGS,
    NO_MEALS,
    NO_READINGS,
    History,
    Readings,
    read_meal_history,
    read_trace,
)
from postmeal_serve.resources.food_choices import Foods
from postmeal_serve.resources.local_clock import on_local_clock
from postmeal_serve.resources.personal_models import HistoryFields
from postmeal_serve.resources.predictions import Known
from postmeal_serve.resources.previous_meals import PREVIOUS_HOURS, hours_since_previous_meal
from postmeal_serve.v1_2.consumed_food import CONSUMED_ACCEPTS, ConsumedFood
from postmeal_serve.v1_2.food_item import FOOD_ACCEPTS, FoodItem
from postmeal_serve.v1_2.measured_values import (
    MEASURED_ACCEPTS,
    CurrentGlucose,
    FastingGlucose,
    Hba1c,
    measured_value,
)
from postmeal_serve.v1_2.profile import PROFILE_ACCEPTS, UserProfile
from postmeal_serve.wire.request_body import MOST_VALUES, Accepts, RequestModel
from postmeal_serve.wire.response_warnings import WarningCode
from postmeal_serve.wire.times import ISO_8601, local_time

__all__ = [
    "PREDICTION_ACCEPTS",
    "PREDICTION_EXAMPLE",
    "Occasion",
    "PredictionRequest",
    "SentPrediction",
]


class PredictionRequest(RequestModel):
    """The end user's profile, the meal and, optionally, a CGM history."""

    user_profile: UserProfile = Field(
        validation_alias=AliasChoices("user_profile", "profile"),
        description="Profile of the end user; also accepted as `profile`.",
    )
    foods: list[FoodItem] = Field(
        min_length=1, max_length=MAX_FOODS, description="Foods of the meal."
    )
    start_time: str | None = Field(
        None,
        description="Start of the meal in ISO 8601. `Z` or an offset is required unless a time zone"
        " is given. Defaults to the current time. The offset is taken for the local time of the end"
        " user, except `Z` and `+00:00`, which do not state it.",
        json_schema_extra={"pattern": f"^{ISO_8601}$"},
    )
    timezone: str | None = Field(
        None,
        description="IANA time zone of the end user, such as America/New_York. The hours of the day"
        " affect the prediction, so send it if any timestamp is in UTC.",
    )
    cgm_data: Readings | None = Field(
        None,
        description=f"CGM readings from before the meal, in any order, at most {MOST_READINGS:,}."
        f" Requires `consumed_foods`. {TRAINING_DAYS_REQUIRED}",
    )
    consumed_foods: list[ConsumedFood] | None = Field(
        None,
        max_length=MOST_CONSUMED_FOODS,
        description="Foods eaten during the period of `cgm_data`. Requires `cgm_data`.",
    )
    previous_meals: list[ConsumedFood] | None = Field(
        None,
        max_length=MAX_FOODS,
        description=f"Foods eaten within the {PREVIOUS_HOURS:g} hours before `start_time`, in any"
        " order. Foods within 15 minutes of each other are one meal. Foods in `consumed_foods` and"
        " `recent_meals` are previous meals as well. The latest of all previous meals is used.",
    )
    recent_cgm: Readings | None = Field(
        None,
        description=f"CGM readings of the {MAX_TRACE_DAYS:g} days before the meal, in any order, at"
        f" most {MOST_READINGS:,}. No food log is needed. From {LEAST_HOURS:g} usable hours on,"
        f" they tell the level and the gain of the end user; from {FULL_HOURS:g} hours on, with"
        f" full weight. If the last reading is at most {MAX_AGE_MIN:g} minutes old, the curve"
        f" starts at it; an older one counts less, and not at all after"
        f" {FADED_AGE_MIN:g} minutes."
        " Readings after the start of the meal are ignored. Must not be combined with"
        " `cgm_data`.",
    )
    recent_meals: list[ConsumedFood] | None = Field(
        None,
        max_length=MOST_CONSUMED_FOODS,
        description="Foods eaten during the period of `recent_cgm`, any number. Meals that are"
        " followed by two hours of readings personalize the rise. Must not be combined with"
        " `cgm_data`.",
    )
    current_glucose: CurrentGlucose | None = Field(
        None, description="Reading at which the curve starts, before the last one of a history."
    )
    sensor: str | None = Field(
        None,
        max_length=MOST_VALUES,
        description="Sensor of all readings, whose readings are predicted, such as `Dexcom G6` or"
        " `FreeStyle Libre 2`. Without it, readings are treated as blood glucose.",
    )
    hba1c: Hba1c | None = Field(None, description="HbA1c of the end user.")
    fasting_glucose: FastingGlucose | None = Field(
        None, description="Fasting plasma glucose of the end user."
    )


PREDICTION_ACCEPTS: Accepts = {
    **FOOD_ACCEPTS,
    **CONSUMED_ACCEPTS,
    **PROFILE_ACCEPTS,
    **MEASURED_ACCEPTS,
    "recent_meals": CONSUMED_ACCEPTS["consumed_foods"],
    "previous_meals": f"must be an array of at most {MAX_FOODS} objects"
    " {timestamp, id, serving: {id}, quantity}",
    "start_time": "must be an ISO 8601 date and time, such as 2026-01-05T08:00:00-05:00",
    "timezone": TIME_ZONE_ACCEPTS,
}
"""Accepted values of each field, for error messages."""

PREDICTION_EXAMPLE = {
    "user_profile": {
        "age": 45,
        "sex": "female",
        "height": {"value": 66, "unit": "in"},
        "weight": {"value": 150, "unit": "lb"},
        "activity_level": "lightly_active",
        "health_conditions": ["prediabetes"],
    },
    "foods": [{"id": "1848", "serving": {"id": "2"}, "quantity": 1}],
    "start_time": "2026-01-05T08:00:00-05:00",
    "sensor": "Dexcom G6",
    "current_glucose": {
        "value": 104,
        "unit": "mg/dL",
        "measured_at": "2026-01-05T07:55:00-05:00",
    },
}
"""Example of a body, for the documentation."""

_COMPLETE = HistoryFields("cgm_data", "consumed_foods")
_RECENT = HistoryFields("recent_cgm", "recent_meals")


class Occasion(NamedTuple):
    """The start of a meal, and what is known about the person who eats it."""

    start: datetime
    known: Known
    is_clock_known: bool


class SentPrediction(NamedTuple):
    """A body, whose readings are parsed."""

    body: PredictionRequest
    zone: ZoneInfo | None
    fields: HistoryFields
    trace: CgmTrace | None = None
    warnings: Sequence[WarningCode] = ()

    @classmethod
    def of(cls, body: PredictionRequest, zone: ZoneInfo | None) -> SentPrediction:
        """Check which fields are combined, and parse the readings."""
        is_complete = body.cgm_data is not None
        if is_complete and body.consumed_foods is None:
            raise InputError("consumed_foods", "is required if cgm_data is sent")
        if body.consumed_foods is not None and not is_complete:
            raise InputError("cgm_data", "is required if consumed_foods is sent")
        for name in _RECENT:
            if is_complete and getattr(body, name) is not None:
                raise InputError(name, "must not be combined with cgm_data; send one of them")
        fields = _COMPLETE if is_complete else _RECENT
        readings = getattr(body, fields.cgm)
        if readings is None:
            return cls(body, zone, fields)
        trace, warnings = read_trace(readings, zone, fields.cgm)
        return cls(body.model_copy(update={fields.cgm: None}), zone, fields, trace, warnings)

    @property
    def eaten(self) -> list[ConsumedFood] | None:
        """The foods of the history, None if they are not given."""
        eaten: list[ConsumedFood] | None = getattr(self.body, self.fields.meals)
        return eaten

    def food_ids(self) -> Iterator[int]:
        """Yield the IDs of the foods in the meal, in the history and in the previous meals."""
        for foods in (self.body.foods, self.eaten, self.body.previous_meals):
            yield from (food.choice().food_id for food in foods or ())

    def occasion(self, foods: Foods, now: datetime) -> Occasion:
        """Return the start of the meal and what is known, on the clock of the end user."""
        body, zone = self.body, self.zone
        if body.start_time is None:
            start = now.astimezone(zone or UTC)
        else:
            start = local_time(body.start_time, zone, "start_time")
        known = self._known(foods, start)
        if zone is not None:
            return Occasion(start, known, is_clock_known=True)
        trace, meals = known.trace, known.meals
        history = None
        if trace is not None or meals is not None:
            history = History(
                NO_READINGS if trace is None else trace, NO_MEALS if meals is None else meals
            )
        start, history, is_clock_known = on_local_clock(start, history, "start_time")
        if history is not None:
            known = known._replace(
                trace=None if trace is None else history.trace,
                meals=None if meals is None else history.meals,
            )
        return Occasion(start, known, is_clock_known)

    def _known(self, foods: Foods, start: datetime) -> Known:
        """Return what the body tells about the end user, as the library takes it."""
        body, zone, meals, since_meal_h = self.body, self.zone, None, None
        if self.eaten is not None:
            meals = _meal_history(foods, self.eaten, zone, self.fields.meals)
        if body.previous_meals:
            field = "previous_meals"
            previous = _meal_history(foods, body.previous_meals, zone, field)
            times = [food.timestamp for food in body.previous_meals]
            since_meal_h = hours_since_previous_meal(previous, times, start, field, meals)
        current, read_s = body.current_glucose, None
        if current is not None and current.measured_at is not None:
            field = "current_glucose.measured_at"
            read_s = local_time(current.measured_at, zone, field).timestamp()
        return Known(
            self.fields,
            self.trace,
            meals,
            needs_days=self.fields == _COMPLETE,
            since_meal_h=since_meal_h,
            sensor=body.sensor,
            start_mg_dl=measured_value(current, GLUCOSE, "current_glucose"),
            read_s=read_s,
            hba1c_percent=measured_value(body.hba1c, HBA1C, "hba1c"),
            fasting_glucose_mg_dl=measured_value(
                body.fasting_glucose, FASTING_GLUCOSE, "fasting_glucose"
            ),
        )


def _meal_history(
    foods: Foods, eaten: list[ConsumedFood], zone: ZoneInfo | None, field: str
) -> MealHistory:
    return read_meal_history(foods, [food.timed_choice() for food in eaten], zone, field)
