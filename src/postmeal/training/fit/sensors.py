"""Constants of the sensor families, from sensor readings paired with blood glucose."""

from __future__ import annotations

import pandas as pd

from postmeal.glucose.population.sensors import SensorConstant

__all__ = ["dexcom_constant", "libre_constant"]

_FASTING_MINUTE = 0


def libre_constant(pairs: pd.DataFrame) -> SensorConstant:
    """Offset and gain of the Libre family against finger-stick blood glucose.

    Both sides of a pair err, so the gain is the reduced major axis within people: the ratio of
    the standard deviations about each person's means (Kermack and Haldane 1950,
    doi:10.1093/biomet/37.1-2.30). The offset makes the means over people agree.

    Parameters
    ----------
    pairs : DataFrame
        Columns ``person``, ``blood_mg_dl``, ``sensor_mg_dl``.

    Returns
    -------
    SensorConstant
        The constant.
    """
    means = pairs.groupby("person")[["blood_mg_dl", "sensor_mg_dl"]].transform("mean")
    within = pairs[["blood_mg_dl", "sensor_mg_dl"]] - means
    gain = float(within["sensor_mg_dl"].std() / within["blood_mg_dl"].std())
    mean = pairs.groupby("person")[["blood_mg_dl", "sensor_mg_dl"]].mean().mean()
    return SensorConstant(float(mean["sensor_mg_dl"] - gain * mean["blood_mg_dl"]), gain)


def dexcom_constant(pairs: pd.DataFrame) -> SensorConstant:
    """Offset of the Dexcom family against venous blood glucose, while fasting.

    After a glucose load venous blood holds less glucose than capillary blood, by 20 to 25 %
    (Larsson-Cohn 1976, Scandinavian Journal of Clinical and Laboratory Investigation 36:805), so
    only the pairs before the drink count and the gain is left at one.

    Parameters
    ----------
    pairs : DataFrame
        Columns ``person``, ``minute``, ``blood_mg_dl``, ``sensor_mg_dl``; minute 0 is the drink.

    Returns
    -------
    SensorConstant
        The constant.
    """
    fasting = pairs[pairs["minute"] <= _FASTING_MINUTE]
    difference = fasting["sensor_mg_dl"] - fasting["blood_mg_dl"]
    return SensorConstant(float(difference.groupby(fasting["person"]).mean().mean()), 1.0)
