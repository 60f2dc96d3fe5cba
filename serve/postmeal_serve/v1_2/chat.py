"""Health chat, in the format of OpenAI's chat completions."""

from __future__ import annotations

import secrets
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from starlette.responses import Response

from postmeal.chat import ChatAnswer
from postmeal.chat.history import (
    MAX_LETTERS,
    MAX_MESSAGE_LETTERS,
    MAX_MESSAGES,
    MAX_QUESTION_LETTERS,
    Message,
    Role,
    checked,
)
from postmeal_serve.http.call import Call
from postmeal_serve.http.operation import Operation
from postmeal_serve.v1_2.citation import CitationResponse, citation_content
from postmeal_serve.v1_2.version import V1_2_CHAT
from postmeal_serve.wire.request_body import Accepts, RequestModel
from postmeal_serve.wire.responses import JsonResponse, json_bytes

__all__ = ["CREATE_CHAT_COMPLETION", "MAX_LETTERS", "MAX_MESSAGES"]


def _check_stream(stream: bool) -> bool:
    """Refuse the value true; the type `Literal[False]` would also accept 0."""
    if stream:
        raise ValueError("must be false; streaming is not supported")
    return stream


NoStream = Annotated[bool, AfterValidator(_check_stream), Field(json_schema_extra={"const": False})]


class ChatMessage(RequestModel):
    """A message of the conversation."""

    role: Role = Field(
        description="Author of the message. System messages precede all others; the last message is"
        " the user's."
    )
    content: str = Field(
        max_length=MAX_MESSAGE_LETTERS,
        pattern=r"^[^\u0000]*$",
        description=f"Text, with at most {MAX_QUESTION_LETTERS} characters in a user message. The"
        " last message must not be blank. A ligature counts as all its letters.",
    )


class ChatRequest(RequestModel):
    """A conversation. The service does not remember earlier requests."""

    model: Literal["service"] = Field(description="Name of the model.")
    messages: list[ChatMessage] = Field(
        min_length=1,
        max_length=MAX_MESSAGES,
        description=f"The whole conversation, with at most {MAX_LETTERS} characters in total.",
    )
    stream: NoStream = Field(False, description="Streaming is not supported.")


class ChatMessageResponse(BaseModel):
    """The message that contains the answer."""

    model_config = ConfigDict(extra="forbid")

    role: Literal["assistant"]
    content: str = Field(
        description="Sentences, each followed by its source: `[our model]`, or the number of a"
        " citation such as `[1]`; then the references."
    )


class ChatChoice(BaseModel):
    """The answer as the only choice of the completion."""

    model_config = ConfigDict(extra="forbid")

    index: Literal[0]
    message: ChatMessageResponse
    finish_reason: Literal["stop"]


class ChatUsage(BaseModel):
    """Numbers of words (separated by white space), which are counted instead of tokens."""

    model_config = ConfigDict(extra="forbid")

    prompt_tokens: int = Field(ge=0, description="Number of words in all messages of the request.")
    completion_tokens: int = Field(ge=1, description="Number of words in the answer.")
    total_tokens: int = Field(ge=1, description="Sum of the two numbers.")


class ChatCompletion(BaseModel):
    """A chat completion of OpenAI's API, with citations."""

    model_config = ConfigDict(extra="forbid")

    id: str = Field(pattern="^chatcmpl-[0-9a-f]{32}$")
    object: Literal["chat.completion"]
    created: int = Field(description="Time of the answer in seconds since 1970-01-01 UTC.")
    model: Literal["service"]
    choices: list[ChatChoice] = Field(min_length=1, max_length=1)
    usage: ChatUsage
    citations: list[CitationResponse] = Field(
        description="The cited articles; `[1]` in the answer is the first one."
    )


_ACCEPTS: Accepts = {
    "model": ("service",),
    "messages": f"must be an array of 1 to {MAX_MESSAGES} messages, oldest first",
    "role": ("system", "user", "assistant"),
    "content": f"must be a string of at most {MAX_MESSAGE_LETTERS} characters without NUL; parts"
    " of other types are not supported",
    "stream": "must be false or omitted; streaming is not supported",
}
_EXAMPLE = {
    "model": "service",
    "messages": [{"role": "user", "content": "Does eating vegetables first lower glucose?"}],
}


async def create_chat_completion(call: Call) -> Response:
    """Return the answer to a question about food and glucose.

    The response is a chat completion in the format of OpenAI's API. Each sentence of the answer
    states a result of the prediction model, quotes a cited article, or is fixed text. Other fields
    of OpenAI's API, such as `temperature`, are ignored.

    A completion costs one credit. The model name, the messages and the response are stored for 30
    days by default. The end user's ID is neither used nor stored.
    """
    body = await call.parse(ChatRequest, _ACCEPTS)
    answer = await call.service.chat.answer(_conversation(body.messages))
    created = int(call.service.clock.now().timestamp())
    content = json_bytes(_completion(body, answer, created))
    request = body.model_dump(include={"model", "messages"})
    await call.service.transcripts.store(call.caller.organization.id, "chat", request, content)
    return JsonResponse(content)


def _conversation(messages: list[ChatMessage]) -> tuple[Message, ...]:
    return checked([Message(message.role, message.content) for message in messages])


def _completion(body: ChatRequest, answer: ChatAnswer, created: int) -> dict[str, Any]:
    text = answer.text
    asked = sum(len(message.content.split()) for message in body.messages)
    answered = len(text.split())
    message = {"role": "assistant", "content": text}
    return {
        "id": f"chatcmpl-{secrets.token_hex(16)}",
        "object": "chat.completion",
        "created": created,
        "model": body.model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": asked,
            "completion_tokens": answered,
            "total_tokens": asked + answered,
        },
        "citations": [citation_content(passage.citation) for passage in answer.citations],
    }


CREATE_CHAT_COMPLETION = Operation(
    "POST",
    "/chat/completions",
    create_chat_completion,
    version=V1_2_CHAT,
    response_model=ChatCompletion,
    body=ChatRequest,
    example=_EXAMPLE,
    refusals=(413, 415, 502, 504),
    checks_names=False,
)
"""Operation of the health chat."""
