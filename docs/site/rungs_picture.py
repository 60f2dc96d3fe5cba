"""Draw the picture in the README of what each state of knowledge adds, beside LightGBM.

``python docs/site/rungs_picture.py`` rewrites ``docs/images/knowledge.svg`` from the metrics of
population-4. The picture has its own background, which follows the reader's light or dark setting.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

from postmeal.training.card.comparisons import TIE_MG_DL, conclusion
from postmeal.training.card.rungs import KNOWN

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "images" / "knowledge.svg"
METRICS = ROOT / "models" / "population-4" / "metrics.json"
SENSORS = {"Libre Pro": "libre", "Dexcom G6 Pro": "dexcom"}
WIDTH, TOP, ROW = 920, 124, 38
PANELS = {
    "condition only": (("minus that with", "the condition only"), 304, 612, -20.5, 2.0, 5),
    "challenger": (("minus that of LightGBM", "with the same inputs"), 652, 892, -7.0, 2.0, 2),
}
"""Title, left and right edge in pixels, ends of the axis in mg/dL, and distance of its labels."""

STYLE = """
  .paper { fill: #ffffff; stroke: #d7dee4; } .ink { fill: #1a242d; } .soft { fill: #5a6874; }
  .grid { stroke: #e3e8ec; } .zero { stroke: #8896a2; } .tied { fill: #8896a2; opacity: .25; }
  .libre { stroke: #2a5fa5; fill: #2a5fa5; } .dexcom { stroke: #b8560f; fill: #b8560f; }
  .line { stroke-width: 2.5; } .open { fill: #ffffff; stroke-width: 2.5; }
  text { font: 15px system-ui, -apple-system, "Segoe UI", Roboto,
  Helvetica, Arial, sans-serif; } .head { font-weight: 600; font-size: 19px; }
  .strong { font-weight: 600; } .small { font-size: 13px; }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #12191f; stroke: #2e3b45; } .ink { fill: #e4ebf0; } .soft { fill: #9fb1bd; }
    .grid { stroke: #2a353e; } .zero { stroke: #71808c; } .tied { fill: #9fb1bd; opacity: .2; }
    .libre { stroke: #6ba6e8; fill: #6ba6e8; } .dexcom { stroke: #eb9a58; fill: #eb9a58; }
    .open { fill: #12191f; }
  }
"""


def picture() -> str:
    """Return the picture as SVG."""
    rungs = json.loads(METRICS.read_text(encoding="utf-8"))["rungs"]
    names = list(next(iter(rungs.values())))
    bottom = TOP + ROW * len(names)
    height = bottom + 100
    parts = [
        f'<rect class="paper" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="10"/>',
        _text(28, 42, "Error of the curve (RMSE) with what is known …", "ink head"),
        _text(28, 84, "What is known", "ink strong"),
        _text(28, 104, "beside the condition", "soft small"),
        _text(598, bottom + 44, "mg/dL, less is better", "soft", "middle"),
        *_legend(bottom + 78),
    ]
    for row, name in enumerate(names):
        parts.append(_text(28, _y(row) + 5, _label(name), "ink"))
    for other, (title, left, right, low, high, step) in PANELS.items():
        for line, words in enumerate(title):
            parts.append(_text((left + right) / 2, 84 + 20 * line, words, "ink strong", "middle"))
        parts += _axis(left, right, low, high, step, bottom)
        for shift, (sensor, style) in zip((-8, 8), SENSORS.items(), strict=True):
            for row, name in enumerate(names):
                if name != "condition" or other == "challenger":
                    less = rungs[sensor][name]["paired"][other]
                    parts += _interval(less, other, _y(row) + shift, style)
    about = "Differences in RMSE in mg/dL, with 95% intervals over people, by what is known"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
            f' width="{WIDTH}" height="{height}" role="img">',
            f"<title>{escape(about)}</title>",
            f"<style>{STYLE}</style>",
            *parts,
            "</svg>",
            "",
        ]
    )


def _label(name: str) -> str:
    if name == "condition":
        return "nothing else"
    return KNOWN[name].replace(" and a reading", " + reading")


def _axis(left: int, right: int, low: float, high: float, step: int, bottom: int) -> list[str]:
    """Draw the zone of ties, grid lines and their labels."""
    drawn = []
    start, end = (_x(value, left, right, low, high) for value in (-TIE_MG_DL, TIE_MG_DL))
    place = f'x="{start:.1f}" y="{TOP}" width="{end - start:.1f}" height="{bottom - TOP}"'
    drawn.append(f'<rect class="tied" {place}/>')
    for value in range(-step * int(-low // step), int(high) + 1, step):
        x = _x(value, left, right, low, high)
        style = "grid" if value else "zero"
        line = f'<line class="{style}" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}"/>'
        drawn += [line, _text(x, bottom + 20, f"{value:+d}" if value else "0", "soft", "middle")]
    return drawn


def _interval(less: dict[str, float], other: str, y: float, style: str) -> list[str]:
    """Draw a mean difference and its interval; the mark is open if the two predictions tie."""
    _, left, right, start, end, _ = PANELS[other]
    low, high = less["absolute_low"], less["absolute_high"]
    values = low, high, less["absolute_rmse_difference_mg_dl"]
    *ends, middle = (_x(value, left, right, start, end) for value in values)
    kind = " open" if conclusion(low, high) == "tie" else ""
    return [
        f'<line class="{style} line" x1="{ends[0]:.1f}" x2="{ends[1]:.1f}" y1="{y}" y2="{y}"/>',
        f'<circle class="{style}{kind}" cx="{middle:.1f}" cy="{y}" r="5"/>',
    ]


def _legend(y: float) -> list[str]:
    drawn, x = [], 28
    for sensor, style in SENSORS.items():
        drawn.append(f'<circle class="{style}" cx="{x + 6}" cy="{y - 5}" r="5"/>')
        drawn.append(_text(x + 18, y, sensor, "ink"))
        x += 46 + 8 * len(sensor)
    words = "open: a tie (interval reaches the gray zone) · lines: 95% intervals over 22 people"
    return [*drawn, _text(WIDTH - 24, y, words, "soft small", "end")]


def _x(value: float, left: int, right: int, low: float, high: float) -> float:
    return left + (right - left) * (value - low) / (high - low)


def _y(row: int) -> float:
    return TOP + ROW * (row + 0.5)


def _text(x: float, y: float, words: str, style: str, anchor: str = "start") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text class="{style}" {place}>{escape(words, quote=False)}</text>'


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
    print(PICTURE)
