"""Operation that searches clinical literature."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from starlette.responses import Response

from postmeal.errors import InputError
from postmeal.literature import Passage, SearchResult
from postmeal.literature.article import ArticleType
from postmeal.literature.search import MAX_LIMIT, MAX_QUERY_LETTERS, SummaryStatus
from postmeal_serve.http.call import Call
from postmeal_serve.http.operation import Operation
from postmeal_serve.resources.literature_query import LiteratureQuery
from postmeal_serve.v1_2.citation import CitationResponse, citation_content
from postmeal_serve.v1_2.version import V1_2
from postmeal_serve.wire.request_body import MOST_VALUES, NOT_BLANK, Accepts, RequestModel
from postmeal_serve.wire.responses import JsonResponse, json_bytes

__all__ = ["SEARCH_LITERATURE"]

_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_LIMIT = 10


def _day(value: Any) -> Any:
    """Parse a date. Pydantic alone would also accept text with a number of seconds."""
    if isinstance(value, str) and re.fullmatch(_DAY, value):
        return date.fromisoformat(value)
    if value is None:
        return None
    raise ValueError("must be a date in the form YYYY-MM-DD")


Day = Annotated[date | None, BeforeValidator(_day)]


class LiteratureRequest(RequestModel):
    """A question with options for the response. In optional fields, null means the default."""

    query: str = Field(
        min_length=1,
        max_length=MAX_QUERY_LETTERS,
        pattern=NOT_BLANK,
        description="Question or keywords in English, or the PMID or DOI of an article.",
    )
    limit: int | None = Field(_LIMIT, ge=1, le=MAX_LIMIT, description="Maximum number of passages.")
    include_summary: bool | None = Field(True, description="Whether to summarize the passages.")
    published_after: Day = Field(
        None,
        description="Earliest publication date. An article for which only the year is known is"
        " included if any day of that year would be.",
    )
    published_before: Day = Field(
        None,
        description="Latest publication date. An article for which only the year is known is"
        " included if any day of that year would be.",
    )
    types: list[ArticleType] | None = Field(
        None,
        min_length=1,
        max_length=MOST_VALUES,
        description="Types of articles. Defaults to all types.",
    )


class PassageResponse(BaseModel):
    """Sentences of an article, with their citation."""

    model_config = ConfigDict(extra="forbid")

    rank: int = Field(ge=1, description="Position in the list, from 1.")
    id: str = Field(description="ID of the article in the index.")
    text: str = Field(
        description="One to three sentences of the article. A text that starts with `Summary of`"
        " is not a quotation."
    )
    score: float = Field(
        description="Score with five significant digits. It never increases from one rank to the"
        " next. Scores from different searches cannot be compared."
    )
    citation: CitationResponse


class LiteratureResponse(BaseModel):
    """Passages, best match first, and their summary."""

    model_config = ConfigDict(extra="forbid")

    query: str = Field(description="The query of the request.")
    passages: list[PassageResponse] = Field(max_length=MAX_LIMIT)
    summary: str | None = Field(
        description="Sentences of the passages, each followed by the rank of its passage, such as"
        " `[2]`."
    )
    summary_status: SummaryStatus = Field(
        description="`completed`, or the reason why there is no summary."
    )


_DAY_ACCEPTS = "must be a date in the form YYYY-MM-DD, such as 2020-01-31, or null"
_ACCEPTS: Accepts = {
    "query": f"must be a string of 1 to {MAX_QUERY_LETTERS} characters, not blank and without NUL",
    "limit": f"must be an integer from 1 to {MAX_LIMIT}, or null",
    "include_summary": "must be true, false or null",
    "published_after": _DAY_ACCEPTS,
    "published_before": _DAY_ACCEPTS,
    "types": get_args(ArticleType),
}
_EXAMPLE = {"query": "does eating vegetables first lower glucose", "limit": 2}


async def search_literature(call: Call) -> Response:
    """Search clinical literature.

    Return passages of English journal articles and clinical guidelines with their citations, best
    match first, and a summary that consists of sentences of the passages. If nothing is found, the
    list of passages is empty. If the summary fails, the passages are returned without it.

    A search costs one credit. The known fields of the request and the response are stored for 30
    days by default. The end user's ID is neither used nor stored.
    """
    body = await call.parse(LiteratureRequest, _ACCEPTS)
    query = _query(body)
    result = await call.service.literature.search(query)
    answer = json_bytes(_response(result))
    owner = call.caller.organization.id
    await call.service.transcripts.store(owner, "literature", query._asdict(), answer)
    return JsonResponse(answer)


def _query(body: LiteratureRequest) -> LiteratureQuery:
    after, before = body.published_after, body.published_before
    if after is not None and before is not None and after > before:
        problem = f"must not be before published_after ({after.isoformat()})"
        raise InputError("published_before", problem, before.isoformat())
    limit = _LIMIT if body.limit is None else body.limit
    return LiteratureQuery(
        body.query, limit, after, before, body.types, body.include_summary is not False
    )


def _response(result: SearchResult) -> dict[str, Any]:
    return {
        "query": result.query,
        "passages": [_passage(passage) for passage in result.passages],
        "summary": result.summary,
        "summary_status": result.summary_status,
    }


def _passage(passage: Passage) -> dict[str, Any]:
    return {
        "rank": passage.rank,
        "id": passage.id,
        "text": passage.text,
        "score": float(f"{passage.score:.5g}"),
        "citation": citation_content(passage.citation),
    }


SEARCH_LITERATURE = Operation(
    "POST",
    "/literature/search",
    search_literature,
    version=V1_2,
    response_model=LiteratureResponse,
    body=LiteratureRequest,
    example=_EXAMPLE,
    refusals=(413, 415, 502, 504),
)
"""Operation that searches clinical literature."""
