"""Replies of language models behind an OpenAI-compatible API."""

from __future__ import annotations

import re
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, ValidationError

from postmeal_serve.upstreams.http_client import ResponseModel, ServiceClient, UpstreamError

__all__ = ["LanguageModel"]

Reply = TypeVar("Reply", bound=BaseModel)

_FENCED = re.compile(r"\A\s*```(?:json)?\s*(.*?)\s*```\s*\Z", re.DOTALL)


class _Message(ResponseModel):
    content: Annotated[str, Field(max_length=100_000)]


class _Choice(ResponseModel):
    message: _Message


class _Completion(ResponseModel):
    choices: Annotated[list[_Choice], Field(min_length=1)]


class LanguageModel:
    """Client of a language or vision model that replies in JSON."""

    def __init__(self, client: ServiceClient, name: str, timeout_s: float) -> None:
        self._client = client
        self._name = name
        self._timeout_s = timeout_s

    async def reply(
        self, form: type[Reply], task: str, content: str | list[dict[str, Any]], max_tokens: int
    ) -> Reply:
        """Send a request to the model, and return its validated reply."""
        body = {
            "model": self._name,
            "messages": [{"role": "system", "content": task}, {"role": "user", "content": content}],
            "temperature": 0,
            "max_tokens": max_tokens,
            "response_format": {"type": "json_object"},
        }
        completion = await self._client.request(
            "/chat/completions", _Completion, self._timeout_s, body=body
        )
        text = completion.choices[0].message.content
        fenced = _FENCED.match(text)
        try:
            return form.model_validate_json(fenced[1] if fenced else text)
        except ValidationError:
            self._client.count("unusable")
            raise UpstreamError("failed") from None
