"""Names of the fields that a request model accepts, including those of nested objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, get_args

from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo

__all__ = ["Shape", "names_within", "shape_of"]


@dataclass(frozen=True, eq=False)
class Shape:
    """The names that an object in a request may contain."""

    fields: Mapping[str, str]
    other_names: Mapping[str, str]
    inner: Mapping[str, Shape] = field(default_factory=dict)


@cache
def shape_of(model: type[BaseModel]) -> Shape:
    """Return the names that a request model accepts."""
    fields: dict[str, str] = {}
    inner: dict[str, Shape] = {}
    for name, info in model.model_fields.items():
        wire_names = _wire_names(name, info)
        fields |= dict.fromkeys(wire_names, name)
        inner_model = next(_models(info.annotation), None)
        if inner_model is not None:
            inner |= dict.fromkeys(wire_names, shape_of(inner_model))
    return Shape(fields, getattr(model, "other_names", {}), inner)


def names_within(models: Iterable[type[BaseModel]]) -> frozenset[str]:
    """Return the field names of the given models and of the models nested in them."""
    names: set[str] = set()
    seen: set[type[BaseModel]] = set()
    pending = list(models)
    while pending:
        model = pending.pop()
        if model not in seen:
            seen.add(model)
            for name, info in model.model_fields.items():
                names.update(_wire_names(name, info))
                pending.extend(_models(info.annotation))
    return frozenset(names)


def _wire_names(name: str, info: FieldInfo) -> tuple[str, ...]:
    """Return the names of a field in requests."""
    alias = info.validation_alias
    choices = alias.choices if isinstance(alias, AliasChoices) else [alias or name]
    return tuple(choice for choice in choices if isinstance(choice, str))


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models in an annotation such as ``list[Model] | None``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)
