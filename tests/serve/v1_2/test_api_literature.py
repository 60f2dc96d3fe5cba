"""POST /v1.2/literature/search."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import httpx2
import pytest
from api_client import Api, Partner, assert_refused
from client_tokens import CREDITS, bearer, mint
from literature_folders import article, library_of, starter_library

from postmeal.literature import Literature
from postmeal.literature.article import TYPES
from postmeal_serve.loaded.literature import ServedLiterature
from postmeal_serve.settings import Settings

SEARCH = "/v1.2/literature/search"
QUESTION = "does eating vegetables first lower glucose"
NOTHING = "xylophone quartet"
CITATION = {"title", "authors", "journal", "publisher", "year", "published_date", "doi", "pmid",
            "pmcid", "url", "type", "language"}  # fmt: skip
ABSENT = (None, "", [], {})


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return starter_library(tmp_path_factory.mktemp("library"))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, library: Path) -> Iterator[Api]:
    """A service with the starter set, found by words alone."""
    with Api(tmp_path_factory.mktemp("literature"), literature=library) as api:
        yield api


@pytest.fixture(scope="module")
def dated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A service with four articles: of a day, of a year, of neither, and a guideline."""
    folder = library_of(
        [
            article(1, "Fiber lowered glucose after meals.", day=date(2020, 6, 15), year=2020),
            article(2, "Walking lowered glucose after meals.", year=2021),
            article(3, "Vinegar lowered glucose after meals."),
            article(4, "Measure glucose after meals.", year=2022, kind="guideline"),
        ],
        tmp_path_factory.mktemp("dated"),
    )
    with Api(tmp_path_factory.mktemp("dated service"), literature=folder) as api:
        yield api


def found(api: Api, query: str = QUESTION, **options: Any) -> dict[str, Any]:
    answer = api.post(SEARCH, json={"query": query, **options})
    assert answer.status_code == 200, answer.text
    content: dict[str, Any] = answer.json()
    return content


def numbers(api: Api, **options: Any) -> set[str]:
    return {each["citation"]["pmid"] for each in found(api, "glucose", **options)["passages"]}


def ask(api: Api, partner: Partner, body: Any) -> httpx2.Response:
    return api.client.post(SEARCH, json=body, headers=partner.headers(SEARCH))


def credits_used(api: Api, partner: Partner) -> int:
    used: int = api.client.get(CREDITS, headers=partner.headers(CREDITS)).json()["used_credits"]
    return used


def test_a_question_alone_is_enough(service):
    """Rows 98, 99: and the answer is that of the library, with every value of its citations."""
    answer = found(service)
    assert set(answer) == {"query", "passages", "summary", "summary_status"}
    expected = service.service.literature.served.active.search(QUESTION)
    assert (answer["query"], answer["summary"]) == (QUESTION, expected.summary)
    assert answer["summary_status"] == expected.summary_status == "completed"
    assert len(answer["passages"]) == 10
    for passage, (rank, key, text, score, citation) in zip(
        answer["passages"], map(parts, expected.passages), strict=True
    ):
        assert (passage["rank"], passage["id"], passage["text"]) == (rank, key, text)
        assert passage["score"] == pytest.approx(score, rel=1e-4)
        day = citation.published_date
        assert passage["citation"] == {
            **{name: getattr(citation, name) for name in CITATION},
            "authors": list(citation.authors),
            "published_date": day and day.isoformat(),
        }


def parts(passage: Any) -> tuple[Any, ...]:
    return passage.rank, passage.id, passage.text, passage.score, passage.citation


def test_a_fresh_start_answers_from_the_starter_set(api):
    """Row 98: without a setting; the texts say that they are summaries."""
    passages = found(api)["passages"]
    assert "vegetables" in passages[0]["text"].lower()
    assert all(each["text"].startswith("Summary of ") for each in passages)


