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
    model = case["personal"]
    sensor = model["sensor"] if model else case["sensor"]
    when = datetime.fromisoformat(case["time"])
    day = (when.date() - date(1970, 1, 1)).days
    offset, gain = sensor_of(weights, sensor)
    prior = prior_of(weights, state, offset, gain, case)
    own_share = 0.0 if model is None else weight_of(weights, model, day)
    own, state = (model, model["state"]) if model and own_share else (None, state)
    hour = when.hour + when.minute / 60 + when.second / 3600
    meal = macronutrients(weights, case["foods"])
    recent, fasted = previous_meal(case["since_meal_h"])

    def mixed(population: float, personal: float) -> float:
        return (1 - own_share) * population + own_share * personal

    log_gain = mixed(prior["log_gain"], (own or {}).get("prior_log_gain", 0))
    start = offset + gain * (weights["level_mg_dl"][state] + prior["level"])
    added = [0.0] * len(GRID)
    if own is not None:
        blood = [rise(weights, state, meal, hour, minute, recent, log_gain) for minute in GRID]
        level, shape = correction(
            weights, own, meal, hour, blood, day, case["since_meal_h"], prior["level"]
        )
        start += own_share * gain * level
        added = [own_share * gain * each for each in shape]
    reading, trust = reading_of(case)
    if reading is not None:
        known = own_share + (1 - own_share) * prior["known_level"]
        off = trust * (reading - start)
        trend = trend_of(weights, off, known, recent, fasted)
        start, added = start + off, [a + b for a, b in zip(added, trend, strict=True)]

    def read_rise(minute: float) -> float:
        up = rise(weights, state, meal, hour, minute, recent, log_gain)
        return gain * up + interpolated(added, minute)

    band = weights, state, own, own_share, prior, trust, day
    glucose, lower, upper = [], [], []
    for minute in case["minutes"] or GRID:
        up = read_rise(minute)
        width = (1.0 if is_trained else 1.25) * (1 + 0.01 * max(up, 0.0))
        glucose.append(limited(start + up))
        lower.append(limited(start + up - width * band_distance(*band, "below", minute)))
        upper.append(limited(start + up + width * band_distance(*band, "above", minute)))
    top = max(read_rise(m) for m in GRID)
    half = (1.0 if is_trained else 1.25) * half_width(band)
    label, probabilities, peaks = outlook(weights, state, own_share, start, top, half)
    low, high = range_of(weights, state, is_trained, offset, gain, prior)
    if own is not None:
        low, high = mixed(low, own["low_mg_dl"]), mixed(high, own["high_mg_dl"])
    return {
        "glucose_mg_dl": glucose,
        "lower_mg_dl": lower,
        "upper_mg_dl": upper,
        "impact": label,
        "impact_probabilities": probabilities,
        "cgp_min": math.floor(max(min([low, *glucose]), 40)),
        "cgp_max": math.ceil(min(max([high, *glucose]), 400)),
        "chances": peaks,
        "is_personal": own is not None,
        "contributions": contributions(weights, case, hour),
    }


def trend_of(
    weights: dict[str, Any], off: float, known: float, recent: float, fasted: float
) -> list[float]:
    """Return the change of the curve that a reading `off` the predicted start leads to."""
    unknown = start_slopes(weights["start"], recent, fasted)
    certain = start_slopes(weights["personal"]["start"], recent, fasted)
    return [off * ((1 - known) * a + known * b) for a, b in zip(unknown, certain, strict=True)]


def band_distance(
    weights: dict[str, Any],
    state: str,
    own: dict[str, Any] | None,
    own_share: float,
    prior: dict[str, float],
    trust: float,
    day: int,
    side: str,
    minute: float,
) -> float:
    """Return the distance of an end of the band from the curve, before the rise widens it."""
    scale = 0.0 if own is None else own["scale_mg_dl"]
    fresh = 1.0 if own is None else kept(weights, day - own["last_day"])
    of_state = prior["band"] * interpolated(weights["band"][state][side], minute)
    of_person = scale * interpolated(weights["personal"]["band"][side], minute)
    without = of_state + own_share * fresh * (of_person - of_state)
    start_band = weights["start"]["band"][state][side]
    of_state = prior["band_with_reading"] * interpolated(start_band, minute)
    of_person = scale * interpolated(weights["personal"]["start"]["band"][side], minute)
    anchored = of_state + own_share * (of_person - of_state)
    return without + trust * (anchored - without)


def half_width(band: tuple[Any, ...]) -> float:
    """Return half of the mean width of the band from 30 to 90 minutes, before a rise widens it."""
    sides = [band_distance(*band, side, m) for side in ("below", "above") for m in GRID[2:7]]
    return sum(sides) / len(sides)


