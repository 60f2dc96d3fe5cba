"""A slow and plain implementation of the released model, to check the package against.

It is written from `models/population/formulas.md` and imports nothing from the package, so an error
must be made twice to stay unseen. Keep it independent and plain, not fast.
"""

from __future__ import annotations

import itertools
import math
from datetime import date, datetime
from typing import Any

STATES = ("normal", "prediabetes", "type_2", "type_1")
MACRONUTRIENTS = ("carbs_g", "fiber_g", "protein_g", "fat_g")
GRID = (0, 15, 30, 45, 60, 75, 90, 105, 120)

TRAINED = {
    "none": "normal",
    "prediabetes": "prediabetes",
    "type_2_diabetes": "type_2",
    "type_1_diabetes": "type_1",
}
UNTRAINED = {
    "lada": "type_1",
    "gestational_diabetes": "prediabetes",
    "cystic_fibrosis_related_diabetes": "type_2",
    "diabetes_unknown_type": "type_2",
    "other": "normal",
}


def predict(weights: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    """Predict one case; the keys of both are those of `pairs.json`."""
    state, is_trained = state_of(case["health_conditions"])
    model, sensor = case["personal"], case["sensor"]
    if model is not None:
        sensor = model["sensor"]
    own = model
    if own is not None and own["personal_rmse_mg_dl"] >= own["population_rmse_mg_dl"]:
        own = None
    if own is not None:
        state = own["state"]
    tables = weights if own is None else weights["personal"]
    offset, gain = sensor_of(weights, sensor)
    when = datetime.fromisoformat(case["time"])
    hour = when.hour + when.minute / 60 + when.second / 3600
    meal = macronutrients(case["foods"])

    start = offset + gain * weights["level_mg_dl"][state]
    added = [0.0] * len(GRID)
    if own is not None:
        blood = [rise(weights, state, meal, hour, minute) for minute in GRID]
        day = (when.date() - date(1970, 1, 1)).days
        level, shape = correction(weights, own, meal, hour, blood, day, case["since_meal_h"])
        start += gain * level
        added = [gain * each for each in shape]
    reading = case["start_mg_dl"]
    if reading is not None:
        off = reading - start
        slope = tables["start"]["slope"]
        added = [added[i] + off * slope[i] for i in range(len(GRID))]
        start = reading

    def read_rise(minute: float) -> float:
        return gain * rise(weights, state, meal, hour, minute) + interpolated(added, minute)

    band = tables["band"] if reading is None else tables["start"]["band"]
    if own is None:
        band = band[state]
    unit = (1.0 if is_trained else 1.25) * (1.0 if own is None else own["scale_mg_dl"])
    glucose, lower, upper = [], [], []
    for minute in case["minutes"] or GRID:
        up = read_rise(minute)
        width = unit * (1 + 0.01 * max(up, 0.0))
        glucose.append(limited(start + up))
        lower.append(limited(start + up - width * interpolated(band["below"], minute)))
        upper.append(limited(start + up + width * interpolated(band["above"], minute)))
    label, probabilities = impact(tables["impact_scale"], max(read_rise(m) for m in GRID))
    low, high = own_range(own) if own else range_of(weights, state, is_trained, offset, gain)
    return {
        "glucose_mg_dl": glucose,
        "lower_mg_dl": lower,
        "upper_mg_dl": upper,
        "impact": label,
        "impact_probabilities": probabilities,
        "cgp_min": math.floor(max(min([low, *glucose]), 40)),
        "cgp_max": math.ceil(min(max([high, *glucose]), 400)),
        "is_personal": own is not None,
        "contributions": contributions(weights, case, hour),
    }


def own_range(own: dict[str, Any]) -> tuple[float, float]:
    """Return the range of glucose of a personal model."""
    return own["low_mg_dl"], own["high_mg_dl"]


def range_of(
    weights: dict[str, Any], state: str, is_trained: bool, offset: float, gain: float
) -> tuple[float, float]:
    """Return the range of glucose of a state, wider for conditions without training data."""
    ends = weights["ranges"][state]
    low, high = ends["low_mg_dl"], offset + gain * ends["high_mg_dl"]
    margin = 0.0 if is_trained else 0.25 * (high - low) / 2
    return low - margin, high + margin


def state_of(conditions: list[str]) -> tuple[str, bool]:
    """Return the most severe state, and whether a condition with training data leads to it."""
    states = [(TRAINED | UNTRAINED)[each] for each in conditions or ["none"]]
    gravest = max(states, key=STATES.index)
    return gravest, any(TRAINED.get(each) == gravest for each in conditions or ["none"])


def sensor_of(weights: dict[str, Any], sensor: str | None) -> tuple[float, float]:
    """Return the offset and the gain of a sensor."""
    if sensor is None:
        return 0.0, 1.0
    families = [name for name in weights["sensors"] if name.lower() in sensor.lower()]
    found = weights["sensors"][max(families, key=len)]
    return found["offset_mg_dl"], found["gain"]


def macronutrients(foods: list[dict[str, Any]]) -> dict[str, float]:
    """Sum the macronutrients of foods whose figures are for 100 g."""
    total = dict.fromkeys(MACRONUTRIENTS, 0.0)
    for food in foods:
        known = {name: food[name] or 0.0 for name in MACRONUTRIENTS}
        if food["fiber_g"] is None:
            known["fiber_g"] = 0.09 * known["carbs_g"]
        for name in MACRONUTRIENTS:
            total[name] += known[name] * food["grams"] / 100
    return total


def rise(
    weights: dict[str, Any], state: str, meal: dict[str, float], hour: float, minute: float
) -> float:
    """Return the rise of blood glucose by the population model."""
    w, i = weights["population"], STATES.index(state)

    def after(edge: float) -> float:
        return 1 / (1 + math.exp(4 * (edge - hour)))

    morning = after(3.5) * (1 - after(10.75))
    evening = after(17)
    gain = math.exp(w["log_gain"][i] + w["morning"][i] * morning + w["evening"][i] * evening)
    blunting = (
        w["protein_per_g"] * meal["protein_g"]
        + w["fat_per_g"] * meal["fat_g"]
        + w["fiber_per_g"] * meal["fiber_g"]
    )
    c = max(meal["carbs_g"] - meal["fiber_g"] / 2, 0) / (1 + blunting)
    height = gain * w["saturation_g"] * (1 - math.exp(-c / w["saturation_g"]))
    z = minute / w["peak_min"][i]
    s = w["sharpness"]
    if z > 1:
        s *= math.exp(-w["slowing_per_kcal"] * (4 * meal["protein_g"] + 9 * meal["fat_g"]))
    return height * (z * math.exp(1 - z)) ** s + w["drift_mg_dl"][i] * minute / 120


def correction(
    weights: dict[str, Any],
    own: dict[str, Any],
    meal: dict[str, float],
    hour: float,
    blood: list[float],
    day: int,
    since_meal_h: float | None,
) -> tuple[float, list[float]]:
    """Return what a personal model adds to the level, and to the rise on the grid, in blood."""
    shapes = weights["personal"]["shapes"]
    before = math.floor(hour / 1.5)
    part = hour / 1.5 - before
    share = (1 - part) * own["shares"][before] + part * own["shares"][(before + 1) % 16]
    available = max(meal["carbs_g"] - meal["fiber_g"] / 2, 0)
    carbs = share * (1 - math.exp(-available / 60) - 0.4)
    along = share * (sum(s * b for s, b in zip(shapes[0], blood, strict=True)) / 60 - 0.7)
    recent = 0.0 if since_meal_h is None else math.exp(-since_meal_h / 1.5) - 0.15
    omega = 2 * math.pi / 24
    w = [1.0] + [2 * math.exp(-((2 * j * omega) ** 2) / 2) for j in range(1, 6)]
    r = [math.sqrt(each / sum(w)) for each in w]
    hours = [r[0]]
    hours += [r[j] * math.cos(j * omega * hour) for j in range(1, 6)]
    hours += [r[j] * math.sin(j * omega * hour) for j in range(1, 6)]
    x = [1.0, along, recent, *hours]
    x += [carbs * each for each in hours]
    x += [along * each for each in hours]
    a1, a2, a3, level = [
        sum(e * each for e, each in zip(row, x, strict=True)) for row in own["effects"]
    ]
    level += own["drift_mg_dl"] * math.exp(-max(day - own["last_day"], 0) / 10)
    return level, [a1 * shapes[0][i] + a2 * shapes[1][i] + a3 * shapes[2][i] for i in range(9)]


def impact(scale: dict[str, float], peak_rise: float) -> tuple[str, dict[str, float]]:
    """Return the label and the probability of each label."""
    growth = scale["slope_per_mg_dl"] * peak_rise
    p30 = 1 / (1 + math.exp(-(scale["log_odds_30"] + growth)))
    p50 = 1 / (1 + math.exp(-(scale["log_odds_50"] + growth)))
    label = "low"
    if p30 >= scale["cut_medium"]:
        label = "medium"
    if p50 >= scale["cut_high"]:
        label = "high"
    return label, {"low": 1 - p30, "medium": p30 - p50, "high": p50}


def contributions(weights: dict[str, Any], case: dict[str, Any], hour: float) -> dict[str, Any]:
    """Return the Shapley values of foods and of macronutrients, from every order of adding them."""
    state, _ = state_of(case["health_conditions"])

    def peak(meal: dict[str, float]) -> float:
        level = weights["level_mg_dl"][state]
        return max(limited(level + rise(weights, state, meal, hour, minute)) for minute in GRID)

    def peak_of_foods(chosen: frozenset[int]) -> float:
        return peak(macronutrients([case["foods"][i] for i in sorted(chosen)]))

    whole = macronutrients(case["foods"])

    def peak_of_nutrients(chosen: frozenset[int]) -> float:
        return peak({n: whole[n] if i in chosen else 0.0 for i, n in enumerate(MACRONUTRIENTS)})

    nutrients = shapley(peak_of_nutrients, len(MACRONUTRIENTS))
    return {
        "start_mg_dl": peak(macronutrients([])),
        "foods_mg_dl": shapley(peak_of_foods, len(case["foods"])),
        "nutrients_mg_dl": dict(zip(MACRONUTRIENTS, nutrients, strict=True)),
        "peak_mg_dl": peak(whole),
    }


def shapley(value: Any, n: int) -> list[float]:
    """Return the mean of what each of n parts adds, over all orders."""
    worth: dict[frozenset[int], float] = {}

    def of(chosen: frozenset[int]) -> float:
        if chosen not in worth:
            worth[chosen] = value(chosen)
        return worth[chosen]

    total = [0.0] * n
    orders = list(itertools.permutations(range(n)))
    for order in orders:
        for place, part in enumerate(order):
            total[part] += of(frozenset(order[: place + 1])) - of(frozenset(order[:place]))
    return [each / len(orders) for each in total]


def interpolated(values: list[float], minute: float) -> float:
    """Interpolate values on the grid; beyond its end, return the last value."""
    if minute >= GRID[-1]:
        return values[-1]
    before = math.floor(minute / 15)
    part = minute / 15 - before
    return (1 - part) * values[before] + part * values[before + 1]


def limited(glucose_mg_dl: float) -> float:
    """Limit glucose to 40–400 mg/dL."""
    return min(max(glucose_mg_dl, 40.0), 400.0)
