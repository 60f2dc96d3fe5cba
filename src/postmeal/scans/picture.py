"""Pictures of meals, decoded from untrusted bytes.

The format is detected from the bytes, and must agree with the declared media type. The orientation
in the EXIF data is applied; all other metadata is discarded.
"""

from __future__ import annotations

import base64
import binascii
import io
import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from postmeal.arguments import check_type
from postmeal.errors import PictureError, PostmealError
from postmeal.scans.png import essential_chunks

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["MAX_BYTES", "MAX_PIXELS", "MAX_SIDE", "MAX_WEBP_PIXELS", "Picture", "data_uri_bytes"]

MAX_BYTES = 10 * 1024 * 1024
"""Maximum size of a picture file, in bytes."""

MAX_PIXELS = 40_000_000
"""Maximum number of pixels (width times height)."""

MAX_WEBP_PIXELS = 12_000_000
"""Maximum number of pixels in a WEBP file, whose decoder needs 15 bytes per pixel."""

MAX_SIDE = 1_600
"""Maximum length of the longer side in pixels. Larger pictures are reduced to this size."""

_UNSUPPORTED = "format unsupported"
_ACCEPTED = "a JPEG, PNG, WEBP or non-animated GIF"
_MEDIA_TYPES = {
    "image/jpeg": "JPEG", "image/jpg": "JPEG", "image/pjpeg": "JPEG", "image/png": "PNG",
    "image/webp": "WEBP", "image/gif": "GIF",
}  # fmt: skip
_MAGIC = {
    "JPEG": re.compile(rb"\xff\xd8\xff"),
    "PNG": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "WEBP": re.compile(rb"RIFF....WEBP", re.DOTALL),
    "GIF": re.compile(rb"GIF8[79]a"),
}
_OTHER_FORMATS = {
    "a HEIC picture": re.compile(rb"....ftyphe[iv][cxms]", re.DOTALL),
    "a HEIF picture": re.compile(rb"....ftyp(?:mif1|msf1|heif)", re.DOTALL),
    "an AVIF picture": re.compile(rb"....ftypavi[fs]", re.DOTALL),
}
_DATA_URI = re.compile(r"data:([a-z]+/[a-z0-9.+-]+)(?:;[a-z0-9=._-]+)*;base64,", re.IGNORECASE)
_SCAN_HEADER = re.compile(rb"\xff\xda\x00[\x06\x08\x0a\x0c]")
_MAX_SCANS = 100
_STRIP_PIXELS = 1_000_000
_ORIENTATION = 0x0112


@dataclass(frozen=True, slots=True)
class Picture:
    """The pixels of a still picture.

    Attributes
    ----------
    pixels : ndarray of uint8, shape (height, width, 3)
        Red, green and blue. Transparent pixels are drawn on white, and the longer side has at most
        `MAX_SIDE` pixels.
    format : {"JPEG", "PNG", "WEBP", "GIF"}
        Format of the file.
    """

    pixels: NDArray[np.uint8]
    format: str

    @classmethod
    def decode(cls, data: bytes, media_type: str | None = None, *, field: str = "image") -> Picture:
        """Decode the bytes of a picture.

        Parameters
        ----------
        data : bytes
            The file, which may come from an untrusted source.
        media_type : str, optional
            The declared media type, such as ``"image/jpeg"``. It must agree with the bytes.
        field : str, default="image"
            Field name for error messages.

        Returns
        -------
        Picture
            The pixels.

        Raises
        ------
        PictureError
            The file is not a JPEG, PNG, WEBP or GIF picture; it is animated, damaged, or larger
            than `MAX_BYTES`, `MAX_PIXELS` or `MAX_WEBP_PIXELS`; or its format differs from the
            declared media type.
        PostmealError
            Pillow is not installed.

        Examples
        --------
        >>> Picture.decode(b"<svg/>")
        Traceback (most recent call last):
        postmeal.errors.PictureError: image must be a JPEG, PNG, WEBP or non-animated GIF, got a
        file of an unknown format
        """
        found = _format_of(data, media_type, field)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Pillow warns about large and unusual files
                pixels = _decoded(data, found, field)
        except (PostmealError, KeyboardInterrupt):
            raise
        except MemoryError:
            raise PictureError(
                "too large", field, "needs too much memory to decode; send a smaller picture"
            ) from None
        except ImportError as error:
            raise PostmealError(
                f"pictures cannot be decoded: a package is missing ({error}); install"
                " postmeal[photos]"
            ) from None
        # Pillow raises many exceptions for damaged files, including SyntaxError and struct.error.
        except Exception:
            raise _corrupt(field) from None
        return cls(pixels, found)

    @classmethod
    def from_data_uri(cls, text: str, *, field: str = "image") -> Picture:
        """Decode a picture in a data URI, such as ``data:image/png;base64,iVBOR…``.

        Raises
        ------
        PictureError
            The text is not a base64 data URI, or `decode` rejects the picture.
        """
        data, media_type = data_uri_bytes(text, field=field)
        return cls.decode(data, media_type, field=field)


