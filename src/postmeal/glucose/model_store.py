"""Model store: a trusted folder with the population models that a service can serve."""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from postmeal.errors import ModelError
from postmeal.glucose.population.weights import unpack_weights
from postmeal.glucose.predictor import Predictor

__all__ = ["ModelStore", "StoreRegistry", "check_model_name", "version_number"]

_NAME = re.compile(r"population-[1-9][0-9]{0,8}", re.ASCII)
_MAX_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True)
class StoreRegistry:
    """Registry of a model store: the stored models and the active one.

    Attributes
    ----------
    active : str
        The active model, such as ``population-2``.
    earlier : tuple of str
        Previously active models; the most recent is last.
    sha256 : mapping of str to str
        Hash of the weights of each stored model, by name.
    retired : mapping of str to str
        Hash of the weights of each retired model, by name. The names are never reused.
    """

    active: str
    earlier: tuple[str, ...]
    sha256: Mapping[str, str]
    retired: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, content: bytes) -> StoreRegistry:
        """Parse the content of a ``registry.toml`` file.

        Raises
        ------
        ModelError
            The content is not a valid registry of a model store.

        Examples
        --------
        >>> pinned, retired = {"population-2": "0" * 64}, {"population-1": "1" * 64}
        >>> registry = StoreRegistry("population-2", (), pinned, retired)
        >>> StoreRegistry.parse(registry.content()) == registry
        True
        """
        try:
            values = tomllib.loads(content.decode())
            active, earlier = values.pop("active"), tuple(values.pop("earlier"))
            retired = dict(values.pop("retired", {}))
            pinned = {name: model["sha256"] for name, model in values.items()}
        except (ValueError, KeyError, TypeError) as error:
            raise ModelError(
                f"registry.toml is not a valid registry of a model store: {error}; restore it from"
                " a backup"
            ) from error
        for name in pinned:
            check_model_name(name)
        if missing := {active, *earlier} - set(pinned):
            raise ModelError(
                "registry.toml must contain the hash of every active and previous model; missing:"
                f" {', '.join(sorted(map(str, missing)))}; restore the file from a backup"
            )
        return cls(active, earlier, pinned, retired)

    def content(self) -> bytes:
        """Format the registry as the content of a ``registry.toml`` file."""
        lines = [
            "# Written by `postmeal models`: the active model, the previously active ones, and the",
            "# hash of the weights of every stored model. Altered weights are rejected.",
            f"active = {json.dumps(self.active)}",
            f"earlier = {json.dumps(list(self.earlier))}",
        ]
        if self.retired:
            retired = (f"{name} = {json.dumps(sha256)}" for name, sha256 in self.retired.items())
            lines.append(f"retired = {{ {', '.join(retired)} }}")
        for name, sha256 in sorted(self.sha256.items(), key=lambda item: version_number(item[0])):
            lines += ["", f"[{name}]", f'version = "{version_number(name)}"']
            lines += [f'weights = "{name}/weights.json"', f'sha256 = "{sha256}"']
        return ("\n".join(lines) + "\n").encode()


class ModelStore:
    """A folder with ``registry.toml`` and, for each model, ``population-<n>/weights.json``.

    Other files are never opened, and symbolic links below the folder are not followed.

    Parameters
    ----------
    folder : str or Path
        Folder of the store.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def registry_content(self) -> bytes:
        """Return the content of ``registry.toml`` without parsing it.

        Raises
        ------
        ModelError
            The file is missing or not a regular file.
        """
        return self._read("registry.toml")

    def registry(self) -> StoreRegistry:
        """Read the registry.

        Raises
        ------
        ModelError
            The registry is missing or damaged.
        """
        return StoreRegistry.parse(self.registry_content())

    def load(self, name: str, sha256: str) -> Predictor:
        """Load a stored model, and check its hash and its predictions for standard meals.

        Parameters
        ----------
        name : str
            Name of the model, such as ``population-2``.
        sha256 : str
            Hash of the model's weights in the registry.

        Returns
        -------
        Predictor
            The model, whose version is `name`.

        Raises
        ------
        ModelError
            The weights are missing, altered, incomplete or those of a different model, or the
            predictions for standard meals are not plausible.
        """
        weights = unpack_weights(self.weights_content(name), sha256, name)
        predictor = Predictor.verified(weights)
        if predictor.version != name:
            raise ModelError(
                f"the weights of {name!r} belong to model {predictor.version!r}; restore them"
                " from a backup"
            )
        return predictor

    def weights_content(self, name: str) -> bytes:
        """Return the content of a model's ``weights.json`` without verifying its hash.

        Raises
        ------
        ModelError
            The file is missing or not a regular file.
        """
        check_model_name(name)
        return self._read(name, "weights.json")

    def _read(self, *path: str) -> bytes:
        """Read a regular file without following symbolic links below the store."""
        descriptors: list[int] = []
        try:
            descriptors.append(os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
            for part in path:
                flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
                descriptors.append(os.open(part, flags, dir_fd=descriptors[-1]))
            if not stat.S_ISREG(os.fstat(descriptors[-1]).st_mode):
                raise OSError("the path is not a regular file")
            with os.fdopen(descriptors.pop(), "rb") as file:
                content = file.read(_MAX_BYTES + 1)
            if len(content) > _MAX_BYTES:
                raise OSError(f"the file has more than {_MAX_BYTES:,} bytes")
        except OSError as error:
            raise ModelError(f"{self.folder.joinpath(*path)} cannot be read: {error}") from error
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        return content


def check_model_name(name: str) -> None:
    """Check that a model name has the form ``population-NUMBER``.

    Raises
    ------
    ModelError
        The name does not have this form, or the number is zero or has more than nine digits.
    """
    if not _NAME.fullmatch(name):
        raise ModelError(
            f"a model name must have the form population-NUMBER, such as population-2, got {name!r}"
        )


def version_number(name: str) -> int:
    """Return the version number of a model name.

    Examples
    --------
    >>> version_number("population-2")
    2
    """
    return int(name.rpartition("-")[2])
