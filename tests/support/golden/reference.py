"""A slow and simple implementation of the released model, for checking the package.

It is based on `models/population/formulas.md` and does not import the package, so that an error is
found unless it is made twice. Keep it independent and simple, not fast.
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
    """Predict a case; the keys of the case and of the result are those of `pairs.json`."""
    state, is_trained = state_of(case["health_conditions"])
    model, sensor = case["personal"], case["sensor"]
    if model is not None:
        sensor = model["sensor"]
    when = datetime.fromisoformat(case["time"])
    day = (when.date() - date(1970, 1, 1)).days
    own = model if model is not None and helps(model, day) else None
    if own is not None:
        state = own["state"]
    tables = weights if own is None else weights["personal"]
    offset, gain = sensor_of(weights, sensor)
    hour = when.hour + when.minute / 60 + when.second / 3600
    meal = macronutrients(weights, case["foods"])
    recent, fasted = previous_meal(case["since_meal_h"])

    start = offset + gain * weights["level_mg_dl"][state]
    added = [0.0] * len(GRID)
    if own is not None:
        blood = [rise(weights, state, meal, hour, minute, recent) for minute in GRID]
        level, shape = correction(weights, own, meal, hour, blood, day, case["since_meal_h"])
        start += gain * level
        added = [gain * each for each in shape]
    reading = case["start_mg_dl"]
    if reading is not None:
        off = reading - start
        slopes = start_slopes(tables["start"], recent, fasted)
        added = [added[i] + off * slopes[i] for i in range(len(GRID))]
        start = reading

    def read_rise(minute: float) -> float:
        up = rise(weights, state, meal, hour, minute, recent)
        return gain * up + interpolated(added, minute)

    band = tables["band"] if reading is None else tables["start"]["band"]
    unit = (1.0 if is_trained else 1.25) * (1.0 if own is None else own["scale_mg_dl"])
    if own is None:
        band = band[state]
    elif reading is None and day - own["last_day"] > 14:
        band, unit = weights["band"][state], 1.0 if is_trained else 1.25
    glucose, lower, upper = [], [], []
    for minute in case["minutes"] or GRID:
        up = read_rise(minute)
        width = unit * (1 + 0.01 * max(up, 0.0))
        glucose.append(limited(start + up))
        lower.append(limited(start + up - width * interpolated(band["below"], minute)))
        upper.append(limited(start + up + width * interpolated(band["above"], minute)))
    top = max(read_rise(m) for m in GRID)
    label, probabilities = impact(tables["impact_scale"], top)
    low, high = own_range(own) if own else range_of(weights, state, is_trained, offset, gain)
    return {
        "glucose_mg_dl": glucose,
        "lower_mg_dl": lower,
        "upper_mg_dl": upper,
        "impact": label,
        "impact_probabilities": probabilities,
        "cgp_min": math.floor(max(min([low, *glucose]), 40)),
        "cgp_max": math.ceil(min(max([high, *glucose]), 400)),
        "chances": chances(tables["peak_scale"][state], start + top, probabilities),
        "is_personal": own is not None,
        "contributions": contributions(weights, case, hour),
    }


def helps(own: dict[str, Any], day: int) -> bool:
    """Return whether a personal model was better on held-out days, if old also by its response."""
    errors = [own["personal_rmse_mg_dl"]]
    if day - own["last_day"] > 14 and own["response_rmse_mg_dl"] is not None:
        errors.append(own["response_rmse_mg_dl"])
    most = 1.0 if own["n_days"] >= 5 else 1.1
    return all(error < most * own["population_rmse_mg_dl"] for error in errors)


def own_range(own: dict[str, Any]) -> tuple[float, float]:
    """Return the glucose range of a personal model."""
    return own["low_mg_dl"], own["high_mg_dl"]


def range_of(
    weights: dict[str, Any], state: str, is_trained: bool, offset: float, gain: float
) -> tuple[float, float]:
    """Return the glucose range of a state, which is wider for conditions without training data."""
    ends = weights["ranges"][state]
    low, high = ends["low_mg_dl"], offset + gain * ends["high_mg_dl"]
    margin = 0.0 if is_trained else 0.25 * (high - low) / 2
    return low - margin, high + margin


def state_of(conditions: list[str]) -> tuple[str, bool]:
    """Return the most severe state, and whether there is training data for its condition."""
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


def previous_meal(since_meal_h: float | None) -> tuple[float, float]:
    """Return how recent the previous meal is, and the degree of fasting."""
    if since_meal_h is None:
        return 0.15, 0.5
    return math.exp(-since_meal_h / 1.5), 1 / (1 + math.exp(6 - min(since_meal_h, 24)))


def start_slopes(known: dict[str, Any], recent: float, fasted: float) -> list[float]:
    """Return the change of the rise per mg/dL of the reading, on the grid."""
    columns = zip(known["slope"], known["recent"], known["fasting"], strict=True)
    return [always + recent * after + fasted * before for always, after, before in columns]


def kind_weight(weights: dict[str, Any], food: dict[str, Any]) -> float:
    """Return the weight of a food's carbohydrate."""
    index, sugars, carbs = food.get("glycemic_index"), food.get("sugars_g"), food["carbs_g"]
    if index is not None and index >= 95:
        return float(weights["carb_weights"]["glucose"])
    if not carbs or sugars is None or sugars <= 0.4 * carbs:
        return 1.0
    degree = min((sugars / carbs - 0.4) / 0.3, 1.0)
    weight = float(1 - (1 - weights["carb_weights"]["sugary"]) * degree)
    return weight if index is None else min(max(weight, index / 103), 1.0)


