"""Recognize exports of unsupported apps from the beginning of the file."""

from __future__ import annotations

import re

_APPS = {
    "mySugr": r"^[^,\n]+,[^,\n]+,Tags,[^,\n]+\((?:mg/dL|mmol/L)\),",
    "Glooko": r"^Name:.*(?:Date Range|Datumsbereich):|\bcgm_data_\d+\.csv",
    "Medtronic CareLink": r"^Last Name,First Name,Patient ID,|^Index,Date,Time,New Device Time,",
    "Medtronic iPro": r"Medtronic Diabetes iPro Data Export",
    "Nutrisense": r"^class,value,time,length,photo_url,",
    "Levels": r"^Time \(UTC\),Time \(Local\),Glucose Reading",
    "Tidepool": r"^jsonRowIndex,|^[\[{]\s*[\[{](?s:.)*?\bdeviceTime\s*:|^sheets: .*\bcbg,.*\bsmbg",
    "FreeStyle Libre desktop": r"\bMeter Timestamp,Record Type,",
    "Apple Health": r"^<HealthData\b|\bapple_health_export/",
    "Eetmeter": r"^<Consumpties\b",
    "Cronometer": r"^Day,(?:Time,)?Group,Food Name,",
    "MyFitnessPal": r"^Date,Meal,Calories,|\bNutrition-Summary-[^,]*\.csv",
    "xDrip+ (its database)": r"\bexport\d+-\d+\.sqlite",
}
_PATTERNS = {app: re.compile(pattern, re.MULTILINE) for app, pattern in _APPS.items()}
_MAX_CHARS_SCANNED = 20_000


def recognize_app(text: str) -> str | None:
    """Return the name of the unsupported app that wrote a file."""
    beginning = re.sub("[;\\t]", ",", text[:_MAX_CHARS_SCANNED].replace('"', ""))
    return next((app for app, pattern in _PATTERNS.items() if pattern.search(beginning)), None)
