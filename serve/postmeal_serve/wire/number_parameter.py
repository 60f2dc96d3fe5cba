"""Query parameters that accept decimal numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from postmeal.errors import InputError
from postmeal_serve.wire.parameters import Parameter

__all__ = ["Number"]

_DECIMAL = re.compile(r"-?\d{1,20}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Number(Parameter):
    """A parameter that accepts a decimal number from `least` to `most`."""

    least: float
    most: float
    default: float | None = None
    unit: str = ""

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the parameter's values."""
        schema = {"type": "number", "minimum": self.least, "maximum": self.most}
        return schema if self.default is None else {**schema, "default": self.default}

    @property
    def accepts(self) -> str:
        """The part of an error message that follows the name, such as ``must be a date``."""
        return f"must be a number from {self.least:g} to {self.most:g} {self.unit}".rstrip()

    def read(self, values: Mapping[str, str]) -> float | None:
        """Return the number, or the default if the parameter was not sent."""
        text = self.present(values)
        if text is None:
            return self.default
        number = float(text) if _DECIMAL.fullmatch(text) else math.nan
        if not self.least <= number <= self.most:
            raise InputError(self.name, self.accepts, text[:60])
        return number
