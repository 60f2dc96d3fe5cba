"""Explanations of why required figures were missed: what was tried, and with which results.

The sentences summarize ``models/population/choices.md``. The model card shows them only for figures
that were missed.
"""

from __future__ import annotations

__all__ = ["MISSED"]

MISSED: dict[str, str] = {
    "left out": """**Data sets left out.** Clinical states for Hall 2018, the previous meal and the
  kind of carbohydrate lowered the mean rise RMSE from 27.52 to 26.45. If sugary foods are weighted
  by meal, iAUC r on BIG IDEAs is .524, but only weights by food guarantee that a bigger portion
  never lowers the curve; they give .515.""",
    "loads": """**75 g of glucose.** The weight of pure glucose, published responses in the fit, a
  slower fall after larger doses and saturation by state raised the area ratio from .35 to .75 in
  prediabetes and from .43 to .82 in normal regulation. Weaker priors (strength 8) gave .77 in
  prediabetes with the same rise RMSE; the strength of 16 was kept.""",
    "published": """**Published responses.** With them and the weight of pure glucose in the fit,
  the rise RMSE on held-out sets is 26.6 instead of 26.25. No larger weight is recorded as
  tried.""",
    "unseen": """**Unseen people, without a reading.** The previous meal, the kind of
  carbohydrate and clinical states lowered the rise RMSE. The correlation hardly changed, and a
  firmer prior for the morning, which improved the held-out sets, lowered it by .003 with the
  Libre. LightGBM, alone or in an average, did not improve the results on all held-out sets.""",
    "reading": """**With a reading.** Splitting the effect of the reading by the time since the
  previous meal lowered the rise RMSE on held-out sets from 25.9 to 25.3. The trend of earlier
  readings made Hall 2018 worse; slopes by state, or different ones for high and low readings, were
  rejected, too.""",
    "hall": """**Hall 2018 with a reading.** With slopes by the time since the previous meal, iAUC
  r is about .01 below the value without a reading. The trend of earlier readings made it worse.""",
    "gain": """**Least-squares gain.** No trial is recorded for this figure alone.""",
    "above": """**Readings above the band.** The limits are quantiles on each side, by state and
  minute, and widen with the predicted rise. Fitting levels and bands to the conditions that people
  report raised the coverage with the Dexcom from .82 to .87. No trial of bands by time of day is
  recorded.""",
    "under 80": """**People under 80%.** Fitting levels and bands to reported conditions was tried
  for this, too. A person's level stays unknown without their data; personal models lower the
  share.""",
    "personal": """**Personal models.** Kernels of the similarity of meals, slopes for
  fat, protein and fiber, other rates at which the level fades, and a level learned from readings
  away from meals did not improve the results for held-out people. Training again before every
  later day lowers the errors ([table](personal.md#days-of-history)).""",
    "personal band": """**Personal band.** The third quartile of a person's own errors as their size
  improved the interval score for held-out people, compared with the root mean square and the
  median. The band still holds more than 90% of the readings of unseen people and is wider than
  required.""",
}
"""Explanations by topic, in Markdown."""
