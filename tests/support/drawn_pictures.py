"""Pictures without food: blank, noise, text, faces and landscapes, drawn from a number."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

from postmeal.scans.picture import Picture

__all__ = ["without_food"]

_SIDE = 224
_KINDS = 8


def without_food(number: int) -> Picture:
    """Return a picture without food; each number gives another one."""
    random = np.random.default_rng(number)
    draw = (_blank, _black, _noise, _smooth_noise, _text, _face, _landscape, _stripes)
    image = draw[number % _KINDS](random)
    return Picture(np.array(image.convert("RGB"), np.uint8), "PNG")


def _color(random: np.random.Generator) -> tuple[int, int, int]:
    red, green, blue = random.integers(0, 256, 3)
    return int(red), int(green), int(blue)


def _blank(random: np.random.Generator) -> Image.Image:
    return Image.new("RGB", (_SIDE, _SIDE), _color(random) if random.random() < 0.7 else "white")


def _black(random: np.random.Generator) -> Image.Image:
    return Image.fromarray(random.integers(0, 12, (_SIDE, _SIDE, 3), dtype=np.uint8))


def _noise(random: np.random.Generator) -> Image.Image:
    return Image.fromarray(random.integers(0, 256, (_SIDE, _SIDE, 3), dtype=np.uint8))


def _smooth_noise(random: np.random.Generator) -> Image.Image:
    size = int(random.integers(3, 24))
    small = random.integers(0, 256, (size, size, 3), dtype=np.uint8)
    return Image.fromarray(small).resize((_SIDE, _SIDE), Image.Resampling.BICUBIC)


def _text(random: np.random.Generator) -> Image.Image:
    image = Image.new("RGB", (_SIDE, _SIDE), "white")
    page = ImageDraw.Draw(image)
    for top in range(4, _SIDE, 14):
        letters = random.integers(97, 123, 34)
        page.text((4, top), "".join(map(chr, letters)), fill="black")
    return image


def _face(random: np.random.Generator) -> Image.Image:
    image = Image.new("RGB", (_SIDE, _SIDE), _color(random))
    head = ImageDraw.Draw(image)
    skin = tuple(int(each) for each in random.integers((140, 90, 60), (250, 200, 170)))
    head.ellipse((52, 24, 172, 200), fill=skin)
    head.chord((48, 10, 176, 120), 180, 360, fill=_color(random))
    for left in (82, 126):
        head.ellipse((left, 92, left + 18, 104), fill="white")
        head.ellipse((left + 6, 94, left + 14, 104), fill=_color(random))
    head.arc((86, 130, 138, 172), 20, 160, fill=(150, 40, 40), width=6)
    return image


def _landscape(random: np.random.Generator) -> Image.Image:
    image = Image.new("RGB", (_SIDE, _SIDE), (130, 180, 235))
    scene = ImageDraw.Draw(image)
    scene.ellipse((150, 20, 190, 60), fill=(250, 230, 120))
    steps = np.linspace(0, _SIDE, 9)
    heights = random.uniform(70, 140, 9)
    ridge = [(float(x), float(y)) for x, y in zip(steps, heights, strict=True)]
    scene.polygon([*ridge, (_SIDE, _SIDE), (0, _SIDE)], fill=(90, 100, 120))
    scene.rectangle((0, 150, _SIDE, _SIDE), fill=tuple(map(int, random.integers(40, 120, 3))))
    return image


def _stripes(random: np.random.Generator) -> Image.Image:
    image = Image.new("RGB", (_SIDE, _SIDE), _color(random))
    lines = ImageDraw.Draw(image)
    width = int(random.integers(3, 20))
    for left in range(0, _SIDE, 2 * width):
        lines.rectangle((left, 0, left + width, _SIDE), fill=_color(random))
    return image
