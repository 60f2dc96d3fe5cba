"""The model store: the population models that a service may serve, in one trusted folder."""

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
from postmeal.glucose.plausibility import check_plausibility
from postmeal.glucose.population.weights import unpack_weights
from postmeal.glucose.predictor import Predictor

__all__ = ["ModelStore", "StoreRegistry", "check_model_name", "version_number"]

_NAME = re.compile(r"population-[1-9][0-9]{0,8}", re.ASCII)
_LARGEST_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True)
class StoreRegistry:
    """Which models a store keeps, and which of them is in service.

    Attributes
    ----------
    active : str
        The model in service, such as ``population-2``.
    earlier : tuple of str
        Those that were in service before, the latest last.
    sha256 : mapping of str to str
        Hash of the weights of every model that is kept.
    retired : mapping of str to str
        The same of every model that was kept before: its name is never another's.
    """

    active: str
    earlier: tuple[str, ...]
    sha256: Mapping[str, str]
    retired: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, content: bytes) -> StoreRegistry:
        """Read the bytes of a ``registry.toml``.

        Raises
        ------
        ModelError
            They are no registry of a store.

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
            pinned = {name: one["sha256"] for name, one in values.items()}
        except (ValueError, KeyError, TypeError) as error:
            raise ModelError(f"registry.toml is no registry of a model store: {error}") from error
        for name in pinned:
            check_model_name(name)
        if active not in pinned or not set(earlier) <= set(pinned):
            raise ModelError("registry.toml names a model that it does not pin")
        return cls(active, earlier, pinned, retired)

    def content(self) -> bytes:
        """Write the registry as the bytes of a ``registry.toml``."""
        lines = [
            "# Written by `postmeal models`: the model in service, those before it, and the hash",
            "# of the weights of every model that is kept. A changed byte is refused.",
            f"active = {json.dumps(self.active)}",
            f"earlier = {json.dumps(list(self.earlier))}",
        ]
        if self.retired:
            retired = (f"{name} = {json.dumps(sha256)}" for name, sha256 in self.retired.items())
            lines.append(f"retired = {{ {', '.join(retired)} }}")
        for name, sha256 in sorted(self.sha256.items(), key=lambda one: version_number(one[0])):
            lines += ["", f"[{name}]", f'version = "{version_number(name)}"']
            lines += [f'weights = "{name}/weights.json"', f'sha256 = "{sha256}"']
        return ("\n".join(lines) + "\n").encode()


class ModelStore:
    """A folder with ``registry.toml`` and, for each model, ``population-<n>/weights.json``.

    Nothing else in it is ever opened, and nothing is read through a link out of it.

    Parameters
    ----------
    folder : path
        The folder.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def registry_content(self) -> bytes:
        """Read ``registry.toml`` as it is.

        Raises
        ------
        ModelError
            It is missing, or no plain file.
        """
        return self._read("registry.toml")

    def registry(self) -> StoreRegistry:
        """Read which models are kept, and which is in service.

        Raises
        ------
        ModelError
            The registry is missing or damaged.
        """
        return StoreRegistry.parse(self.registry_content())

    def load(self, name: str, sha256: str) -> Predictor:
        """Load a model that the registry pins.

        Parameters
        ----------
        name : str
            Its name, such as ``population-2``.
        sha256 : str
            Hash that the registry pins.

        Returns
        -------
        Predictor
            The model; its version is `name`.

        Raises
        ------
        ModelError
            The weights are missing, altered, incomplete, or of a model of another name, or the
            model's predictions of standard meals are not credible.
        """
        weights = unpack_weights(self.weights_content(name), sha256, name)
        try:
            predictor = Predictor.from_weights(weights)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ModelError(f"the weights of {name!r} are not complete: {error!r}") from error
        if predictor.version != name:
            raise ModelError(f"the weights of {name!r} are those of {predictor.version!r}")
        check_plausibility(predictor)
        return predictor

    def weights_content(self, name: str) -> bytes:
        """Read a model's ``weights.json`` as it is, whatever the registry says of it.

        Raises
        ------
        ModelError
            It is missing, or no plain file.
        """
        check_model_name(name)
        return self._read(name, "weights.json")

    def _read(self, *path: str) -> bytes:
        """Read one plain file, following no link below the store."""
        opened: list[int] = []
        try:
            opened.append(os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
            for part in path:
                flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
                opened.append(os.open(part, flags, dir_fd=opened[-1]))
            if not stat.S_ISREG(os.fstat(opened[-1]).st_mode):
                raise OSError("it is no plain file")
            with os.fdopen(opened.pop(), "rb") as file:
                content = file.read(_LARGEST_BYTES + 1)
            if len(content) > _LARGEST_BYTES:
                raise OSError(f"it is larger than {_LARGEST_BYTES} bytes")
        except OSError as error:
            raise ModelError(f"{self.folder.joinpath(*path)} cannot be read: {error}") from error
        finally:
            for each in opened:
                os.close(each)
        return content


def check_model_name(name: str) -> None:
    """Refuse a name that no model of a store has.

    Raises
    ------
    ModelError
        The name is not ``population-`` and a number.
    """
    if not _NAME.fullmatch(name):
        raise ModelError(f"a model of a store is named like population-2, not {name!r}")


def version_number(name: str) -> int:
    """Read the number off a model's name.

    Examples
    --------
    >>> version_number("population-2")
    2
    """
    return int(name.rpartition("-")[2])
