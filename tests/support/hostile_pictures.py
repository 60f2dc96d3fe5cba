"""Pictures that are damaged, oversized, animated or odd, drawn when they are needed.

Each entry is a name, a function that returns the bytes, and the reason for which decoding must
fail; None if the picture is unusual but must be accepted.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from PIL import Image, PngImagePlugin

__all__ = ["HOSTILE", "encoded", "fresh_noise"]

UNKNOWN, CORRUPT, LARGE = "format unsupported", "corrupt", "too large"


def fresh_noise(width: int = 64, height: int = 48, mode: str = "RGB") -> Image.Image:
    """Return a picture of noise."""
    random = np.random.default_rng(width * height)
    noise = random.integers(0, 256, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(noise).convert(mode)


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    """Return a picture as a file of a kind."""
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def _chunk(name: bytes, content: bytes) -> bytes:
    check = zlib.crc32(name + content)
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", check)


_COMMENT = _chunk(b"tEXt", b"Comment\0a")


def _png(
    width: int,
    height: int,
    rows: bytes,
    *more: bytes,
    depth: int = 8,
    color: int = 0,
    interlaced: int = 0,
) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced)
    content = _chunk(b"IDAT", zlib.compress(rows, 9))
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", head)
        + b"".join(more)
        + content
        + _chunk(b"IEND", b"")
    )


def _zeros(width: int, height: int) -> bytes:
    """Return a gray PNG without content: 1 bit a pixel, a thousandth of its size in the file."""
    return _png(width, height, bytes(height * (1 + (width + 7) // 8)), depth=1)


def _animated(kind: str, **options: Any) -> bytes:
    frames = [Image.new("RGB", (8, 8), color) for color in ("red", "green", "blue")]
    return encoded(frames[0], kind, save_all=True, append_images=frames[1:], **options)


def _text_bomb() -> bytes:
    text = b"Comment\0\0" + zlib.compress(bytes(80_000_000), 9)
    return _png(8, 8, bytes(72), _chunk(b"zTXt", text))


def _profile_bomb() -> bytes:
    profile = b"icc\0\0" + zlib.compress(bytes(120_000_000), 9)
    return _png(8, 8, bytes(72), _chunk(b"iCCP", profile))


def _many_scans() -> bytes:
    """Return a progressive JPEG of 36 million pixels whose last scan is repeated 20,000 times."""
    file = encoded(Image.new("L", (16, 16)), "JPEG", progressive=True)
    start = file.rindex(b"\xff\xda")
    size = file.index(b"\xff\xc2") + 5
    wide = file[:size] + struct.pack(">HH", 6_000, 6_000) + file[size + 4 :]
    return wide[:-2] + wide[start:-2] * 20_000 + b"\xff\xd9"


def _claims(kind: str) -> bytes:
    """Return a small file that claims to be 60,000 pixels wide and high."""
    side = 60_000
    if kind == "JPEG":
        file = encoded(fresh_noise(), "JPEG")
        at = file.index(b"\xff\xc0") + 5
        return file[:at] + struct.pack(">HH", side, side) + file[at + 4 :]
    if kind == "PNG":
        return _png(side, side, b"")
    if kind == "GIF":
        return b"GIF89a" + struct.pack("<HH", side, side) + encoded(fresh_noise(), "GIF")[10:]
    canvas = (side - 1).to_bytes(3, "little") * 2
    body = b"WEBP" + b"VP8X" + struct.pack("<I", 10) + bytes(4) + canvas
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _cut(kind: str, share: float, **options: Any) -> bytes:
    file = encoded(fresh_noise(200, 150), kind, **options)
    return file[: int(len(file) * share)]


def _garbled(kind: str) -> bytes:
    file = bytearray(encoded(fresh_noise(200, 150), kind))
    file[len(file) // 3 : len(file) // 2] = bytes(len(file) // 2 - len(file) // 3)
    return bytes(file)


def _exif() -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x8825] = {1: "N", 2: (47.0, 29.0, 51.0), 3: "E", 4: (19.0, 2.0, 25.0)}
    return exif


def _with_text(file: bytes) -> bytes:
    info = PngImagePlugin.PngInfo()
    info.add_text("Location", "47.49, 19.04")
    return encoded(Image.open(io.BytesIO(file)), "PNG", pnginfo=info)


def _palette(transparent: bool) -> bytes:
    image = fresh_noise().quantize(16)
    return encoded(image, "PNG", **({"transparency": 0} if transparent else {}))


def _sixteen_bits() -> bytes:
    gray = np.linspace(0, 65_535, 64 * 48).astype(np.uint16).reshape(48, 64)
    return encoded(Image.fromarray(gray), "PNG")


_XMP = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'>47.49 N</x:xmpmeta>"
_SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><image href='file:///etc/passwd'/></svg>"

HOSTILE: dict[str, tuple[Callable[[], bytes], str | None]] = {
    "nothing": (lambda: b"", UNKNOWN),
    "zeros": (lambda: bytes(5_000_000), UNKNOWN),
    "text": (lambda: b"A" * 5 * 2**20, UNKNOWN),
    "svg that names a file": (lambda: _SVG, UNKNOWN),
    "html": (lambda: b"<html><script>alert(1)</script></html>", UNKNOWN),
    "bmp": (lambda: encoded(fresh_noise(), "BMP"), UNKNOWN),
    "tiff": (lambda: encoded(fresh_noise(), "TIFF"), UNKNOWN),
    "ico": (lambda: encoded(fresh_noise(), "ICO"), UNKNOWN),
    "eps, which would start a program": (lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n", UNKNOWN),
    "pdf": (lambda: encoded(fresh_noise(), "PDF"), UNKNOWN),
    "heic": (lambda: b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", UNKNOWN),
    "zip": (lambda: b"PK\x03\x04" + bytes(100), UNKNOWN),
    "wave in the container of webp": (lambda: b"RIFF\x24\0\0\0WAVEfmt " + bytes(40), UNKNOWN),
    "animated gif": (lambda: _animated("GIF"), UNKNOWN),
    "animated webp": (lambda: _animated("WEBP"), UNKNOWN),
    "animated png": (lambda: _animated("PNG"), UNKNOWN),
    "gif of 20,000 frames": (
        lambda: (file := _animated("GIF"))[:-1] + file[file.index(b"\x21\xf9") : -1] * 20_000,
        UNKNOWN,
    ),
    "more than 10 MiB": (lambda: encoded(fresh_noise(), "PNG") + bytes(11 * 2**20), LARGE),
    "png of 41 megapixels": (lambda: _zeros(8_200, 5_000), LARGE),
    "png of 900 megapixels": (lambda: _zeros(30_000, 30_000), LARGE),
    "png that claims 3,600 megapixels": (lambda: _claims("PNG"), LARGE),
    "jpeg that claims 3,600 megapixels": (lambda: _claims("JPEG"), LARGE),
    "gif that claims 3,600 megapixels": (lambda: _claims("GIF"), LARGE),
    "webp of 13 megapixels": (
        lambda: encoded(Image.new("RGB", (4_000, 3_250)), "WEBP", lossless=True, method=0), LARGE
    ),
    "webp of 12 megapixels": (
        lambda: encoded(Image.new("RGB", (4_000, 3_000)), "WEBP", lossless=True, method=0), None
    ),
    "png of 40 megapixels with colors": (
        lambda: encoded(Image.new("RGB", (8_000, 5_000)), "PNG", compress_level=1), None
    ),
    "webp that claims 3,600 megapixels": (lambda: _claims("WEBP"), LARGE),
    "png of 100,000 x 1": (lambda: _zeros(100_000, 1), None),
    "png of 1 x 40,000": (lambda: _zeros(1, 40_000), None),
    "png of 40 megapixels": (lambda: _zeros(8_000, 5_000), None),
    "png of 80 MB in a comment": (_text_bomb, None),
    "png of 120 MB in a color profile": (_profile_bomb, None),
    "png without pixels": (lambda: _png(64, 64, b""), CORRUPT),
    "png with half of its rows, ended properly": (lambda: _png(64, 64, bytes(65 * 32)), CORRUPT),
    "png of 10 of 480 rows": (lambda: _png(640, 480, bytes(641 * 10)), CORRUPT),
    "interlaced png of 10 of 480 rows": (
        lambda: _png(640, 480, bytes(641 * 10), interlaced=1), CORRUPT
    ),
    "png of 200,000 comments": (lambda: _png(8, 8, bytes(72), 200_000 * _COMMENT), CORRUPT),
    "png of 19,000 comments": (lambda: _png(8, 8, bytes(72), 19_000 * _COMMENT), None),
    "png of 800,000 empty chunks of pixels": (
        lambda: encoded(fresh_noise(), "PNG")[:33] + 800_000 * _chunk(b"IDAT", b""), CORRUPT
    ),
    "png of no width": (lambda: _png(0, 64, b""), CORRUPT),
    "png with a wrong checksum": (
        lambda: encoded(fresh_noise(), "PNG").replace(b"IDAT", b"IDAX"),
        CORRUPT,
    ),
    "jpeg of 20,000 scans": (_many_scans, CORRUPT),
    "jpeg of two bytes more than its mark": (lambda: b"\xff\xd8\xff\xe0\x00", CORRUPT),
    "half a jpeg": (lambda: _cut("JPEG", 0.5), CORRUPT),
    "half a progressive jpeg": (lambda: _cut("JPEG", 0.5, progressive=True), CORRUPT),
    "half a png": (lambda: _cut("PNG", 0.5), CORRUPT),
    "half a webp": (lambda: _cut("WEBP", 0.5), CORRUPT),
    "half a gif": (lambda: _cut("GIF", 0.5), CORRUPT),
    "the first tenth of a webp": (lambda: _cut("WEBP", 0.1), CORRUPT),
    "a garbled png": (lambda: _garbled("PNG"), CORRUPT),
    "gif without an image": (lambda: b"GIF89a\x08\0\x08\0\0\0\0;", CORRUPT),
    "one pixel": (lambda: encoded(fresh_noise(1, 1), "PNG"), None),
    "cmyk jpeg": (lambda: encoded(fresh_noise(mode="CMYK"), "JPEG"), None),
    "gray jpeg": (lambda: encoded(fresh_noise(mode="L"), "JPEG"), None),
    "progressive jpeg": (lambda: encoded(fresh_noise(), "JPEG", progressive=True), None),
    "interlaced png": (lambda: _png(9, 5, bytes(3 + 2 + 4 + 6 + 6 + 15 + 20), interlaced=1), None),
    "16-bit png": (_sixteen_bits, None),
    "palette png": (lambda: _palette(False), None),
    "palette png with transparency": (lambda: _palette(True), None),
    "1-bit png": (lambda: encoded(fresh_noise(mode="1"), "PNG"), None),
    "png with gray and alpha": (lambda: encoded(fresh_noise(mode="LA"), "PNG"), None),
    "still gif": (lambda: encoded(fresh_noise(), "GIF"), None),
    "lossless webp with alpha": (
        lambda: encoded(fresh_noise(mode="RGBA"), "WEBP", lossless=True), None
    ),
    "webp with exif and xmp": (
        lambda: encoded(fresh_noise(), "WEBP", exif=_exif(), xmp=_XMP), None
    ),
    "jpeg with a place": (lambda: encoded(fresh_noise(), "JPEG", exif=_exif()), None),
    "png with a place": (lambda: _with_text(encoded(fresh_noise(), "PNG")), None),
    "jpeg with an archive after its end": (
        lambda: encoded(fresh_noise(), "JPEG") + b"PK\x03\x04<script>", None
    ),
    "jpeg of several pictures": (
        lambda: encoded(fresh_noise(), "MPO", save_all=True, append_images=[fresh_noise(32, 32)]),
        None,
    ),
}  # fmt: skip