def test_a_passage_has_all_its_fields_and_null_for_what_is_unknown(dated, service):
    """Row 99."""
    for passage in found(service, limit=50)["passages"] + found(dated, "glucose")["passages"]:
        assert set(passage) == {"rank", "id", "text", "score", "citation"}
        citation = passage["citation"]
        assert set(citation) == CITATION
        assert isinstance(citation["authors"], list)
        assert all(citation[name] not in ("", {}) for name in CITATION)
    bare = found(dated, "vinegar")["passages"][0]["citation"]
    known = {name: each for name, each in bare.items() if each not in ABSENT}
    assert known == {"title": "Glucose after meals", "pmid": "3",
                     "type": "journal_article", "language": "en"}  # fmt: skip
    assert (bare["year"], bare["doi"], bare["authors"]) == (None, None, [])


@pytest.mark.parametrize("query", [QUESTION, "glycemic index", "sleep", "sensor accuracy"])
def test_passages_come_best_first(service, query):
    """Row 100."""
    passages = found(service, query, limit=50)["passages"]
    assert len(passages) > 5
    assert [each["rank"] for each in passages] == list(range(1, len(passages) + 1))
    scores = [each["score"] for each in passages]
    assert scores == sorted(scores, reverse=True)
    assert len({each["id"] for each in passages}) == len(passages)


@pytest.mark.parametrize(
    "body",
    [{}, {"query": None}, {"query": ""}, {"query": " \t\n"}, {"query": "x" * 1025}, {"query": 7},
     {"query": ["glucose"]}, {"query": "a\0b"}, {"query": "\u2003"}, {"query": "\x1c"}],
)  # fmt: skip
def test_a_query_must_be_a_text_that_is_neither_blank_nor_long(service, body):
    """Row 101."""
    message = assert_refused(service.post(SEARCH, json=body), 400, "query")
    assert "1024 characters" in message or "1,024 characters" in message


@pytest.mark.parametrize(
    "query",
    ['"glucose"', "gluc*", "glucose NEAR meal", "-glucose", "glucose AND", "NOT", "(", "title:x",
     "the of and", "🍎🍌", "глюкоза после еды", "x" * 1024, "glucose " * 128, "26106234",
     "10.2337/dc15-0429", "'; DROP TABLE article; --", "\u202eglucose", "a" + "\u0301" * 1000],
)  # fmt: skip
def test_any_other_text_is_a_query(service, query):
    """Rows 101, 106: signs of a query language are signs like others."""
    assert found(service, query)["query"] == query


def test_an_article_is_found_by_its_pmid_or_its_doi(service, dated):
    """Row 98."""
    for query in ("2", "PMID: 2", "pmid:2"):
        [passage] = found(dated, query)["passages"]
        assert passage["citation"]["pmid"] == "2"
    [passage] = found(service, "https://doi.org/10.2337/dc15-0429")["passages"]
    assert (passage["citation"]["doi"], passage["citation"]["year"]) == ("10.2337/dc15-0429", 2015)


def test_the_limit_is_1_to_50_and_10_by_default(service):
    """Row 102."""
    assert len(found(service)["passages"]) == 10
    for limit in (1, 3, 50):
        assert len(found(service, "glucose", limit=limit)["passages"]) == limit
    for wrong in (0, -1, 51, 1e9, 2.5, 10.0, "10", True, [], float("1e300")):
        body = {"query": QUESTION, "limit": wrong}
        assert_refused(service.post(SEARCH, json=body), 400, "limit", "1 to 50")


def test_a_summary_is_given_unless_it_is_declined(service):
    """Row 103."""
    assert found(service, include_summary=True) == found(service)
    declined = found(service, include_summary=False)
    assert (declined["summary"], declined["summary_status"]) == (None, "not_requested")
    assert declined["passages"] == found(service)["passages"]
    for wrong in ("false", 0, 1, "no", []):
        body = {"query": QUESTION, "include_summary": wrong}
        assert_refused(service.post(SEARCH, json=body), 400, "include_summary")


