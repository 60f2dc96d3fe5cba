"""Recorder of the examples in the OpenAPI documents."""

from __future__ import annotations

import json
import re
from typing import Any

from api_client import Api, Partner

from postmeal_serve.app import OPERATIONS

__all__ = ["BY_ID", "IDS", "Recorder"]

BY_ID = {each.operation_id: each for each in OPERATIONS}
IDS = tuple(f"{digit * 8}-0000-4000-8000-{digit * 12}" for digit in "123456789")
_SECRET = re.compile(r"ct-[\w-]{43}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TOKEN = "ct-" + "EXAMPLE" * 6 + "0"
_SAME: Any = object()


class Recorder:
    """Sends requests to a service and records the responses as examples.

    UUIDs and client tokens, which are random, are replaced by fixed values.
    """

    def __init__(self, api: Api, partner: Partner) -> None:
        self.api = api
        self.partner = partner
        self.files: dict[str, dict[str, Any]] = {}
        self._parameters: dict[str, dict[str, Any]] = {}
        self._replaced: dict[str, str] = {}

    def send(
        self,
        operation_id: str,
        parameters: dict[str, Any],
        body: Any = _SAME,
        headers: dict[str, str] | None = None,
        **options: Any,
    ) -> Any:
        """Send a request; its body is the example of the operation unless another is given."""
        operation = BY_ID[operation_id]
        places = {each.name: each.place for each in operation.parameters}
        path, query = operation.path, {}
        sent = self.partner.headers(path) | (headers or {})
        for name, value in parameters.items():
            if places[name] == "path":
                path = path.replace(f"{{{name}}}", str(value))
            elif places[name] == "header":
                sent.setdefault(name, str(value))
            else:
                query[name] = str(value)
        if body is _SAME:
            body = operation.example
        if body is not None and "content" not in options:
            options["json"] = body
        return self.api.client.request(
            operation.method, path, params=query, headers=sent, **options
        )

    def record(self, operation_id: str, body: Any = _SAME, **parameters: Any) -> Any:
        """Record the response to a valid request as the operation's example; return its body."""
        operation = BY_ID[operation_id]
        parameters = {_header(name, operation): value for name, value in parameters.items()}
        response = self.send(operation_id, parameters, body)
        assert response.status_code == operation.status_code, response.text
        kept = {name: response.headers[name] for name in operation.headers
                if name in response.headers}  # fmt: skip
        content = response.json() if response.content else None
        file = {"parameters": parameters, "headers": kept, "body": content, "errors": {}}
        self.files[operation_id] = self._stable(file)
        self._parameters[operation_id] = parameters
        return content

    def refuse(self, operation_id: str, status: int, body: Any = _SAME, **changed: Any) -> None:
        """Record the response to an invalid request.

        The parameters are those of the valid request, except for `changed`. A parameter that is
        None is not sent.
        """
        operation = BY_ID[operation_id]
        changed = {_header(name, operation): value for name, value in changed.items()}
        merged = self._parameters[operation_id] | changed
        parameters = {name: value for name, value in merged.items() if value is not None}
        response = self.send(operation_id, parameters, body)
        assert response.status_code == status, (operation_id, response.text)
        errors = self.files[operation_id]["errors"]
        errors[str(status)] = self._stable(response.json())

    def refuse_any(
        self, status: int, operation_id: str, parameters: dict[str, Any], **options: Any
    ) -> None:
        """Record an error that any operation of the version can return."""
        response = self.send(operation_id, parameters, **options)
        assert response.status_code == status, (operation_id, response.text)
        version = BY_ID[operation_id].version.name.replace(".", "_")
        self.files.setdefault(f"{version}_errors", {})[str(status)] = response.json()

    def _stable(self, value: Any) -> Any:
        def replacement(match: re.Match[str]) -> str:
            random = match[0]
            if random.startswith("ct-"):
                return _TOKEN
            return self._replaced.setdefault(random, IDS[len(self._replaced)])

        return json.loads(_SECRET.sub(replacement, json.dumps(value)))


def _header(name: str, operation: Any) -> str:
    """Return the parameter name for a keyword, such as ``x_partner_user_id`` for a header."""
    names = {each.name.replace("-", "_"): each.name for each in operation.parameters}
    return names[name]
