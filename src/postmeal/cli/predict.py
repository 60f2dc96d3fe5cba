"""``postmeal predict``: predict the glucose curve after a meal."""

from __future__ import annotations

import argparse
import json
import re
import sys
from datetime import date, datetime, time
from pathlib import Path
from textwrap import shorten
from typing import Any

from postmeal.cli.arguments import number
from postmeal.cli.curve_plot import curve_plot
from postmeal.cli.export_options import EXPORT_OPTION_OF, add_export_options, read_with_options
from postmeal.errors import InputError, ModelError
from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Meal, Selection
from postmeal.foods.language import MealReading, parse_meal, read_meal
from postmeal.foods.nutrients import UNITS
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.population.contributions import Contributions
from postmeal.glucose.prediction import Prediction
from postmeal.glucose.predictor import Predictor
from postmeal.people import ACTIVITY_LEVELS, HEALTH_CONDITIONS, Profile
from postmeal.rounding import MG_DL, rounded
from postmeal.units import FASTING_GLUCOSE, GLUCOSE, HBA1C, parse_length_cm, parse_mass_kg

_DATE_AND_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_BEFORE_ONE_DIGIT_HOUR = re.compile(r"^(?=\d:)")  # read 8:00 as 08:00
_OPTION_OF = {
    "activity_level": "--activity",
    "age": "--age",
    "at": "--at",
    "country": "--country",
    "fasting_glucose_mg_dl": "--fasting-glucose",
    "hba1c_percent": "--hba1c",
    "health_conditions": "--condition",
    "minutes": "--minutes",
    "sensor": "--sensor",
    "sex": "--sex",
    "start_mg_dl": "--reading",
    "trace": "--cgm",
    **EXPORT_OPTION_OF,
}
_WORDS = {
    "fasting_glucose_mg_dl": "fasting glucose",
    "hba1c_percent": "HbA1c",
    "height_cm": "height",
    "personal": "personal model",
    "since_meal_h": "previous meal",
    "start_mg_dl": "reading",
    "weight_kg": "weight",
}
_OF_THE_PERSON = {
    "fasting_glucose_mg_dl",
    "hba1c_percent",
    "meals",
    "personal",
    "start_mg_dl",
    "trace",
}
"""Inputs that the contributions of foods do not take into account."""
_LISTED_NUTRIENTS = (
    "energy_kcal",
    "carbs_g",
    "fiber_g",
    "sugars_g",
    "protein_g",
    "fat_g",
    "sodium_mg",
)


def add_to(commands: Any) -> None:
    """Add ``postmeal predict`` to the commands."""
    parser = commands.add_parser(
        "predict",
        help="predict the two-hour glucose curve after a meal",
        epilog="Measured values require a unit, as in 66in, 5'6, 168cm, 150lb, 68kg, 105mg/dL,"
        " 5.8mmol/L, 5.6%% and 38mmol/mol.",
    )
    parser.add_argument("meal", help='foods of the meal, such as "1 cup oatmeal, 1 banana"')
    parser.add_argument(
        "--country",
        metavar="CODE",
        help="country where the meal was eaten, as an ISO 3166-1 alpha-2 code; for example, rice is"
        " assumed to be glutinous in Laos (LA)",
    )
    parser.add_argument(
        "--catalog",
        type=Path,
        metavar="FILE",
        help="catalog file with imported foods, written by postmeal foods compile (default: the"
        " foods that ship with postmeal)",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="fail if a part of the meal is not understood or an amount is only guessed",
    )
    _add_person(parser)
    parser.add_argument(
        "--at",
        metavar="TIME",
        help="local start time of the meal, HH:MM for today or YYYY-MM-DDTHH:MM, or only its date"
        " YYYY-MM-DD if the hour is unknown (default: now)",
    )
    parser.add_argument(
        "--sensor",
        metavar="NAME",
        help='predict the readings of this sensor, such as "Dexcom G6" (default: blood glucose)',
    )
    parser.add_argument(
        "--minutes",
        metavar="M,M,…",
        help="times to predict, in minutes after the start of the meal: numbers from 0 to 240 in"
        " ascending order (default: 0,15,…,120)",
    )
    _add_known(parser)
    shipped = "model folder (default: the shipped model)"
    parser.add_argument("--model", type=Path, metavar="FOLDER", help=shipped)
    parser.add_argument(
        "--personal",
        type=Path,
        metavar="FILE",
        help="predict with the person's own model, saved with PersonalModel.to_bytes; it predicts"
        " the readings of the sensor that it was trained on",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run, option_of=_OPTION_OF)


