"""Section of the model card that describes personal models."""

from __future__ import annotations

DESCRIPTION = """## What a personal model is

A personal model consists of effects on three shapes of the rise, and on the level
at the start of the meal. The effects depend on the carbohydrate, the population model's predicted
rise, the hour and the time since the previous meal. The level never depends on the meal that is
about to be eaten. The effects are shrunk toward zero, more so if they differ little between people
of the training sets. Meals that are followed by another within two hours are used with the readings
before it. For all personal models, more carbohydrate or a bigger portion does not lower the peak,
except by a few tenths of a mg/dL between the amounts that are checked.

- **Gate.** Each training day is held out in turn. If the personal model's error on these days is
  not smaller than the population model's, the population model is served, and the notes say so.
- **Age.** The mean level fades after the last training day, to 79% after a week and 63% after
  two weeks. After that, the level and the band are the population model's, the response stays
  personal, and the notes say so. After a change of the sensor, the level is that of the last
  sensor.
- **Two to four days** give a preliminary model in the library, with a wider band and a note.
- **Band.** It is calibrated forward in time on people of the training sets who were left out of
  the population model and the prior, in units of the size of the person's own errors.
- **Range.** `cgp_min` and `cgp_max` are computed from the person's lowest and highest readings
  after meals.
- **Stored data.** Effects, level, error sizes and range: less than 2 KB of numbers, without any
  readings, meals or times."""
"""Description of personal models in Markdown."""
