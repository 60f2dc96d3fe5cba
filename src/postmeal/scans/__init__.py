"""Meal scans: find the foods of a meal in a text or photo, and correct them in plain English."""

from __future__ import annotations

from postmeal.scans.corrections.correction import Correction, correct
from postmeal.scans.photo import PhotoScan, scan_photo
from postmeal.scans.picture import Picture
from postmeal.scans.scan import Confidence, Scan, ScannedFood
from postmeal.scans.text_scan import scan_text

__all__ = [
    "Confidence",
    "Correction",
    "PhotoScan",
    "Picture",
    "Scan",
    "ScannedFood",
    "correct",
    "scan_photo",
    "scan_text",
]
