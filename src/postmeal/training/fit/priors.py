"""Priors of the coefficients: a mean, a standard deviation and a strength for each.

The means are round figures from physiology. None of them was taken from the data used for
evaluation. The fit multiplies the squared distance from a mean by the strength. There are two
strengths, for coefficients with and without a physiological mean, which were chosen by
leave-one-data-set-out validation.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple


class Prior(NamedTuple):
    """A normal prior on one coefficient."""

    mean: float
    sd: float
    is_known: bool = True


PRIORS: dict[str, Prior] = {
    # A gram of carbohydrate raises the glucose of a healthy adult by about 0.6 mg/dL. A typical
    # meal of 50 g with protein and fat then raises it by about 20 mg/dL.
    "log_gain": Prior(log(0.6), 1.0),
    # Round figures: prediabetes increases the rise by a quarter, and type 2 diabetes doubles it.
    "prediabetes_gain": Prior(0.22, 0.2),
    "type_2_gain": Prior(0.75, 0.3),
    # In normal regulation, the same meal raises glucose more in the evening than in the morning
    # (Morris et al. 2015, doi:10.1073/pnas.1418955112). Logged breakfasts hardly differ from
    # lunches.
    "morning": Prior(0.0, 0.15),
    "evening": Prior(0.1, 0.2),
    # In type 2 diabetes, glucose is highest in the morning (Monnier et al. 2002,
    # doi:10.2337/diacare.25.4.737).
    "morning_type_2": Prior(0.4, 0.3),
    "evening_type_2": Prior(-0.1, 0.2),
    # More protein and fat lower the response to carbohydrate more (Moghaddam et al. 2006,
    # doi:10.1093/jn/136.10.2506). Round figures: the first ten grams of either reduce it by 13%,
    # and the first five grams of fiber by 23%.
    "protein_per_10_g": Prior(0.15, 0.15),
    "fat_per_10_g": Prior(0.15, 0.15),
    "fiber_per_5_g": Prior(0.3, 0.18),
    # The response saturates: twice the carbohydrate gives less than twice the area
    # (Wolever and Bolognesi 1996, doi:10.1093/jn/126.11.2798).
    "log_saturation_g": Prior(log(40.0), 0.4),
    # In normal regulation, glucose peaks at 45 minutes; with less insulin, it peaks later.
    "peak_min": Prior(45.0, 30.0),
    "prediabetes_peak_min": Prior(5.0, 6.0),
    "type_2_peak_min": Prior(25.0, 10.0),
    "sharpness": Prior(2.0, 2.0),
    # 400 kcal of protein and fat slow the fall after the peak by a factor of e.
    "slowing_per_400_kcal": Prior(1.0, 0.3),
    "drift_mg_dl": Prior(0.0, 20.0),
    # With impaired regulation, carbohydrate may saturate at different amounts.
    "prediabetes_log_saturation": Prior(0.2, 0.3, is_known=False),
    "type_2_log_saturation": Prior(0.0, 0.3, is_known=False),
    # A larger dose lengthens the response (see `postmeal.training.fit.published_responses`).
    "slowing_per_40_g": Prior(0.2, 0.3, is_known=False),
    # Right after a previous meal, glucose is high and about to fall.
    "recent_middle_mg_dl": Prior(0.0, 20.0, is_known=False),
    "recent_end_mg_dl": Prior(0.0, 20.0, is_known=False),
}
"""Priors of the coefficients, in the order in which they are fitted."""