def test_days_of_publication_are_inclusive_and_a_year_stands_for_its_days(dated):
    """Row 104."""
    assert numbers(dated) == {"1", "2", "3", "4"}
    assert numbers(dated, published_after="2020-06-15") == {"1", "2", "4"}
    assert numbers(dated, published_after="2020-06-16") == {"2", "4"}
    assert numbers(dated, published_after="2021-12-31") == {"2", "4"}
    assert numbers(dated, published_before="2020-06-15") == {"1"}
    assert numbers(dated, published_before="2020-06-14") == set()
    assert numbers(dated, published_before="2021-01-01") == {"1", "2"}
    same_day = {"published_after": "2021-05-05", "published_before": "2021-05-05"}
    assert numbers(dated, **same_day) == {"2"}


def test_types_choose_articles_or_guidelines(dated, service):
    """Row 104."""
    assert numbers(dated, types=["guideline"]) == {"4"}
    assert numbers(dated, types=["journal_article"]) == {"1", "2", "3"}
    assert numbers(dated, types=["guideline", "journal_article", "guideline"]) == numbers(dated)
    kinds = found(service, "glucose", types=["guideline"], limit=50)["passages"]
    assert {each["citation"]["type"] for each in kinds} == {"guideline"}


@pytest.mark.parametrize("name", ["published_after", "published_before"])
@pytest.mark.parametrize(
    "day",
    ["2024-02-30", "2024-1-1", "20240101", "86400", "2024", "2024-01-01T00:00:00Z", "", "today",
     20240101, 1.5, True, [], "0000-01-01", "2024-01-01 ", "２０２４-01-01"],
)  # fmt: skip
def test_a_day_that_does_not_exist_is_refused(service, name, day):
    """Row 104."""
    body = {"query": QUESTION, name: day}
    assert_refused(service.post(SEARCH, json=body), 400, name, "YYYY-MM-DD")


def test_days_in_the_wrong_order_are_refused(service):
    """Row 104."""
    body = {"query": "x", "published_after": "2024-02-02", "published_before": "2024-02-01"}
    assert_refused(service.post(SEARCH, json=body), 400, "published_before", "2024-02-02")


@pytest.mark.parametrize("types", [["letter"], ["Guideline"], [], "guideline", [None], 1, [[]]])
def test_a_type_that_does_not_exist_is_refused(service, types):
    """Row 104."""
    body = {"query": QUESTION, "types": types}
    assert_refused(service.post(SEARCH, json=body), 400, "types", *TYPES)


def test_null_stands_for_the_default(service):
    """Row 105."""
    options = ("limit", "include_summary", "published_after", "published_before", "types")
    for name in options:
        assert found(service, **{name: None}) == found(service)
    assert found(service, **dict.fromkeys(options)) == found(service)


def test_nothing_found_is_a_success(service, dated):
    """Row 106."""
    nothing = {"query": NOTHING, "passages": [], "summary": None, "summary_status": "no_passages"}
    assert found(service, NOTHING) == nothing
    late = found(dated, "glucose", published_after="2100-01-01")
    assert (late["passages"], late["summary"]) == ([], None)


@pytest.mark.parametrize("fault", ["takes too long", "raises an error"])
def test_a_summary_that_fails_leaves_the_passages(tmp_path, library, monkeypatch, fault):
    """Rows 59, 107: for one credit."""

    def fail(*args: object) -> None:
        raise ZeroDivisionError

    with Api(tmp_path, literature=library) as api:
        before = found(api)
        if fault == "takes too long":
            hasty = Literature.open(library, summary_limit_s=0)
            monkeypatch.setattr(api.service.literature.served, "_active", hasty)
        else:
            monkeypatch.setattr("postmeal.literature.search.summarize", fail)
        partner = api.partner("unlucky")
        answer = ask(api, partner, {"query": QUESTION})
        assert answer.status_code == 200
        expected = {**before, "summary": None, "summary_status": "failed"}
        assert answer.json() == expected
        assert credits_used(api, partner) == 1


QUESTIONS = ["order of eating", "fiber and glucose", "does walking after a meal help",
             "glycemic index limits", "short sleep insulin", "breakfast or dinner",
             "accuracy of continuous glucose monitoring", "diagnosis of diabetes"]  # fmt: skip