def data_uri_bytes(text: str, *, field: str = "image") -> tuple[bytes, str]:
    """Return the bytes and the declared media type of a data URI.

    Parameters
    ----------
    text : str
        The URI, with base64-encoded content.
    field : str, default="image"
        Field name for error messages.

    Returns
    -------
    tuple of bytes and str
        The content, and the media type in lower case.

    Raises
    ------
    PictureError
        The text is not a base64 data URI, its base64 is invalid, or it encodes more than
        `MAX_BYTES`.

    Examples
    --------
    >>> data_uri_bytes("data:image/gif;base64,R0lGODlh")
    (b'GIF89a', 'image/gif')
    """
    start = _DATA_URI.match(text[:200]) if isinstance(text, str) else None
    if start is None:
        got = text[:40] if isinstance(text, str) else text
        raise PictureError(
            _UNSUPPORTED, field, "must be a base64 data URI such as data:image/jpeg;base64,...", got
        )
    if (len(text) - start.end()) // 4 * 3 > MAX_BYTES + 3:  # up to two characters are padding
        raise _too_many_bytes((len(text) - start.end()) // 4 * 3, field)
    try:
        data = base64.b64decode(text[start.end() :].encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise PictureError("base64 invalid", field, "must contain valid base64") from None
    return data, start[1].lower()


def _format_of(data: bytes, media_type: str | None, field: str) -> str:
    check_type(field, data, (bytes, bytearray, memoryview), "must be bytes")
    if len(data) > MAX_BYTES:
        raise _too_many_bytes(len(data), field)
    found = next((name for name, magic in _MAGIC.items() if magic.match(data)), None)
    if found is None:
        raise PictureError(_UNSUPPORTED, field, f"must be {_ACCEPTED}, got {_other_format(data)}")
    if media_type is not None:
        kind = media_type.partition(";")[0].strip().lower()
        declared = _MEDIA_TYPES.get(kind)
        if declared is None:
            raise PictureError(_UNSUPPORTED, field, f"must be {_ACCEPTED}", kind)
        if declared != found:
            raise PictureError(
                _UNSUPPORTED, field, f"is declared as {declared}, but its bytes are {found}"
            )
    return found


def _other_format(data: bytes) -> str:
    """Describe a file that has none of the supported formats."""
    for kind, magic in _OTHER_FORMATS.items():
        if magic.match(data):
            return f"{kind}; convert it to JPEG"
    return "a file of an unknown format"


def _decoded(data: bytes, found: str, field: str) -> NDArray[np.uint8]:
    from PIL import Image, ImageOps

    _check_before_decoding(data, found, field)
    if found == "PNG":
        data = essential_chunks(data)
    try:
        image: Image.Image = Image.open(io.BytesIO(data), formats=[found])
    except Image.DecompressionBombError:
        raise _too_many_pixels(field) from None
    with image:
        _check_size(image.size, found, field)
        # A JPEG file may contain a second picture, such as a depth map; only the first is decoded.
        if found != "JPEG" and getattr(image, "is_animated", False):
            problem = f"must be {_ACCEPTED}, got an animated {found}"
            raise PictureError(_UNSUPPORTED, field, problem)
        turned = image.getexif().get(_ORIENTATION, 1)
        image.draft("RGB", (MAX_SIDE, MAX_SIDE))
        image.load()
        small = _reduced(image)
    small.thumbnail((MAX_SIDE, MAX_SIDE), Image.Resampling.BOX)
    if turned in range(2, 9):
        small.getexif()[_ORIENTATION] = turned
        ImageOps.exif_transpose(small, in_place=True)
    return np.array(small, np.uint8)


def _check_before_decoding(data: bytes, found: str, field: str) -> None:
    """Reject pictures that Pillow would reject only while allocating memory or decoding."""
    if found == "WEBP" and data[12:16] == b"VP8X":
        canvas = (int.from_bytes(data[at : at + 3], "little") + 1 for at in (24, 27))
        _check_size((next(canvas), next(canvas)), found, field)
    if found == "PNG" and int.from_bytes(data[16:20]) * int.from_bytes(data[20:24]) > MAX_PIXELS:
        raise _too_many_pixels(field)
    # A progressive JPEG has several scans, each of which is decoded over the whole picture.
    if found == "JPEG" and len(_SCAN_HEADER.findall(data)) > _MAX_SCANS:
        raise _corrupt(field)


def _reduced(image: Image) -> Image:
    """Convert a picture to RGB and reduce it, strip by strip to avoid a large copy."""
    from PIL import Image as images

    width, height = image.size
    factor = max(1, max(width, height) // MAX_SIDE)
    small = images.new("RGB", (-(-width // factor), -(-height // factor)), "white")
    rows = max(factor, _STRIP_PIXELS // width // factor * factor)
    for top in range(0, height, rows):
        part = _in_rgb(image.crop((0, top, width, min(height, top + rows))))
        small.paste(part.reduce(factor) if factor > 1 else part, (0, top // factor))
    return small


def _in_rgb(part: Image) -> Image:
    """Convert a strip of a picture to RGB, drawing transparent pixels on white."""
    from PIL import Image as images

    if part.mode.startswith("I"):  # 16-bit gray, which Pillow would clip at 255
        gray = np.clip(np.asarray(part).astype(np.int64) >> 8, 0, 255).astype(np.uint8)
        return images.fromarray(gray).convert("RGB")
    opaque = part.mode == "RGBA" and part.getchannel("A").getextrema() == (255, 255)
    if not opaque and (part.has_transparency_data or part.mode in ("RGBa", "La")):
        drawn = images.new("RGBA", part.size, "white")
        drawn.alpha_composite(part.convert("RGBA"))
        return drawn.convert("RGB")
    return part if part.mode == "RGB" else part.convert("RGB")


def _check_size(size: tuple[int, int], found: str, field: str) -> None:
    most = MAX_WEBP_PIXELS if found == "WEBP" else MAX_PIXELS
    if not 0 < size[0] * size[1] <= most:
        raise _too_many_pixels(field, most)


def _too_many_pixels(field: str, most: int = MAX_PIXELS) -> PictureError:
    problem = f"must have at most {most // 1_000_000} million pixels"
    return PictureError("too large", field, problem)


def _too_many_bytes(size: int, field: str) -> PictureError:
    problem = f"must have at most {MAX_BYTES // 2**20} MiB"
    return PictureError("too large", field, problem, f"{size / 2**20:.1f} MiB")


def _corrupt(field: str) -> PictureError:
    return PictureError("corrupt", field, f"is damaged; it must be {_ACCEPTED}")
