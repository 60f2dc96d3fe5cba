"""Weights of released models: plain files, pinned by hash, refused when a byte has changed."""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from postmeal.assets import asset
from postmeal.errors import ModelError

__all__ = [
    "FORMAT",
    "PinnedWeights",
    "read_pinned",
    "read_weights",
    "unpack_weights",
    "weights_content",
    "weights_of",
]

FORMAT = 2
"""Version of the layout of ``weights.json`` that this code reads."""


class PinnedWeights(NamedTuple):
    """Weights as their file holds them, and the hash that the registry pins.

    Attributes
    ----------
    name : str
        Name of the model's folder.
    content : bytes
        What ``weights.json`` holds; nothing has been compared yet.
    sha256 : str
        Hash that the registry pins, in hexadecimal.
    """

    name: str
    content: bytes
    sha256: str

    def unpack(self) -> dict[str, Any]:
        """Make weights of the bytes, if they are the pinned ones; see `unpack_weights`."""
        return unpack_weights(self.content, self.sha256, self.name)


def read_weights(folder: str | Path | None = None) -> dict[str, Any]:
    """Read a model's weights, after checking them against the registry beside the models.

    ``registry.toml`` lies in the folder that holds the models' folders and pins each by name::

        [population]
        version = "1"
        weights = "population/weights.json"
        sha256 = "…"

    Parameters
    ----------
    folder : path, optional
        Folder of one model, such as ``models/population``; the default model that ships with
        postmeal when omitted.

    Returns
    -------
    dict
        The content of ``weights.json``.

    Raises
    ------
    ModelError
        A file is missing or unreadable, the registry does not pin the model, the hash differs,
        or the layout is another version's.

    Examples
    --------
    >>> read_weights()["name"]
    'population'
    """
    return read_pinned(folder).unpack()


def read_pinned(folder: str | Path | None = None) -> PinnedWeights:
    """Read a model's weights and the hash that the registry beside the models pins.

    Parameters
    ----------
    folder : path, optional
        Folder of one model; the default model that ships with postmeal when omitted.

    Returns
    -------
    PinnedWeights
        The weights, not yet compared with the hash.

    Raises
    ------
    ModelError
        A file is missing or unreadable, or the registry does not pin the model.
    """
    folder = asset("models/population") if folder is None else Path(folder).resolve()
    registry_path = folder.parent / "registry.toml"
    try:
        registry = tomllib.loads(registry_path.read_text(encoding="utf-8"))
        content = (folder / "weights.json").read_bytes()
    except (OSError, ValueError) as error:
        raise ModelError(f"model {folder.name!r} cannot be read: {error}") from error
    pinned = registry.get(folder.name)
    if not isinstance(pinned, dict) or "sha256" not in pinned:
        raise ModelError(f"{registry_path} does not pin the model {folder.name!r}")
    return PinnedWeights(folder.name, content, str(pinned["sha256"]))


def unpack_weights(content: bytes, sha256: str, name: str) -> dict[str, Any]:
    """Make weights of the bytes of ``weights.json``, if they are the pinned ones.

    Parameters
    ----------
    content : bytes
        What the file holds.
    sha256 : str
        Hash that is pinned.
    name : str
        Name of the model, for the error.

    Returns
    -------
    dict
        The weights.

    Raises
    ------
    ModelError
        The hash differs, the bytes are no JSON object, or the layout is another version's.
    """
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise ModelError(
            f"the weights of {name!r} are not the released ones: "
            f"sha256 is {found}, the registry pins {sha256}"
        )
    return weights_of(content, name)


def weights_of(content: bytes, name: str) -> dict[str, Any]:
    """Make weights of bytes that nothing pins yet; see `unpack_weights`."""
    try:
        weights: dict[str, Any] = json.loads(content)
        layout = weights.get("format")
    except (ValueError, AttributeError, RecursionError) as error:
        raise ModelError(f"the weights of {name!r} are no JSON object") from error
    if layout != FORMAT:
        raise ModelError(
            f"the weights of {name!r} have layout {layout!r}, "
            f"this version of postmeal reads layout {FORMAT}"
        )
    return weights


def weights_content(weights: dict[str, Any]) -> bytes:
    """Write weights as the bytes of ``weights.json``: the same weights, the same bytes."""
    return (json.dumps(weights, indent=1, ensure_ascii=False) + "\n").encode()
