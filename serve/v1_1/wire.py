"""Wire: the base of version 1.1's request shapes."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

__all__ = ["Wire"]


class Wire(BaseModel):
    """A shape that a request must have: strict, finite, deaf to fields it does not know."""

    model_config = ConfigDict(strict=True, frozen=True, allow_inf_nan=False)
