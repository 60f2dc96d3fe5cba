"""Meal scans: the foods of a meal from a text, and corrections of them in plain English."""

from __future__ import annotations

from postmeal.scans.corrections.correction import Correction, correct
from postmeal.scans.scan import Confidence, Scan, ScannedFood
from postmeal.scans.text_scan import scan_text

__all__ = ["Confidence", "Correction", "Scan", "ScannedFood", "correct", "scan_text"]
