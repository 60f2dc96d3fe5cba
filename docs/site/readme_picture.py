"""Draw the picture in the README: a meal in words, its predicted curve, and what each food adds.

``python docs/site/readme_picture.py`` rewrites ``docs/images/prediction.svg``. The picture has its
own background, which follows the reader's light or dark setting. The shipped model computes all
numbers in the picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from html import escape
from pathlib import Path

from postmeal import Catalog, Meal, Prediction, Predictor, Profile, read_meal
from postmeal.glucose.population.contributions import Contributions
from postmeal.units import MG_DL_PER_MMOL_L

PICTURE = Path(__file__).parents[1] / "images" / "prediction.svg"
MEAL = "a bowl of oatmeal with a banana and a glass of milk"
PERSON = Profile(
    age=45, sex="female", height_cm=168, weight_kg=68, health_conditions=["prediabetes"]
)
ABOUT = "45-year-old woman with prediabetes, breakfast at 8:00"
TIME = datetime(2026, 5, 1, 8)
WIDTH, HEIGHT = 920, 430
LEFT, RIGHT, TOP, BOTTOM = 72, 540, 150, 370  # edges of the curve, in pixels
LOWEST, HIGHEST = 60, 240  # ends of the glucose axis, in mg/dL
BAR_LEFT, BAR_RIGHT = 614, 888
STYLE = """
  .paper { fill: #ffffff; stroke: #d7dee4; } .ink { fill: #1a242d; } .soft { fill: #5a6874; }
  .grid { stroke: #e3e8ec; } .band { fill: #2a5fa5; opacity: .16; } .food { fill: #2a5fa5; }
  .curve { fill: none; stroke: #2a5fa5; stroke-width: 3.5; } .dot { fill: #2a5fa5; }
  text { font: 15px system-ui, -apple-system, "Segoe UI", Roboto,
  Helvetica, Arial, sans-serif; } .meal { font-size: 25px; font-weight: 600; }
  .head { font-weight: 600; } .strong { font-weight: 600; } .small { font-size: 13px; }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #12191f; stroke: #2e3b45; } .ink { fill: #e4ebf0; } .soft { fill: #9fb1bd; }
    .grid { stroke: #2a353e; } .band { fill: #6ba6e8; opacity: .22; } .food { fill: #6ba6e8; }
    .curve { stroke: #6ba6e8; } .dot { fill: #6ba6e8; }
  }
"""


def picture() -> str:
    """Return the picture as SVG."""
    reading = read_meal(MEAL, Catalog.open())
    meal = Meal(tuple(found.selection for found in reading.detections), TIME)
    predictor = Predictor.load()
    prediction = predictor.predict(PERSON, meal, minutes=range(0, 121, 5))
    split = predictor.contributions(PERSON, meal)
    foods = [found.said.removeprefix("a ") for found in reading.detections]
    parts = [
        f'<rect class="paper" x=".5" y=".5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="10"/>',
        _text(32, 52, f"“{MEAL}”", "ink meal"),
        _text(32, 80, ABOUT, "soft"),
        _text(32, 124, "Predicted glucose, mg/dL", "ink head"),
        *_axes(),
        *_curve(prediction),
        _text(BAR_LEFT, 124, "What each food adds to the peak", "ink head"),
        *_bars(foods, split),
    ]
    about = (
        f"{MEAL}: predicted peak of {prediction.peak_mg_dl:.0f} mg/dL after"
        f" {prediction.peak_min:.0f} minutes"
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
            f' width="{WIDTH}" height="{HEIGHT}" role="img">',
            f"<title>{escape(about)}</title>",
            f"<style>{STYLE}</style>",
            *parts,
            "</svg>",
            "",
        ]
    )


def _axes() -> list[str]:
    """Draw grid lines, and the labels of glucose in both units and of minutes."""
    drawn = []
    for glucose in range(LOWEST + 20, HIGHEST + 1, 40):
        y = _y(glucose)
        line = f'<line class="grid" x1="{LEFT}" x2="{RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        mmol_l = f"{glucose / MG_DL_PER_MMOL_L:.1f}"
        drawn += [
            line,
            _text(LEFT - 10, y + 5, str(glucose), "soft", "end"),
            _text(RIGHT + 8, y + 5, mmol_l, "soft small"),
        ]
    drawn.append(_text(RIGHT + 8, TOP - 14, "mmol/L", "soft small"))
    for minute in range(0, 121, 30):
        drawn.append(_text(_x(minute), BOTTOM + 22, str(minute), "soft", "middle"))
    label = "minutes after the start of the meal"
    drawn.append(_text((LEFT + RIGHT) / 2, BOTTOM + 44, label, "soft", "middle"))
    return drawn


def _curve(prediction: Prediction) -> list[str]:
    """Draw the band, the curve and its peak."""
    minutes = prediction.minutes
    upper = [*zip(minutes, prediction.upper_mg_dl, strict=True)]
    lower = [*zip(minutes, prediction.lower_mg_dl, strict=True)]
    curve = zip(minutes, prediction.glucose_mg_dl, strict=True)
    x, y = _x(prediction.peak_min), _y(prediction.peak_mg_dl)
    peak = f"{prediction.peak_mg_dl:.0f} mg/dL after {prediction.peak_min:.0f} min"
    return [
        f'<polygon class="band" points="{_points([*upper, *reversed(lower)])}"/>',
        f'<polyline class="curve" points="{_points(curve)}"/>',
        f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="6"/>',
        _text(x, y - 16, peak, "ink strong", "middle"),
        _text(x, y + 28, f"{prediction.impact} impact", "soft", "middle"),
        _text(RIGHT - 10, _y(prediction.lower_mg_dl[-1]) - 10, "90% band", "soft small", "end"),
    ]


def _bars(foods: Sequence[str], split: Contributions) -> list[str]:
    """Draw a bar for the contribution of each food, from the glucose without food to the peak."""
    scale = (BAR_RIGHT - BAR_LEFT) / (split.peak_mg_dl - split.start_mg_dl)
    y = TOP + 12
    drawn = _row("without food", f"{split.start_mg_dl:.1f}", y)
    left = float(BAR_LEFT)
    for food, added in zip(foods, split.foods_mg_dl, strict=True):
        y += 48
        drawn += _row(food, f"+{added:.1f}", y)
        place = f'x="{left:.1f}" y="{y + 8:.1f}" width="{scale * added:.1f}" height="14" rx="2"'
        drawn.append(f'<rect class="food" {place}/>')
        left += scale * added
    y += 52
    line = f'<line class="grid" x1="{BAR_LEFT}" x2="{BAR_RIGHT}" y1="{y - 20}" y2="{y - 20}"/>'
    return [*drawn, line, *_row("at the peak", f"{split.peak_mg_dl:.1f} mg/dL", y)]


def _row(label: str, value: str, y: float) -> list[str]:
    return [
        _text(BAR_LEFT, y, label, "ink"),
        _text(BAR_RIGHT, y, value, "ink strong", "end"),
    ]


def _x(minute: float) -> float:
    return LEFT + (RIGHT - LEFT) * minute / 120


def _y(glucose: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * (glucose - LOWEST) / (HIGHEST - LOWEST)


def _points(pairs: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{_x(minute):.1f},{_y(glucose):.1f}" for minute, glucose in pairs)


def _text(x: float, y: float, words: str, style: str, anchor: str = "start") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text class="{style}" {place}>{escape(words, quote=False)}</text>'


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(), encoding="utf-8")
    print(PICTURE)
