"""Weights of released models: JSON files whose hash is verified when they are loaded."""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from postmeal.arguments import path_of
from postmeal.assets import asset
from postmeal.errors import ModelError

__all__ = [
    "FORMAT",
    "PinnedWeights",
    "parse_weights",
    "read_earlier",
    "read_pinned",
    "read_weights",
    "unpack_weights",
    "weights_content",
]

FORMAT = 3
"""Format version of ``weights.json``."""

_READABLE_FORMATS = (2, FORMAT)


class PinnedWeights(NamedTuple):
    """Content of a weights file, and the hash that the registry pins for it.

    Attributes
    ----------
    name : str
        Name of the model's folder.
    content : bytes
        Content of ``weights.json``; the hash has not been verified.
    sha256 : str
        Hash pinned in the registry, in hexadecimal.
    """

    name: str
    content: bytes
    sha256: str

    def unpack(self) -> dict[str, Any]:
        """Verify the hash and return the weights; see `unpack_weights`."""
        return unpack_weights(self.content, self.sha256, self.name)


def read_weights(folder: str | Path | None = None) -> dict[str, Any]:
    """Read a model's weights and verify their hash.

    The hash is pinned in ``registry.toml``, in the parent of the model's folder::

        [population]
        version = "1"
        weights = "population/weights.json"
        sha256 = "…"

    Parameters
    ----------
    folder : path, optional
        Folder of the model, such as ``models/population``. Defaults to the shipped model.

    Returns
    -------
    dict
        The content of ``weights.json``.

    Raises
    ------
    ModelError
        A file is missing or unreadable, the registry does not pin the model, the hash does not
        match, or the format version is not supported.

    Examples
    --------
    >>> read_weights()["name"]
    'population'
    """
    return read_pinned(folder).unpack()


def read_pinned(folder: str | Path | None = None) -> PinnedWeights:
    """Read a model's weights file and its pinned hash, without verifying the hash.

    Parameters
    ----------
    folder : path, optional
        Folder of the model. Defaults to the shipped model.

    Returns
    -------
    PinnedWeights
        The content of the weights file, and the hash.

    Raises
    ------
    ModelError
        A file is missing or unreadable, or the registry does not pin the model.
    """
    if folder is None:
        folder = asset("models/population")
    folder = path_of("folder", folder).resolve()
    registry_path = folder.parent / "registry.toml"
    try:
        registry = tomllib.loads(registry_path.read_text(encoding="utf-8"))
        content = (folder / "weights.json").read_bytes()
    except (OSError, ValueError) as error:
        reason = _missing(folder, registry_path) or error
        raise ModelError(f"model {folder.name!r} cannot be read: {reason}") from error
    pinned = registry.get(folder.name)
    if not isinstance(pinned, dict) or "sha256" not in pinned:
        raise ModelError(
            f"{registry_path} has no entry with the SHA-256 hash of the model {folder.name!r}; add"
            " the entry, or check the path"
        )
    return PinnedWeights(folder.name, content, str(pinned["sha256"]))


def _missing(folder: Path, registry: Path) -> str:
    """Return an error text about a missing file or folder of a model; empty if none is missing."""
    if not folder.exists():
        return (
            f"the folder {folder} does not exist; check the path, or omit it for the shipped model"
        )
    if not folder.is_dir():
        return f"{folder} is a file; give the folder of a model"
    if not registry.exists():
        return (
            f"{registry} is missing; it must be next to the model folder and contain the SHA-256"
            " hash of weights.json"
        )
    weights = folder / "weights.json"
    return "" if weights.exists() else f"{weights} is missing; check that this is a model folder"


def read_earlier() -> tuple[PinnedWeights, ...]:
    """Read the weights of earlier models that ship with postmeal.

    Personal models may have been trained on them.

    Returns
    -------
    tuple of PinnedWeights
        The models that the shipped registry pins, except the default model.

    Raises
    ------
    ModelError
        A file is missing or unreadable.
    """
    folder = asset("models/registry.toml").parent
    try:
        registry = tomllib.loads((folder / "registry.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(
            f"the shipped registry of models cannot be read: {error}; reinstall postmeal"
        ) from error
    return tuple(read_pinned(folder / name) for name in registry if name != "population")


def unpack_weights(content: bytes, sha256: str, name: str) -> dict[str, Any]:
    """Verify the hash of ``weights.json`` and return the weights.

    Parameters
    ----------
    content : bytes
        Content of the file.
    sha256 : str
        Pinned hash.
    name : str
        Name of the model, for error messages.

    Returns
    -------
    dict
        The weights.

    Raises
    ------
    ModelError
        The hash does not match, the content is not a JSON object, or the format version is not
        supported.
    """
    actual = hashlib.sha256(content).hexdigest()
    if actual != sha256:
        raise ModelError(
            f"the weights of {name!r} were changed: their SHA-256 hash must be {sha256}, got"
            f" {actual}; restore the file"
        )
    return parse_weights(content, name)


def parse_weights(content: bytes, name: str) -> dict[str, Any]:
    """Parse weights without verifying their hash; see `unpack_weights`."""
    try:
        weights: dict[str, Any] = json.loads(content)
        version = weights.get("format")
    except (ValueError, AttributeError, RecursionError) as error:
        raise ModelError(
            f"the weights of {name!r} are not a JSON object; restore the file"
        ) from error
    if version not in _READABLE_FORMATS:
        formats = " or ".join(map(str, _READABLE_FORMATS))
        raise ModelError(
            f"the weights of {name!r} must be in format version {formats}, got {version!r}"
        )
    return weights


def weights_content(weights: dict[str, Any]) -> bytes:
    """Format weights as the content of ``weights.json``; the output is deterministic."""
    return (json.dumps(weights, indent=1, ensure_ascii=False) + "\n").encode()
