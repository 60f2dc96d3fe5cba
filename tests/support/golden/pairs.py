"""Read and write `pairs.json`, which is written only by releases."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from golden import reference
from golden.scenarios import PEOPLE, PEOPLE_OF_RUNGS, rungs, scenarios
from postmeal import (
    CgmTrace,
    Food,
    Meal,
    Nutrients,
    PersonalModel,
    Predictor,
    Profile,
    Selection,
    Serving,
)

__all__ = ["FILE", "TOLERANCE", "differences", "pairs_of", "predicted", "read_pairs", "write_pairs"]

FILE = Path(__file__).with_name("pairs.json")
RUNGS = Path(__file__).with_name("rungs.json")
"""Pairs of the model that uses whatever is known about a person."""
TOLERANCE = 1e-6
"""Maximum difference of a number, in mg/dL or as a probability."""

_DIGITS = 9
_HUNDRED_GRAMS = Serving(
    id=1, quantity=100, unit="g", scaling_factor=1, weight_g=100, is_default=True
)
_NUTRIENTS = ("carbs_g", "fiber_g", "protein_g", "fat_g", "sugars_g")


def pairs_of(weights: dict[str, Any]) -> dict[str, Any]:
    """Compute the golden pairs of a model with the reference implementation."""
    pairs = []
    cases, people = scenarios(), PEOPLE
    if weights.get("person") is not None:
        cases, people = cases | rungs(), PEOPLE_OF_RUNGS
    for name, case in cases.items():
        expected = reference.predict(weights, _with_person(case, people))
        pairs.append({"name": name, "input": case, "expected": _rounded(expected)})
    model = f"{weights['name']}-{weights['version']}"
    return {"model": model, "people": people, "pairs": pairs}


def write_pairs(pairs: dict[str, Any], file: Path = FILE) -> None:
    """Write one pair per line, for readable diffs."""
    people = ",\n".join(f"{_json(name)}: {_json(one)}" for name, one in pairs["people"].items())
    lines = ",\n".join(map(_json, pairs["pairs"]))
    text = (
        f'{{"model": {_json(pairs["model"])},\n'
        f'"people": {{\n{people}\n}},\n'
        f'"pairs": [\n{lines}\n]}}\n'
    )
    file.write_text(text, encoding="utf-8")


def read_pairs(file: Path = FILE) -> dict[str, Any]:
    """Read the pairs, with the name of each person replaced by their personal model."""
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    for pair in content["pairs"]:
        pair["input"] = _with_person(pair["input"], content["people"])
    return content


def predicted(predictor: Predictor, case: dict[str, Any]) -> dict[str, Any]:
    """Predict an input with the package, and return it in the format of the expected output."""
    someone = Profile(
        age=40,
        sex="female",
        height_cm=170,
        weight_kg=70,
        health_conditions=case["health_conditions"],
    )
    meal = Meal(tuple(map(_selection, case["foods"])), datetime.fromisoformat(case["time"]))
    prediction = predictor.predict(
        someone,
        meal,
        minutes=case["minutes"],
        sensor=case["sensor"],
        personal=_personal_model(case["personal"], predictor.version),
        start_mg_dl=case["start_mg_dl"],
        since_meal_h=case["since_meal_h"],
        trace=_trace(case),
        hba1c_percent=case.get("hba1c_percent"),
        fasting_glucose_mg_dl=case.get("fasting_glucose_mg_dl"),
        start_age_min=case.get("start_age_min"),
    )
    parts = predictor.contributions(someone, meal)
    return {
        **{
            key: list(getattr(prediction, key))
            for key in ("glucose_mg_dl", "lower_mg_dl", "upper_mg_dl")
        },
        **{
            key: getattr(prediction, key)
            for key in ("impact", "impact_probabilities", "cgp_min", "cgp_max", "is_personal")
        },
        "chances": asdict(prediction.chances),
        "contributions": {**parts._asdict(), "foods_mg_dl": list(parts.foods_mg_dl)},
    }


def differences(found: Any, expected: Any, place: str = "") -> Iterator[str]:
    """Yield a description of each difference between two outputs beyond the tolerance."""
    if isinstance(expected, dict):
        if found.keys() != expected.keys():
            yield f"{place}: keys {sorted(found)}, expected {sorted(expected)}"
            return
        for key in expected:
            yield from differences(found[key], expected[key], f"{place}.{key}".lstrip("."))
    elif isinstance(expected, list):
        if len(found) != len(expected):
            yield f"{place}: {len(found)} values, expected {len(expected)}"
            return
        for number, (one, other) in enumerate(zip(found, expected, strict=True)):
            yield from differences(one, other, f"{place}[{number}]")
    elif isinstance(expected, float):
        if not abs(found - expected) <= TOLERANCE:
            yield f"{place}: {found}, expected {expected}"
    elif found != expected or type(found) is not type(expected):
        yield f"{place}: {found!r}, expected {expected!r}"


def _with_person(case: dict[str, Any], people: dict[str, Any]) -> dict[str, Any]:
    name = case["personal"]
    return case | {"personal": None if name is None else people[name]}


def _trace(case: dict[str, Any]) -> CgmTrace | None:
    if case.get("trace") is None:
        return None
    minutes, glucose = zip(*reference.readings_of(case["trace"]), strict=True)
    meal_s = datetime.fromisoformat(case["time"]).replace(tzinfo=UTC).timestamp()
    return CgmTrace.of([meal_s - 60 * minute for minute in minutes], 0, glucose)


def _selection(food: dict[str, Any]) -> Selection:
    known = {key: food[key] for key in _NUTRIENTS if food.get(key) is not None}
    index = food.get("glycemic_index")
    made = Food(
        1, "food", "generic", "Foods", Nutrients(known), (_HUNDRED_GRAMS,), glycemic_index=index
    )
    return Selection(made, _HUNDRED_GRAMS, food["grams"])


def _personal_model(values: dict[str, Any] | None, version: str) -> PersonalModel | None:
    if values is None:
        return None
    rows = tuple(map(tuple, values["effects"]))
    return PersonalModel(
        **values | {"base": version, "effects": rows, "shares": tuple(values["shares"])}
    )


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list) else value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