def outlook(
    weights: dict[str, Any], state: str, own_share: float, start: float, top: float, unit: float
) -> tuple[str, dict[str, float], dict[str, float]]:
    """Return the impact, its probabilities and the chances of a rise of `top`."""
    tables = weights, weights["personal"]
    impacts = [impact(table["impact_scale"], top) for table in tables]
    names = impacts[1][1]
    shares = 1 - own_share, own_share

    def mixed(values: list[dict[str, float]], name: str) -> float:
        return sum(share * value[name] for share, value in zip(shares, values, strict=True))

    probabilities = {name: mixed([own[1] for own in impacts], name) for name in names}
    label = impacts[0 if own_share < 0.5 else 1][0]
    if "peak_distribution" in weights:
        table = weights["peak_distribution"]
        high = {"rise_30": 1 - probabilities["low"], "rise_50": probabilities["high"]}
        for cut in (140, 180):
            wide = unit * (1 + 0.01 * max(cut - start, 0.0))
            odds = table["slope"] * ((start + top - cut) / wide + table["shift"][state])
            high[f"peak_{cut}"] = 1 / (1 + math.exp(-odds))
        return label, probabilities, high
    peaks = [chances(table["peak_scale"][state], start + top, probabilities) for table in tables]
    return label, probabilities, {name: mixed(peaks, name) for name in peaks[0]}


def weight_of(weights: dict[str, Any], own: dict[str, Any], day: int) -> float:
    """Return the weight of a personal model: by its errors, if old also by its response."""
    margin, few = weights["personal"].get("gate_margin", 0), min(own["n_meals"] / 3, 1.0)

    def by_error(error: float) -> float:
        ratio = error / own["population_rmse_mg_dl"]
        if margin == 0:
            return few if ratio < (1.0 if own["n_days"] >= 5 else 1.1) else 0.0
        return few * min(max((1 + margin - ratio) / margin, 0.0), 1.0)

    fresh, age = by_error(own["personal_rmse_mg_dl"]), day - own["last_day"]
    if age <= 14 or own["response_rmse_mg_dl"] is None:
        return fresh
    old = min(fresh, by_error(own["response_rmse_mg_dl"]))
    return old + kept(weights, age) * (fresh - old)


def kept(weights: dict[str, Any], age: float) -> float:
    """Return the share of a personal level that is kept although the sensor may be a new one."""
    days = weights["personal"].get("fading_days", 0)
    if age <= 14:
        return 1.0
    part = max(1 - (age - 14) / days, 0.0) if days else 0.0
    return 3 * part**2 - 2 * part**3


def reading_of(case: dict[str, Any]) -> tuple[float | None, float]:
    """Return the reading at the start and its weight: 1 for 15 minutes, 0 from an hour on."""

    def trust_at(age: float) -> float:
        part = min(max((60 - age) / 45, 0.0), 1.0)
        return 3 * part**2 - 2 * part**3

    found: list[tuple[float, float]] = []
    if case["start_mg_dl"] is not None:
        found.append((trust_at(case.get("start_age_min") or 0.0), case["start_mg_dl"]))
    if case.get("trace"):
        found.append((trust_at(case["trace"]["ending_min"]), readings_of(case["trace"])[-1][1]))
    trust, reading = max(found, key=lambda each: each[0], default=(0.0, 0.0))
    return (reading, trust) if trust else (None, 0.0)


def readings_of(trace: dict[str, float]) -> list[tuple[float, float]]:
    """Return the readings of a made-up trace: minutes before the meal, and mg/dL."""
    count = round(trace["hours"] * 60 / trace["step_min"])
    minutes = [trace["ending_min"] + trace["step_min"] * i for i in range(count, -1, -1)]
    return [
        (m, trace["mean"] + trace["wave"] * math.sin(m / 60 * 2 * math.pi / trace["period_h"]))
        for m in minutes
    ]