@pytest.mark.parametrize("limit", [1, 3, 50])
@pytest.mark.parametrize("query", QUESTIONS)
def test_a_summary_quotes_the_passages_whose_ranks_it_names(service, query, limit):
    """Row 108: every sentence is in the passage, word for word."""
    answer = found(service, query, limit=limit)
    texts = {each["rank"]: each["text"] for each in answer["passages"]}
    sentences = re.findall(r"(.+?) \[(\d+)\](?: |$)", answer["summary"])
    assert sentences
    assert "".join(f"{text} [{rank}] " for text, rank in sentences).strip() == answer["summary"]
    for text, rank in sentences:
        assert text in texts[int(rank)]


def test_all_are_english_journal_articles_and_guidelines(service):
    """Row 109."""
    passages = [each for query in QUESTIONS for each in found(service, query, limit=50)["passages"]]
    assert {each["citation"]["language"] for each in passages} == {"en"}
    assert {each["citation"]["type"] for each in passages} <= set(TYPES)


@pytest.mark.parametrize("user", ["someone", "", "x" * 1000, "a\tb"])
def test_a_header_that_names_an_end_user_changes_nothing(service, user):
    """Row 110: nor is it checked."""
    headers = {"Service-End-User-ID": user}
    answer = service.post(SEARCH, json={"query": QUESTION}, headers=headers)
    assert answer.json() == found(service)


def test_a_client_token_is_refused(service):
    """Row 27: whatever its scopes."""
    token = bearer(mint(service, service.partner("app")))
    answer = service.client.post(SEARCH, json={"query": QUESTION}, headers=token)
    assert_refused(answer, 403)
    assert answer.json()["code"] == "client_token_not_allowed"


def test_a_search_costs_one_credit_whatever_it_finds(service):
    """Rows 59, 106: and one that is refused costs nothing."""
    partner = service.partner("payer", "starter")
    bodies = ({"query": QUESTION}, {"query": NOTHING}, {"query": QUESTION, "limit": 50},
              {"query": QUESTION, "include_summary": False})  # fmt: skip
    for number, body in enumerate(bodies, 1):
        assert ask(service, partner, body).status_code == 200
        assert credits_used(service, partner) == number
    assert_refused(ask(service, partner, {"query": ""}), 400)
    assert credits_used(service, partner) == len(bodies)


def test_the_last_credit_buys_the_last_search(service):
    """Rows 53, 59."""
    partner = service.partner("poor", "starter", monthly_credits=1)
    assert ask(service, partner, {"query": QUESTION}).status_code == 200
    answer = ask(service, partner, {"query": QUESTION})
    assert_refused(answer, 429)
    assert answer.json()["code"] == "credit_limit_exceeded"


def test_the_cost_is_a_setting_and_other_costs_leave_it(tmp_path, library):
    """Row 59."""
    with Api(tmp_path, literature=library, credit_costs={"search_literature": 7}) as api:
        partner = api.partner("payer")
        assert ask(api, partner, {"query": QUESTION}).status_code == 200
        assert credits_used(api, partner) == 7
    assert Settings().credit_costs["search_literature"] == 1
    other = {"predict_glucose": 2}
    assert Settings(credit_costs=other).credit_costs == Settings().credit_costs | other
    free = Settings(credit_costs={"search_literature": 0})
    assert free.credit_costs["search_literature"] == 0


def test_literature_that_cannot_be_opened_is_unavailable(tmp_path, caplog):
    """Rows 16, 61: the other endpoints serve, and as soon as there is an index, it is served."""
    folder = tmp_path / "library"
    with Api(tmp_path, literature=folder) as api:
        partner = api.partner("waiting")
        answer = ask(api, partner, {"query": QUESTION})
        assert_refused(answer, 503)
        assert answer.json()["code"] == "service_unavailable"
        assert credits_used(api, partner) == 0
        assert api.get("/readyz").status_code == 200
        assert "the literature index cannot be used" in caplog.text
        starter_library(folder)
        served: ServedLiterature = api.service.literature.served
        served.follow()
        assert ask(api, partner, {"query": QUESTION}).status_code == 200
