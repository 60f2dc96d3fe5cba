"""Names in the OpenAPI documents, and misspellings of them that the service recognizes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest
from api_client import ZONE, Api

from postmeal_serve.app import OPERATIONS
from postmeal_serve.http.openapi import openapi_document

USER = {"x-partner-user-id": "00000000-0000-4000-8000-000000000000"}


class Object(NamedTuple):
    """An object in a request body: its path, and its names."""

    method: str
    path: str
    place: tuple[str, ...]
    names: tuple[str, ...]
    arrays: tuple[bool, ...]

    def holding(self, content: Any) -> Any:
        """Return a body with only that object, which is `content`."""
        for name, is_array in zip(reversed(self.place), reversed(self.arrays), strict=True):
            content = {name: [content] if is_array else content}
        return content

    def at(self, name: str) -> str:
        """Return the path of a name in that object, as it appears in errors."""
        parts = [
            f"{each}[0]" if is_array else each
            for each, is_array in zip(self.place, self.arrays, strict=True)
        ]
        return ".".join([*parts, name])

    def __str__(self) -> str:
        return f"{self.method} {self.path} {'.'.join(self.place)}"


def request_objects(document: dict[str, Any]) -> Iterator[Object]:
    """Yield the objects in the request bodies of a document, except those that OpenAI defines."""
    for path, method, entry in operations(document):
        if "requestBody" in entry and not path.startswith("/v1.2/chat/"):
            schema = entry["requestBody"]["content"]["application/json"]["schema"]
            yield from _objects(document, method, path, schema, (), ())


def answer_names(document: dict[str, Any]) -> set[str]:
    """Return the names in the successful responses of a document."""
    names: set[str] = set()
    for _, _, entry in operations(document):
        for status, answer in entry["responses"].items():
            if status < "300" and "content" in answer:
                schema = answer["content"]["application/json"]["schema"]
                found = _objects(document, "", "", schema, (), ())
                names.update(name for each in found for name in each.names)
    return names


def query_parameters(entry: dict[str, Any]) -> tuple[str, ...]:
    """Return the names of an operation's query parameters."""
    return tuple(each["name"] for each in entry.get("parameters", ()) if each["in"] == "query")


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the path, method and description of every operation."""
    for path, entries in document["paths"].items():
        for method, entry in entries.items():
            yield path, method.upper(), entry


def respelt(name: str) -> set[str]:
    """Return variants of a name in other cases, with and without underscores."""
    first, *others = name.split("_")
    words = [first, *others]
    camel = first + "".join(word.title() for word in others)
    title = "".join(word.title() for word in words)
    spelt = {camel, title, name.upper(), "".join(words), "_".join(words).title(), f"_{name}"}
    return spelt - {name}


def mistyped(name: str, letters: str = "xs_") -> set[str]:
    """Return all spellings of a name with one typing error; none if it has under five letters."""
    if sum(map(str.isalpha, name)) < 5:
        return set()
    cuts = [(name[:place], name[place:]) for place in range(len(name) + 1)]
    found = {left + right[1:] for left, right in cuts}
    found |= {left + right[1::-1] + right[2:] for left, right in cuts}
    found |= {left + letter + right for left, right in cuts for letter in letters}
    found |= {left + letter + right[1:] for left, right in cuts for letter in letters if right}
    return found - {name}


def _objects(
    document: dict[str, Any],
    method: str,
    path: str,
    schema: dict[str, Any],
    place: tuple[str, ...],
    arrays: tuple[bool, ...],
) -> Iterator[Object]:
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        properties = schema.get("properties", {})
        yield Object(method, path, place, tuple(properties), arrays)
        for name, inner in properties.items():
            for part in (inner, *inner.get("anyOf", ())):
                array = part.get("type") == "array"
                found = part.get("items", {}) if array else part
                if "$ref" in found:
                    inside = (*place, name), (*arrays, array)
                    yield from _objects(document, method, path, found, *inside)


@cache
def document(version: str) -> dict[str, Any]:
    chosen = [each for each in OPERATIONS if each.version.name == version]
    return openapi_document(version, chosen)


def objects(version: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("where", [*request_objects(document(version))], ids=str)


def send(api: Api, where: Object, body: Any, query: str = "") -> Any:
    path = re.sub(r"\{\w+\}", "1848", where.path) + query
    headers = api.headers(path) | {"Service-End-User-ID": "someone"} | ZONE | USER
    return api.client.request(where.method, path, json=body, headers=headers)


def misspellings(name: str, where: Object, version: str) -> list[str]:
    """Return the misspellings of a name in a fixed order, without names that are also valid."""
    known = {*where.names, "profile"}
    if version == "v1.2":
        known |= answer_names(document(version))
    return sorted((respelt(name) | mistyped(name)) - known)