def macronutrients(weights: dict[str, Any], foods: list[dict[str, Any]]) -> dict[str, float]:
    """Sum the macronutrients of foods whose figures are for 100 g, carbohydrate by its kind."""
    total = dict.fromkeys(MACRONUTRIENTS, 0.0)
    for food in foods:
        known = {name: food[name] or 0.0 for name in MACRONUTRIENTS}
        if food["fiber_g"] is None:
            known["fiber_g"] = 0.09 * known["carbs_g"]
        available = max(known["carbs_g"] - known["fiber_g"] / 2, 0.0)
        known["carbs_g"] += (kind_weight(weights, food) - 1) * available
        for name in MACRONUTRIENTS:
            total[name] += known[name] * food["grams"] / 100
    return total


def rise(
    weights: dict[str, Any],
    state: str,
    meal: dict[str, float],
    hour: float,
    minute: float,
    recent: float = 0.15,
) -> float:
    """Return the rise of blood glucose predicted by the population model."""
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
    limit = w["saturation_g"][i]
    height = gain * limit * (1 - math.exp(-c / limit))
    z = minute / w["peak_min"][i]
    s = w["sharpness"]
    if z > 1:
        slowing = w["slowing_per_kcal"] * (4 * meal["protein_g"] + 9 * meal["fat_g"])
        s *= math.exp(-slowing - w["slowing_per_g"] * min(c, 150))
    part = min(minute, 120) / 120
    change = w["recent_middle_mg_dl"] * math.sin(math.pi * part) + w["recent_end_mg_dl"] * part
    up = height * (z * math.exp(1 - z)) ** s + w["drift_mg_dl"][i] * minute / 120
    return up + recent * change


def correction(
    weights: dict[str, Any],
    own: dict[str, Any],
    meal: dict[str, float],
    hour: float,
    blood: list[float],
    day: int,
    since_meal_h: float | None,
) -> tuple[float, list[float]]:
    """Return what a personal model adds to the level and to the rise of blood glucose."""
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
    age = max(day - own["last_day"], 0)
    mean = own["effects"][3][0] + r[0] * own["effects"][3][3]
    if age > 14:
        level -= mean
    else:
        level += own["drift_mg_dl"] * math.exp(-age / 10) - (1 - math.exp(-age / 30)) * mean
    return level, [a1 * shapes[0][i] + a2 * shapes[1][i] + a3 * shapes[2][i] for i in range(9)]


def impact(scale: dict[str, float], peak_rise: float) -> tuple[str, dict[str, float]]:
    """Return the impact label, and the probability of each label."""
    growth = scale["slope_per_mg_dl"] * peak_rise
    p30 = 1 / (1 + math.exp(-(scale["log_odds_30"] + growth)))
    p50 = 1 / (1 + math.exp(-(scale["log_odds_50"] + growth)))
    label = "low"
    if p30 >= scale["cut_medium"]:
        label = "medium"
    if p50 >= scale["cut_high"]:
        label = "high"
    return label, {"low": 1 - p30, "medium": p30 - p50, "high": p50}


def chances(
    scale: dict[str, float], peak: float, probabilities: dict[str, float]
) -> dict[str, float]:
    """Return the probabilities of peaks and of rises."""
    growth = scale["slope_per_mg_dl"] * (peak - 140)
    return {
        "peak_140": 1 / (1 + math.exp(-(scale["log_odds_140"] + growth))),
        "peak_180": 1 / (1 + math.exp(-(scale["log_odds_180"] + growth))),
        "rise_30": probabilities["medium"] + probabilities["high"],
        "rise_50": probabilities["high"],
    }


def contributions(weights: dict[str, Any], case: dict[str, Any], hour: float) -> dict[str, Any]:
    """Return the Shapley values of foods and macronutrients, computed from all their orders."""
    state, _ = state_of(case["health_conditions"])

    def peak(meal: dict[str, float]) -> float:
        level = weights["level_mg_dl"][state]
        return max(limited(level + rise(weights, state, meal, hour, minute)) for minute in GRID)

    def peak_of_foods(chosen: frozenset[int]) -> float:
        return peak(macronutrients(weights, [case["foods"][i] for i in sorted(chosen)]))

    whole = macronutrients(weights, case["foods"])

    def peak_of_nutrients(chosen: frozenset[int]) -> float:
        return peak({n: whole[n] if i in chosen else 0.0 for i, n in enumerate(MACRONUTRIENTS)})

    nutrients = shapley(peak_of_nutrients, len(MACRONUTRIENTS))
    return {
        "start_mg_dl": peak(macronutrients(weights, [])),
        "foods_mg_dl": shapley(peak_of_foods, len(case["foods"])),
        "nutrients_mg_dl": dict(zip(MACRONUTRIENTS, nutrients, strict=True)),
        "peak_mg_dl": peak(whole),
    }


def shapley(value: Any, n: int) -> list[float]:
    """Return what each of n parts adds to the value, averaged over all orders of the parts."""
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
    """Interpolate values on the grid; after the end of the grid, return the last value."""
    if minute >= GRID[-1]:
        return values[-1]
    before = math.floor(minute / 15)
    part = minute / 15 - before
    return (1 - part) * values[before] + part * values[before + 1]


def limited(glucose_mg_dl: float) -> float:
    """Limit glucose to 40–400 mg/dL."""
    return min(max(glucose_mg_dl, 40.0), 400.0)
