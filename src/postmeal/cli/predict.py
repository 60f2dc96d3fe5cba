"""``postmeal predict``: predict the glucose curve after a meal."""

from __future__ import annotations

import argparse
import json
import re
import sys
from datetime import datetime, time
from pathlib import Path
from textwrap import shorten
from typing import Any

from postmeal.cli.curve_plot import curve_plot
from postmeal.cli.numbers import number
from postmeal.errors import InputError, ModelError
from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Meal, Selection
from postmeal.foods.language import parse_meal
from postmeal.foods.nutrients import UNITS
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.population.contributions import Contributions
from postmeal.glucose.prediction import Prediction
from postmeal.glucose.predictor import Predictor
from postmeal.people import ACTIVITY_LEVELS, HEALTH_CONDITIONS, Profile
from postmeal.rounding import MG_DL, rounded
from postmeal.units import parse_length_cm, parse_mass_kg

__all__ = ["add_to"]

_DATE_AND_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?")
_BEFORE_ONE_DIGIT_HOUR = re.compile(r"^(?=\d:)")  # read 8:00 as 08:00
_OPTION_OF = {
    "activity_level": "--activity",
    "age": "--age",
    "at": "--at",
    "country": "--country",
    "health_conditions": "--condition",
    "minutes": "--minutes",
    "sensor": "--sensor",
    "sex": "--sex",
}
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
        epilog="Height and weight require a unit, as in 66in, 5'6, 168cm, 150lb and 68kg.",
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
    _add_person(parser)
    parser.add_argument(
        "--at",
        metavar="TIME",
        help="local start time of the meal, HH:MM for today or YYYY-MM-DDTHH:MM (default: now)",
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


def _add_person(parser: argparse.ArgumentParser) -> None:
    """Add the options that describe a person."""
    parser.add_argument("--age", type=number, required=True, metavar="YEARS", help="age in years")
    parser.add_argument("--sex", required=True, metavar="SEX", help="female or male")
    parser.add_argument(
        "--height",
        required=True,
        metavar="LENGTH",
        help="height with a unit, such as 66in, 5'6 or 168cm",
    )
    mass = "weight with a unit, such as 150lb or 68kg"
    parser.add_argument("--weight", required=True, metavar="MASS", help=mass)
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
    profile = Profile(
        age=options.age,
        sex=options.sex,
        height_cm=parse_length_cm(options.height, "--height"),
        weight_kg=parse_mass_kg(options.weight, "--weight"),
        activity_level=options.activity,
        health_conditions=tuple(options.condition),
    )
    at = _local_time(options.at)
    minutes = None if options.minutes is None else _minutes(options.minutes)
    foods = parse_meal(options.meal, Catalog.open(options.catalog), country=options.country)
    meal = Meal(tuple(foods), at)
    predictor = Predictor.load(options.model)
    personal = _personal_model(options.personal)
    if personal is not None and options.sensor is not None:
        problem = (
            "cannot be combined with --personal, which predicts the readings of its own sensor"
        )
        raise InputError("--sensor", problem, options.sensor)
    prediction = predictor.predict(
        profile, meal, minutes=minutes, sensor=options.sensor, personal=personal
    )
    contributions = predictor.contributions(profile, meal)
    if options.json:
        print(json.dumps(_to_dict(meal, prediction, contributions), indent=2))
    else:
        print(_to_text(meal, prediction, contributions, _supports_unicode()))


def _personal_model(path: Path | None) -> PersonalModel | None:
    if path is None:
        return None
    try:
        return PersonalModel.from_bytes(path.read_bytes())
    except ModelError as error:
        raise ModelError(f"{path} cannot be used: {error}") from None


def _local_time(text: str | None) -> datetime:
    now = datetime.now()
    if text is None:
        return now.replace(microsecond=0)
    try:
        if _DATE_AND_TIME.fullmatch(text):
            return datetime.fromisoformat(text)
        return datetime.combine(
            now.date(), time.fromisoformat(_BEFORE_ONE_DIGIT_HOUR.sub("0", text))
        )
    except ValueError:
        raise InputError("at", "must be a time such as 08:00 or 2026-05-01T08:00", text) from None


def _minutes(text: str) -> list[float]:
    try:
        return [float(minute) for minute in text.split(",")]
    except ValueError:
        raise InputError(
            "minutes", "must be comma-separated numbers (such as 0,30,60)", text
        ) from None


def _to_dict(meal: Meal, prediction: Prediction, contributions: Contributions) -> dict[str, Any]:
    foods = [
        {
            "id": selection.food.id,
            "name": selection.food.name,
            "quantity": selection.quantity,
            "serving": {"id": selection.serving.id, "unit": selection.serving.unit},
            "weight_g": selection.weight_g,
            "contribution_mg_dl": rounded(contribution, MG_DL),
        }
        for selection, contribution in zip(meal.selections, contributions.foods_mg_dl, strict=True)
    ]
    return {
        "foods": foods,
        "time": meal.time.isoformat(),
        **prediction.to_dict(),
        "contributions": contributions.rounded(),
    }


def _to_text(
    meal: Meal, prediction: Prediction, contributions: Contributions, unicode: bool
) -> str:
    lines = [f"Meal at {meal.time:%H:%M}"]
    lines += [f"  {selection.food.name}: {_amount(selection)}" for selection in meal.selections]
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
    source = " by the population model" if prediction.is_personal else ""
    lines += [f"Peak     {contributions.peak_mg_dl:.1f} mg/dL of blood glucose{source}, made up of"]
    lines += [f"  {contributions.start_mg_dl:+8.1f}  without food"]
    for selection, contribution in zip(meal.selections, contributions.foods_mg_dl, strict=True):
        name = shorten(selection.food.name, 60, placeholder=" …")
        lines.append(f"  {contribution:+8.1f}  {name}")
    lines += [f"Note     {note}" for note in prediction.notes]
    lines += [f"Model    {prediction.model_version}"]
    return "\n".join(lines)


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
