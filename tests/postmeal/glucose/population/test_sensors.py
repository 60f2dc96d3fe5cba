"""Sensor families: found by the longest name, refused by name."""

import pytest

from postmeal.errors import InputError
from postmeal.glucose.population.sensors import (
    BLOOD,
    SensorConstant,
    check_sensor,
    sensor_constant,
)

DEXCOM, G4, LIBRE = (SensorConstant(offset, 1.0) for offset in (9.0, 4.0, 20.0))
FAMILIES = {"Dexcom": DEXCOM, "Dexcom G4": G4, "Libre": LIBRE}


@pytest.mark.parametrize(
    ("name", "constant"),
    [
        ("Dexcom G6 Pro", DEXCOM),
        ("DEXCOM G4 Platinum", G4),
        ("FreeStyle Libre 2", LIBRE),
        ("libre", LIBRE),
        (None, BLOOD),
    ],
)
def test_a_sensor_belongs_to_the_family_with_the_longest_name_in_its_own(name, constant):
    assert sensor_constant(name, FAMILIES) is constant


def test_a_sensor_of_no_family_is_refused_by_field_and_name():
    for field in ("sensor", "cgm_sensor"):
        with pytest.raises(InputError) as refusal:
            sensor_constant("Guardian 4", FAMILIES, field)
        problem = "must belong to one of the supported sensor families"
        families = "Dexcom, Dexcom G4, Libre"
        assert str(refusal.value) == f"{field} {problem}: {families}; got 'Guardian 4'"
    with pytest.raises(InputError, match=r"^sensor must belong"):
        sensor_constant("Guardian 4", FAMILIES)


@pytest.mark.parametrize("device", [None, "iPhone", "xDrip-DexcomG5", "Dexcom Clarity, phone"])
@pytest.mark.parametrize("name", [None, "Dexcom G6", "Dexcom G4", "Guardian 4"])
def test_a_sensor_agrees_with_devices_of_its_manufacturer_and_of_no_family(device, name):
    check_sensor(name, device, FAMILIES)


def test_a_sensor_of_another_manufacturer_than_the_device_is_refused():
    with pytest.raises(
        InputError, match=r"^sensor must be Dexcom, .*\(xDrip-DexcomG5\), got 'Libre"
    ):
        check_sensor("Libre 2", "xDrip-DexcomG5", FAMILIES)