def _add_known(parser: argparse.ArgumentParser) -> None:
    """Add the options about what is known of the person beside the profile."""
    parser.add_argument(
        "--cgm",
        type=Path,
        action="append",
        metavar="FILE",
        help="export of a CGM app with the readings of the last days (can be repeated for files of"
        " the same app); food that is logged in it is used as well, and nothing after the start of"
        " the meal",
    )
    add_export_options(parser)
    parser.add_argument(
        "--reading", metavar="GLUCOSE", help="reading at the start of the meal, such as 105mg/dL"
    )
    parser.add_argument("--hba1c", metavar="VALUE", help="HbA1c, such as 5.6%% or 38mmol/mol")
    parser.add_argument(
        "--fasting-glucose",
        metavar="GLUCOSE",
        help="fasting plasma glucose, such as 98mg/dL or 5.4mmol/L",
    )


def _add_person(parser: argparse.ArgumentParser) -> None:
    """Add the options that describe a person; only the conditions change a prediction."""
    parser.add_argument("--age", type=number, metavar="YEARS", help="age in years")
    parser.add_argument("--sex", metavar="SEX", help="female or male")
    length = "height with a unit, such as 66in, 5'6 or 168cm"
    parser.add_argument("--height", metavar="LENGTH", help=length)
    mass = "weight with a unit, such as 150lb or 68kg"
    parser.add_argument("--weight", metavar="MASS", help=mass)
    parser.add_argument(
        "--activity", metavar="LEVEL", help=f"activity level: {', '.join(ACTIVITY_LEVELS)}"
    )
    parser.add_argument(
        "--condition",
        action="append",
        default=[],
        metavar="NAME",
        help=f"health condition (can be repeated): {', '.join(HEALTH_CONDITIONS)}",
    )


def _run(options: argparse.Namespace) -> None:
    height, weight = options.height, options.weight
    profile = Profile(
        age=options.age,
        sex=options.sex,
        height_cm=None if height is None else parse_length_cm(height, "--height"),
        weight_kg=None if weight is None else parse_mass_kg(weight, "--weight"),
        activity_level=options.activity,
        health_conditions=tuple(options.condition),
    )
    at = _local_time(options.at)
    minutes = None if options.minutes is None else _minutes(options.minutes)
    reading = _reading(options)
    meal = Meal(tuple(one.selection for one in reading.detections), at)
    predictor = Predictor.load(options.model)
    personal = _personal_model(options.personal)
    if personal is not None and options.sensor is not None:
        problem = (
            "cannot be combined with --personal, which predicts the readings of its own sensor"
        )
        raise InputError("--sensor", problem, options.sensor)
    known = _known(options)
    prediction = predictor.predict(
        profile, meal, minutes=minutes, sensor=options.sensor, personal=personal, **known
    )
    contributions = predictor.contributions(profile, meal)
    if options.json:
        print(json.dumps(_to_dict(meal, reading, prediction, contributions), indent=2))
    else:
        print(_to_text(meal, reading, prediction, contributions, _supports_unicode()))


def _reading(options: argparse.Namespace) -> MealReading:
    """Read the meal; with --strict, or if it names no food, an error says what is wrong."""
    catalog = Catalog.open(options.catalog)
    reading = read_meal(options.meal, catalog, country=options.country)
    if options.strict or not reading.detections:
        parse_meal(options.meal, catalog, country=options.country)
    return reading


def _known(options: argparse.Namespace) -> dict[str, Any]:
    """Return what the options tell about the person, as arguments of `Predictor.predict`."""
    known: dict[str, Any] = {}
    for name, quantity, option in (
        ("start_mg_dl", GLUCOSE, options.reading),
        ("hba1c_percent", HBA1C, options.hba1c),
        ("fasting_glucose_mg_dl", FASTING_GLUCOSE, options.fasting_glucose),
    ):
        if option is not None:
            known[name] = quantity.parse(option, name)
    if options.cgm is not None:
        export = read_with_options(options.cgm, options)
        known["trace"] = export.trace
        if len(export.meals) and options.personal is None:
            known["meals"] = export.meals
    return known


def _personal_model(path: Path | None) -> PersonalModel | None:
    if path is None:
        return None
    try:
        return PersonalModel.from_bytes(path.read_bytes())
    except ModelError as error:
        raise ModelError(f"{path} cannot be used: {error}") from None


def _local_time(text: str | None) -> datetime | date:
    now = datetime.now()
    if text is None:
        return now.replace(microsecond=0)
    try:
        if _DATE_AND_TIME.fullmatch(text):
            return datetime.fromisoformat(text)
        if _DATE.fullmatch(text):
            return date.fromisoformat(text)
        return datetime.combine(
            now.date(), time.fromisoformat(_BEFORE_ONE_DIGIT_HOUR.sub("0", text))
        )
    except ValueError:
        problem = "must be a time such as 08:00 or 2026-05-01T08:00, or a date such as 2026-05-01"
        raise InputError("at", problem, text) from None


def _minutes(text: str) -> list[float]:
    try:
        return [float(minute) for minute in text.split(",")]
    except ValueError:
        raise InputError(
            "minutes", "must be comma-separated numbers (such as 0,30,60)", text
        ) from None


