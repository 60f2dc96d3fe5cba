"""Glucose predictions for a meal."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.responses import Response

from postmeal.glucose.history.wall_clock import zone_named
from postmeal_serve.http.call import Call
from postmeal_serve.http.operation import Operation
from postmeal_serve.resources.model_version import MODEL_VERSION, model_version
from postmeal_serve.resources.predictions import predict
from postmeal_serve.runtime.offload import offload
from postmeal_serve.service import Service
from postmeal_serve.v1_2.inputs_used import inputs_used, warnings_told
from postmeal_serve.v1_2.prediction_request import (
    PREDICTION_ACCEPTS,
    PREDICTION_EXAMPLE,
    PredictionRequest,
    SentPrediction,
)
from postmeal_serve.v1_2.prediction_response import (
    INCLUDED,
    PredictionResponse,
    prediction_response,
)
from postmeal_serve.v1_2.version import V1_2
from postmeal_serve.wire.parameters import Choice, Choices, Text
from postmeal_serve.wire.response_warnings import WARNINGS, WarningCode, warning_header
from postmeal_serve.wire.responses import json_response
from postmeal_serve.wire.unparsed_body import RequestBody

__all__ = ["GLUCOSE_OPERATIONS"]

_BAND = Choice(
    name="band",
    values=("true", "false"),
    about="Whether each point includes `lower` and `upper`, the bounds of the 90% band; the same as"
    " `include=band`. Default: false.",
)
_INCLUDE = Choices(
    name="include",
    values=INCLUDED,
    about="What to include in the response, separated by commas: `band` (bounds of the 90% band of"
    " each point), `nutrients` (of the meal), `contributions` (of each food to the peak),"
    " `chances` (probabilities of high peaks and large rises) and `notes` (caveats of the"
    " prediction).",
)
_TIME_ZONE = Text(
    name="x-end-user-timezone",
    place="header",
    about="IANA time zone of the end user, used if the body has no `timezone`.",
)


async def predict_glucose(call: Call) -> Response:
    """Predict glucose after a meal.

    Return a two-hour glucose curve, an impact score and bounds for a chart. `include` adds more.

    The curve is that of people with the same health conditions, moved by whatever else is known:
    readings of the last days without a food log (`recent_cgm`), foods with readings after them
    (`recent_meals`), a reading at the start (`current_glucose`), `hba1c` and `fasting_glucose`.
    `inputs_used` lists which of the fields can change the curve, and `warnings` what was not used
    and what to send instead.

    With `cgm_data` and `consumed_foods`, the prediction is personalized: a model is fitted to the
    readings and foods from before the meal, and the curve starts at the last reading if that is at
    most 15 minutes old. An older reading counts less, and not at all after 60 minutes. If the
    history has fewer than five complete days, the response is 400, and the message lists what each
    day lacks. If the history cannot be modeled, for example because the readings never change, the
    response is 422.

    The hour of the meal and the hours of the history affect the prediction. They are those of the
    time zone in `timezone` or `x-end-user-timezone`. If none is sent, they have the offset of
    `start_time`, or if that is `Z`, the offsets in the history. If all of these are `Z`, effects of
    the hour are not used, the band is wider, and `warnings` contains `time_zone_unknown`. The
    offset `+00:00` is treated like `Z`. A time zone is more accurate than an offset if the clocks
    change during the history.

    Readings at the same time are averaged. If they differ by more than 20 mg/dL, `warnings`
    contains `readings_averaged`. The header `X-Warnings` repeats these two codes.

    `previous_meals` lists the foods eaten in the hours before the meal, because they may still
    affect glucose. If a history is sent, its last meal is taken into account as well.

    Nothing in the request is stored.
    """
    sent, included = await call.read(_read, call.given, call.headers)
    if "contributions" in included or sent.eaten:  # takes milliseconds
        return await offload(_predict, call.service, sent, included)
    return await call.compute(sent.food_ids(), _predict, call.service, sent, included)


def _read(
    body: RequestBody, query: Mapping[str, str], headers: Headers
) -> tuple[SentPrediction, frozenset[str]]:
    parsed = body.parse(PredictionRequest, PREDICTION_ACCEPTS)
    included = _INCLUDE.read(query)
    if _BAND.read(query) == "true":
        included |= {"band"}
    name, field = parsed.timezone, "timezone"
    if name is None:
        name, field = _TIME_ZONE.read(headers), _TIME_ZONE.name
    zone = None if name is None else zone_named(name, field)
    return SentPrediction.of(parsed, zone), included


def _predict(service: Service, sent: SentPrediction, included: frozenset[str]) -> Response:
    body, predictor = sent.body, service.predictor
    start, known, is_clock_known = sent.occasion(service.foods, service.clock.now())
    profile = body.user_profile.profile("user_profile")
    choices = [item.choice() for item in body.foods]
    what = service.foods, profile, choices, start, known
    prediction = predict(predictor, *what, is_clock_known=is_clock_known)
    contributions = None
    if "contributions" in included:
        contributions = predictor.contributions(profile, prediction.meal)
    codes: list[WarningCode] = [*sent.warnings]
    if not is_clock_known:
        codes.append("time_zone_unknown")
    content = prediction_response(
        prediction,
        inputs_used(prediction, known.fields, bool(body.previous_meals), is_clock_known),
        warnings_told(prediction, known.fields, codes),
        included,
        contributions,
    )
    headers = {"X-Model-Version": model_version(prediction), **warning_header(codes)}
    return json_response(content, headers=headers)


GLUCOSE_OPERATIONS = (
    Operation(
        "POST",
        "/glucose/predictions",
        predict_glucose,
        version=V1_2,
        scope="glucose:read",
        response_model=PredictionResponse,
        body=PredictionRequest,
        example=PREDICTION_EXAMPLE,
        parameters=(_BAND, _INCLUDE, _TIME_ZONE),
        refusals=(404, 413, 415, 422, 504),
        headers=MODEL_VERSION | WARNINGS,
    ),
)