def prior_of(
    weights: dict[str, Any], state: str, offset: float, gain: float, case: dict[str, Any]
) -> dict[str, float]:
    """Return level, gain and widths of the band of a person, from all but meals."""
    found = {"level": 0.0, "log_gain": 0.0, "band": 1.0, "band_with_reading": 1.0}
    found |= {"known_level": 0.0, "range_weight": 0.0, "own_low": 0.0, "own_high": 0.0}
    learned = weights.get("person")
    if learned is None:
        return found
    hba1c, fasting = case.get("hba1c_percent"), case.get("fasting_glucose_mg_dl")
    names = [name for name, v in (("hba1c", hba1c), ("fasting", fasting)) if v is not None]
    unexplained = 1.0
    if names and state != "type_1":
        lab = learned["laboratory"]["_and_".join(names)]
        unexplained -= lab["explained"]
        found["band"] = lab["band"]
        if hba1c is not None:
            found["level"] += lab["hba1c"] * (hba1c - learned["mean_hba1c_percent"][state])
        if fasting is not None:
            found["level"] += lab["fasting"] * (fasting - learned["mean_fasting_mg_dl"][state])
    if case.get("trace") is None:
        return found
    readings = [each for each in readings_of(case["trace"]) if each[0] <= 14 * 24 * 60]
    covered = [first[0] - second[0] for first, second in itertools.pairwise(readings)]
    hours = sum(covered) / 60
    mean = sum(w * g for w, (_, g) in zip(covered, readings, strict=False)) / sum(covered)
    square = sum(w * (g - mean) ** 2 for w, (_, g) in zip(covered, readings, strict=False))
    sd = math.sqrt(square / sum(covered))
    part = min(max((hours - 12) / 12, 0.0), 1.0)
    share = 3 * part**2 - 2 * part**3
    if share == 0:
        return found
    table, knots = learned["trace"], [math.log(each) for each in learned["trace"]["hours"]]
    at = min(max(math.log(hours), knots[0]), knots[-1])

    def learned_at(column: str) -> float:
        i = 0 if at <= knots[1] else 1
        part = (at - knots[i]) / (knots[i + 1] - knots[i])
        return table[column][i] * (1 - part) + table[column][i + 1] * part

    k = learned_at("level_weight")
    found["range_weight"] = share * k
    found["own_low"], found["own_high"] = waking_ends(case, readings)
    weight = share * k * unexplained / (k * unexplained + 1 - k)
    own = (mean - offset) / gain - weights["level_mg_dl"][state]
    own -= learned["mean_above_level_mg_dl"]
    found["level"] = (1 - weight) * found["level"] + weight * own
    if state != "type_1":
        ratio = sd / gain / learned["usual_sd_mg_dl"][state]
        slope = learned_at("log_gain_slope")
        found["log_gain"] = share * (learned_at("log_gain") + slope * math.log(ratio))
    narrow = min(learned_at("band"), found["band"])
    found["band"] = (1 - share) * found["band"] + share * narrow
    found["band_with_reading"] = 1 - share + share * learned_at("band_with_reading")
    found["known_level"] = share * learned["known_level"]
    return found


def waking_ends(case: dict[str, Any], readings: list[tuple[float, float]]) -> tuple[float, float]:
    """Return the 2.5% and 97.5% quantiles of the readings from 6 to 24 h, 15 minutes apart."""
    when = datetime.fromisoformat(case["time"])
    every = max(round(15 / case["trace"]["step_min"]), 1)
    awake = [
        glucose
        for minutes, glucose in readings[::every]
        if (when.hour * 60 + when.minute + when.second / 60 - minutes) % 1440 >= 360
    ]

    def is_dip(i: int) -> bool:
        before, after = awake[max(i - 2, 0) : i], awake[i + 1 : i + 3]
        if not before or not after:
            return False
        return awake[i] < 70 and min(max(before), max(after)) >= awake[i] + 20

    kept = sorted(value for i, value in enumerate(awake) if not is_dip(i))

    def quantile(q: float) -> float:
        at = q * (len(kept) - 1)
        i = min(int(at), len(kept) - 2)
        return kept[i] + (at - i) * (kept[i + 1] - kept[i])

    return quantile(0.025), quantile(0.975)


def range_of(
    weights: dict[str, Any],
    state: str,
    is_trained: bool,
    offset: float,
    gain: float,
    prior: dict[str, float],
) -> tuple[float, float]:
    """Return the glucose range of a person, which is wider for conditions without training data."""
    if "blood_ranges" in weights:
        usual = weights["blood_ranges"][state]
        trust, own = prior["range_weight"], (prior["own_low"], prior["own_high"])
        low, high = (
            (1 - trust) * (offset + gain * usual[f"{name}_mg_dl"]) + trust * end
            for name, end in zip(("low", "high"), own, strict=True)
        )
    else:
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
    log_gain: float = 0.0,
) -> float:
    """Return the rise of blood glucose predicted by the population model."""
    w, i = weights["population"], STATES.index(state)

    def after(edge: float) -> float:
        return 1 / (1 + math.exp(4 * (edge - hour)))

    morning = after(3.5) * (1 - after(10.75))
    evening = after(17)
    by_hour = w["morning"][i] * morning + w["evening"][i] * evening
    gain = math.exp(w["log_gain"][i] + by_hour + log_gain)
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
    prior_level: float = 0.0,
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
    holds = kept(weights, age)
    share = holds * math.exp(-age / 30)
    level += holds * own["drift_mg_dl"] * math.exp(-age / 10) - (1 - share) * mean
    level += share * (own.get("prior_level_mg_dl", 0) - prior_level)
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
