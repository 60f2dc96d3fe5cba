"""Fit the constants of sensor families to readings that are paired with blood glucose."""

from __future__ import annotations

import pandas as pd

from postmeal.glucose.population.sensors import BLOOD, UNFITTED, SensorConstant

_FASTING_MINUTE = 0


def sensor_constants(dexcom: pd.DataFrame, libre: pd.DataFrame) -> dict[str, SensorConstant]:
    """Return the constants (offset and gain) of every sensor family."""
    fitted = {"Dexcom": dexcom_constant(dexcom), "Libre": libre_constant(libre)}
    return dict(sorted((fitted | UNFITTED).items())) | {"unnamed CGM": BLOOD}


def libre_constant(pairs: pd.DataFrame) -> SensorConstant:
    """Fit the offset and gain of the Libre family to finger-stick blood glucose.

    Both values of a pair contain errors. The gain is therefore the slope of the reduced major axis
    within people, which is the ratio of the standard deviations around each person's means (Kermack
    and Haldane 1950, doi:10.1093/biomet/37.1-2.30). The offset is chosen so that predicted and
    observed readings have the same mean over people.
    """
    means = pairs.groupby("person")[["blood_mg_dl", "sensor_mg_dl"]].transform("mean")
    within = pairs[["blood_mg_dl", "sensor_mg_dl"]] - means
    gain = float(within["sensor_mg_dl"].std() / within["blood_mg_dl"].std())
    mean = pairs.groupby("person")[["blood_mg_dl", "sensor_mg_dl"]].mean().mean()
    return SensorConstant(float(mean["sensor_mg_dl"] - gain * mean["blood_mg_dl"]), gain)


def dexcom_constant(pairs: pd.DataFrame) -> SensorConstant:
    """Fit the offset of the Dexcom family to venous blood glucose while fasting.

    After a glucose load, venous blood contains 20 to 25% less glucose than capillary blood
    (Larsson-Cohn 1976, Scandinavian Journal of Clinical and Laboratory Investigation 36:805). Only
    the pairs before the drink are therefore used, and the gain is 1.
    """
    fasting = pairs[pairs["minute"] <= _FASTING_MINUTE]
    difference = fasting["sensor_mg_dl"] - fasting["blood_mg_dl"]
    return SensorConstant(float(difference.groupby(fasting["person"]).mean().mean()), 1.0)