def _to_dict(
    meal: Meal, reading: MealReading, prediction: Prediction, contributions: Contributions
) -> dict[str, Any]:
    foods = [
        {
            "id": selection.food.id,
            "name": selection.food.name,
            "quantity": selection.quantity,
            "serving": {"id": selection.serving.id, "unit": selection.serving.unit},
            "weight_g": selection.weight_g,
            "is_amount_stated": detection.amount_said,
            "contribution_mg_dl": rounded(contribution, MG_DL),
        }
        for selection, detection, contribution in zip(
            meal.selections, reading.detections, contributions.foods_mg_dl, strict=True
        )
    ]
    return {
        "foods": foods,
        "unread": list(reading.unread),
        "time": meal.time.isoformat(),
        **prediction.to_dict(),
        "contributions": contributions.rounded(),
    }


def _to_text(
    meal: Meal,
    reading: MealReading,
    prediction: Prediction,
    contributions: Contributions,
    unicode: bool,
) -> str:
    is_timed = isinstance(meal.time, datetime)
    lines = [f"Meal at {meal.time:%H:%M}" if is_timed else "Meal at an unknown hour"]
    for detection in reading.detections:
        assumed = "" if detection.amount_said else " (amount assumed)"
        name, amount = detection.selection.food.name, _amount(detection.selection)
        lines.append(f"  {name}: {amount}{assumed}")
    lines += [f"  not understood: {said}" for said in reading.unread]
    known = prediction.nutrients
    amounts = (
        f"{_label(key)} {_format_amount(key, known.amount(key))}"
        for key in _LISTED_NUTRIENTS
        if key in known
    )
    lines += ["", "Nutrients", "  " + ", ".join(amounts)]
    unknown = [_label(key) for key in _LISTED_NUTRIENTS if key not in known]
    if unknown:
        lines.append(f"  unknown for at least one food: {', '.join(unknown)}")
    lines += ["", "Glucose in mg/dL by minutes after the start of the meal, with the 90% band"]
    lines += curve_plot(prediction, unicode=unicode)
    columns = (
        ("minute", prediction.minutes),
        ("glucose", prediction.glucose_mg_dl),
        ("lower", prediction.lower_mg_dl),
        ("upper", prediction.upper_mg_dl),
    )
    for name, values in columns:
        lines.append(f"  {name:<8}" + "".join(f"{value:>6.0f}" for value in values))
    probabilities = (f"{name} {p:.0%}" for name, p in prediction.impact_probabilities.items())
    lines += ["", f"Impact   {prediction.impact} ({', '.join(probabilities)})"]
    chances = prediction.chances
    lines += [
        f"Chances  {chances.peak_140:.0%} of a peak of 140 mg/dL or more,"
        f" {chances.peak_180:.0%} of 180 or more"
    ]
    lines += [f"Range    {prediction.cgp_min} to {prediction.cgp_max} mg/dL (cgp_min, cgp_max)"]
    used = {item.name for item in prediction.inputs_used if item.used}
    source = " by the population model" if used & _OF_THE_PERSON else ""
    lines += [f"Peak     {contributions.peak_mg_dl:.1f} mg/dL of blood glucose{source}, made up of"]
    lines += [f"  {contributions.start_mg_dl:+8.1f}  without food"]
    for selection, contribution in zip(meal.selections, contributions.foods_mg_dl, strict=True):
        name = shorten(selection.food.name, 60, placeholder=" …")
        lines.append(f"  {contribution:+8.1f}  {name}")
    lines += _inputs_used(prediction)
    lines += [f"Warning  {warned.message}" for warned in prediction.warnings]
    lines += [f"Note     {note}" for note in prediction.notes]
    lines += [f"Model    {prediction.model_version}"]
    return "\n".join(lines)


def _inputs_used(prediction: Prediction) -> list[str]:
    """Return a line with the inputs that were used, and one with the others."""
    names: dict[bool, list[str]] = {True: [], False: []}
    for item in prediction.inputs_used:
        name = _WORDS.get(item.name, item.name.replace("_", " "))
        if item.name == "trace":
            name = f"{item.hours:.0f} h of CGM"
        if item.name == "meals" and item.n_meals:
            name = f"{item.n_meals} logged meals"
        names[item.used].append(name)
    lines = [f"Used     {', '.join(names[True])}"] if names[True] else []
    return lines + ([f"Not used {', '.join(names[False])}"] if names[False] else [])


def _amount(selection: Selection) -> str:
    amount = f"{selection.quantity:g} {selection.serving.unit}"
    if selection.weight_g is None or selection.serving.unit == "g":
        return amount
    return f"{amount}, {selection.weight_g:.0f} g"


def _label(nutrient: str) -> str:
    return nutrient.rpartition("_")[0].replace("_", " ")


def _format_amount(nutrient: str, amount: float) -> str:
    return f"{amount:.0f} {UNITS[nutrient]}" if amount >= 10 else f"{amount:.1f} {UNITS[nutrient]}"


def _supports_unicode() -> bool:
    """Return whether standard output is encoded in UTF-8."""
    encoding = sys.stdout.encoding if sys.stdout else None
    return (encoding or "").lower().replace("-", "") == "utf8"
