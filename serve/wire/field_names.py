"""Shapes: the names that a model's objects have on the wire, and the objects inside them."""

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
    """The names in one object of a request.

    Attributes
    ----------
    fields : mapping of str to str
        Each name on the wire, with the field that it stands for: a field may have two names.
    other_names : mapping of str to str
        Names that another API version gives to some of the fields.
    inner : mapping of str to Shape
        The shape of the object, or of each object of the array, under a name.
    """

    fields: Mapping[str, str]
    other_names: Mapping[str, str]
    inner: Mapping[str, Shape] = field(default_factory=dict)


@cache
def shape_of(model: type[BaseModel]) -> Shape:
    """Return the shape of a request's model."""
    fields: dict[str, str] = {}
    inner: dict[str, Shape] = {}
    for name, info in model.model_fields.items():
        written = _written(name, info)
        fields |= dict.fromkeys(written, name)
        part = next(_models(info.annotation), None)
        if part is not None:
            inner |= dict.fromkeys(written, shape_of(part))
    return Shape(fields, getattr(model, "other_names", {}), inner)


def names_within(models: Iterable[type[BaseModel]]) -> frozenset[str]:
    """Return every name in the objects of these models, at any depth.

    Examples
    --------
    >>> from pydantic import create_model
    >>> size = create_model("Size", value=(float, ...))
    >>> thing = create_model("Thing", sizes=(list[size] | None, ...))
    >>> sorted(names_within([thing]))
    ['sizes', 'value']
    """
    names: set[str] = set()
    seen: set[type[BaseModel]] = set()
    left = list(models)
    while left:
        model = left.pop()
        if model not in seen:
            seen.add(model)
            for name, info in model.model_fields.items():
                names.update(_written(name, info))
                left.extend(_models(info.annotation))
    return frozenset(names)


def _written(name: str, info: FieldInfo) -> tuple[str, ...]:
    """Return the names of a field on the wire."""
    alias = info.validation_alias
    choices = alias.choices if isinstance(alias, AliasChoices) else [alias or name]
    return tuple(each for each in choices if isinstance(each, str))


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Return the models in an annotation such as ``list[Model] | None``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)
