"""Filter the chunks of PNG files (ISO/IEC 15948) before they are decoded."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

_SIGNATURE = 8  # bytes
_KEPT = (b"IHDR", b"PLTE", b"tRNS", b"eXIf", b"acTL", b"IDAT", b"IEND")
_MOST_CHUNKS = 20_000
_SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # samples per pixel of each color type
_PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
           (0, 1, 1, 2))  # fmt: skip
_STEP = 1 << 20


def essential_chunks(png: bytes) -> bytes:
    """Return a PNG file with only the chunks that define its pixels.

    Texts, color profiles and unknown chunks are removed, because a file may contain a hundred
    thousand of them. Decoders accept files with fewer rows than the header states, and leave the
    missing rows black. The pixel data is therefore decompressed once to count its bytes.
    """
    kept = [(kind, start, end) for kind, start, end in _chunks(png) if kind in _KEPT]
    if not kept or kept[0][0] != b"IHDR":
        raise ValueError("the first PNG chunk must be IHDR")
    expected = _inflated_size(png[kept[0][1] + 8 : kept[0][2] - 4])
    found = _count(expected, (png[s + 8 : e - 4] for kind, s, e in kept if kind == b"IDAT"))
    if found < expected:
        raise ValueError(f"the PNG must have {expected} bytes of pixel data, got {found}")
    return png[:_SIGNATURE] + b"".join(png[start:end] for _, start, end in kept)


def _chunks(png: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Yield the type, start and end of each chunk up to IEND."""
    start, kind = _SIGNATURE, b""
    for _ in range(_MOST_CHUNKS):
        (size,) = struct.unpack_from(">I", png, start)
        kind, end = png[start + 4 : start + 8], start + size + 12
        if end > len(png):
            raise ValueError("a PNG chunk is truncated")
        yield kind, start, end
        if kind == b"IEND":
            return
        start = end
    raise ValueError(f"a PNG must have at most {_MOST_CHUNKS} chunks")


def _inflated_size(header: bytes) -> int:
    """Compute the size of all rows, including their filter bytes, from the content of IHDR."""
    width, height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    if color not in _SAMPLES:
        raise ValueError(f"the PNG color type must be 0, 2, 3, 4 or 6, got {color}")
    bits = depth * _SAMPLES[color]
    total = 0
    for left, top, across, down in _PASSES if interlaced else ((0, 0, 1, 1),):
        columns = max(0, -(-(width - left) // across))
        rows = max(0, -(-(height - top) // down))
        total += rows * (1 + (columns * bits + 7) // 8) if columns else 0
    return total


def _count(expected: int, parts: Iterator[bytes]) -> int:
    """Return the decompressed size of the parts; counting stops shortly after `expected`."""
    inflate, found = zlib.decompressobj(), 0
    for part in parts:
        while part and found < expected and not inflate.eof:
            found += len(inflate.decompress(part, _STEP))
            part = inflate.unconsumed_tail
    while found < expected and not inflate.eof and (rest := inflate.decompress(b"", _STEP)):
        found += len(rest)
    return found
