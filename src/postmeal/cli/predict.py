"""``postmeal predict "1 cup oatmeal, 1 banana" --age 45 …``: a meal's curve in the terminal."""

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
from postmeal.errors import InputError
from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Meal, Selection
from postmeal.foods.language import parse_meal
from postmeal.foods.nutrients import UNITS
from postmeal.glucose.population.contributions import Contributions
from postmeal.glucose.prediction import Prediction
from postmeal.glucose.predictor import Predictor
from postmeal.people import ACTIVITY_LEVELS, HEALTH_CONDITIONS, Profile
from postmeal.units import parse_length_cm, parse_mass_kg

__all__ = ["add_to"]

_TWO_DIGITS = re.compile(r"^(?=\d:)")  # 8:00 is 08:00
_SHOWN = ("energy_kcal", "carbs_g", "fiber_g", "sugars_g", "protein_g", "fat_g", "sodium_mg")


def add_to(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "predict",
        help="predict the two-hour glucose curve of a meal",
        epilog="Height and weight carry a unit: 66in, 5'6, 168cm; 150lb, 68kg.",
    )
    parser.add_argument("meal", help='what is eaten: "1 cup oatmeal, 1 banana"')
    parser.add_argument("--age", type=float, required=True, metavar="YEARS", help="age in years")
    parser.add_argument("--sex", required=True, metavar="SEX", help="female or male")
    parser.add_argument(
        "--height", required=True, metavar="LENGTH", help="with its unit: 66in, 5'6, 168cm"
    )
    parser.add_argument(
        "--weight", required=True, metavar="MASS", help="with its unit: 150lb, 68kg"
    )
    parser.add_argument("--activity", metavar="LEVEL", help=", ".join(ACTIVITY_LEVELS))
    parser.add_argument(
        "--condition",
        action="append",
        default=[],
        metavar="NAME",
        help=f"may be repeated: {', '.join(HEALTH_CONDITIONS)}",
    )
    parser.add_argument("--at", metavar="HH:MM", help="local time of the start of the meal (now)")
    parser.add_argument("--sensor", metavar="NAME", help='whose readings to predict: "Dexcom G6"')
    parser.add_argument("--minutes", metavar="M,M,…", help="other minutes than 0,15,…,120")
    parser.add_argument("--model", type=Path, metavar="FOLDER", help="folder of another model")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    profile = Profile(
        age=options.age,
        sex=options.sex,
        height_cm=parse_length_cm(options.height),
        weight_kg=parse_mass_kg(options.weight),
        activity_level=options.activity,
        health_conditions=tuple(options.condition),
    )
    at = _local_time(options.at)
    minutes = None if options.minutes is None else _minutes(options.minutes)
    meal = Meal(tuple(parse_meal(options.meal, Catalog.open())), at)
    predictor = Predictor.load(options.model)
    prediction = predictor.predict(profile, meal, minutes=minutes, sensor=options.sensor)
    contributions = predictor.contributions(profile, meal)
    if options.json:
        print(json.dumps(_plain(meal, prediction, contributions), indent=2))
    else:
        print(_text(meal, prediction, contributions, _can_draw()))


def _local_time(text: str | None) -> datetime:
    now = datetime.now()
    if text is None:
        return now.replace(microsecond=0)
    try:
        return datetime.combine(now.date(), time.fromisoformat(_TWO_DIGITS.sub("0", text)))
    except ValueError:
        raise InputError("at", "must be a time of day such as 08:00", text) from None


def _minutes(text: str) -> list[float]:
    try:
        return [float(minute) for minute in text.split(",")]
    except ValueError:
        raise InputError("minutes", "must be numbers such as 0,30,60", text) from None


def _plain(meal: Meal, prediction: Prediction, contributions: Contributions) -> dict[str, Any]:
    foods = [
        {
            "id": selection.food.id,
            "name": selection.food.name,
            "quantity": selection.quantity,
            "serving": {"id": selection.serving.id, "unit": selection.serving.unit},
            "weight_g": selection.weight_g,
            "contribution_mg_dl": part,
        }
        for selection, part in zip(meal.selections, contributions.foods_mg_dl, strict=True)
    ]
    return {
        "foods": foods,
        "time": meal.time.isoformat(),
        **prediction.to_dict(),
        "contributions": contributions._asdict(),
    }


def _text(
    meal: Meal, prediction: Prediction, contributions: Contributions, fine_signs: bool
) -> str:
    lines = [f"Meal at {meal.time:%H:%M}"]
    lines += [f"  {selection.food.name}: {_amount(selection)}" for selection in meal.selections]
    known = prediction.nutrients
    amounts = (f"{_word(key)} {_figure(key, known.amount(key))}" for key in _SHOWN if key in known)
    lines += ["", "Nutrients", "  " + ", ".join(amounts)]
    unknown = [_word(key) for key in _SHOWN if key not in known]
    if unknown:
        lines.append(f"  not known for every food: {', '.join(unknown)}")
    lines += ["", "Glucose in mg/dL by minute after the start of the meal, with the 90 % band"]
    lines += curve_plot(prediction, fine_signs=fine_signs)
    columns = (
        ("minute", prediction.minutes),
        ("glucose", prediction.glucose_mg_dl),
        ("from", prediction.lower_mg_dl),
        ("to", prediction.upper_mg_dl),
    )
    for name, values in columns:
        lines.append(f"  {name:<8}" + "".join(f"{value:>6.0f}" for value in values))
    chances = (f"{name} {share:.0%}" for name, share in prediction.impact_probabilities.items())
    lines += ["", f"Impact   {prediction.impact} ({', '.join(chances)})"]
    lines += [f"Range    {prediction.cgp_min} to {prediction.cgp_max} mg/dL (cgp_min, cgp_max)"]
    lines += [f"Peak     {contributions.peak_mg_dl:.1f} mg/dL of blood glucose is made of"]
    lines += [f"  {contributions.start_mg_dl:+8.1f}  without food"]
    for selection, part in zip(meal.selections, contributions.foods_mg_dl, strict=True):
        lines.append(f"  {part:+8.1f}  {shorten(selection.food.name, 60, placeholder=' …')}")
    lines += [f"Note     {note}" for note in prediction.notes]
    lines += [f"Model    {prediction.model_version}"]
    return "\n".join(lines)


def _amount(selection: Selection) -> str:
    amount = f"{selection.quantity:g} {selection.serving.unit}"
    if selection.weight_g is None or selection.serving.unit == "g":
        return amount
    return f"{amount}, {selection.weight_g:.0f} g"


def _word(nutrient: str) -> str:
    return nutrient.rpartition("_")[0].replace("_", " ")


def _figure(nutrient: str, amount: float) -> str:
    return f"{amount:.0f} {UNITS[nutrient]}" if amount >= 10 else f"{amount:.1f} {UNITS[nutrient]}"


def _can_draw() -> bool:
    """Whether the terminal takes block signs, or ASCII alone."""
    encoding = sys.stdout.encoding if sys.stdout else None
    return (encoding or "").lower().replace("-", "") == "utf8"
