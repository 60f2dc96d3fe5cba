"""Articles from Europe PMC and the E-utilities, searched on a real server."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from api_client import Api, VirtualClock, assert_refused
from client_tokens import CREDITS
from literature_folders import article, library_of
from medline_files import medline_record
from sqlalchemy import select
from upstream_server import FAULTS, UpstreamServer

from postmeal_serve.storage.tables import transcripts

SEARCH = "/v1.2/literature/search"
QUESTION = "does vinegar lower glucose?"
OWN = "Vinegar lowered glucose in our index."
NOTHING = "xylophone quartet"
WORKING = [fault for fault in FAULTS if fault != "another product"]
Starter = Callable[..., Api]


def result(pmid: int, abstract: str, **changes: Any) -> dict[str, Any]:
    """Return a result in the format of Europe PMC."""
    return {
        "id": str(pmid),
        "source": "MED",
        "pmid": str(pmid),
        "doi": f"10.1000/{pmid}",
        "title": "Vinegar &amp; <i>glucose</i>.",
        "authorList": {"author": [{"fullName": "Doe J"}, {"collectiveName": "Vinegar Group"}]},
        "journalInfo": {"yearOfPublication": 2021, "journal": {"title": "Diet"}},
        "language": "eng",
        "abstractText": abstract,
        "pubTypeList": {"pubType": ["research-article", "Journal Article"]},
        "firstPublicationDate": "2021-02-03",
        **changes,
    }


@pytest.fixture
def outside() -> Iterator[UpstreamServer]:
    abstracts = {"11": "Vinegar lowered glucose by a fifth.", "12": "Vinegar did nothing."}
    records = {
        pmid: medline_record(int(pmid), "Vinegar.", text) for pmid, text in abstracts.items()
    }
    with UpstreamServer(pmids=["11", "12"], records=records) as server:
        yield server


@pytest.fixture
def started(tmp_path: Path, outside: UpstreamServer) -> Iterator[Starter]:
    """Starts the service with an index of two articles and live literature."""
    running: list[Api] = []
    index = library_of(
        [article(1, OWN), article(2, "Walking helps.", title="Exercise")], tmp_path / "library"
    )

    def start(clock: VirtualClock | None = None, **more: Any) -> Api:
        given = {
            "literature": index,
            "live_literature": ["e_utilities"],
            "live_literature_within_s": 20,
            "e_utilities_url": f"{outside.address}/eutils",
            "e_utilities_email": "someone@example.org",
            "europe_pmc_url": f"{outside.address}/europepmc",
        }
        running.append(Api(tmp_path / "state", clock, **(given | more)))
        return running[-1].__enter__()

    yield start
    for api in running:
        api.__exit__()


def found(api: Api, query: str = QUESTION, **options: Any) -> dict[str, Any]:
    answer = api.post(SEARCH, json={"query": query, **options})
    assert answer.status_code == 200, answer.text
    content: dict[str, Any] = answer.json()
    return content


def pmids(api: Api, query: str = QUESTION, **options: Any) -> set[str]:
    return {each["citation"]["pmid"] for each in found(api, query, **options)["passages"]}


def paths(outside: UpstreamServer) -> list[str]:
    return [asked.path.rpartition("/")[2] for asked in outside.asked]


def test_articles_of_pubmed_are_ranked_with_those_of_the_index(started, outside):
    passages = found(started())["passages"]
    assert {each["citation"]["pmid"] for each in passages} == {"1", "11", "12"}
    assert [each["rank"] for each in passages] == [1, 2, 3]
    scores = [each["score"] for each in passages]
    assert scores == sorted(scores, reverse=True)
    live = next(each for each in passages if each["id"] == "pmid:11")
    assert live["text"] == "Vinegar lowered glucose by a fifth."
    assert live["citation"]["url"] == "https://pubmed.ncbi.nlm.nih.gov/11/"
    search, fetch = outside.asked
    assert search.query == {
        "db": "pubmed",
        "term": "(vinegar lower glucose) AND english[la] AND hasabstract",
        "retmode": "json",
        "retmax": "25",
        "sort": "relevance",
        "tool": "postmeal",
        "email": "someone@example.org",
    }
    assert fetch.query["id"] == "11,12"


def test_the_key_is_sent_to_the_e_utilities_and_is_not_logged(started, outside, caplog):
    with caplog.at_level("DEBUG"):
        found(started(e_utilities_key="canary-key", log_level="debug"))
    assert {asked.query["api_key"] for asked in outside.asked} == {"canary-key"}
    assert "canary-key" not in caplog.text
    assert "vinegar" not in caplog.text


def test_europe_pmc_answers_with_abstracts(started, outside):
    outside.results = [
        result(21, "<h4>Aim</h4>Measure. <h4>Results</h4>Vinegar lowered glucose (P&lt;0.05).")
    ]
    [passage] = [
        each
        for each in found(started(live_literature=["europe_pmc"]), "vinegar glucose")["passages"]
        if each["id"] == "pmid:21"
    ]
    assert passage["text"] == "Vinegar lowered glucose (P<0.05)."
    citation = passage["citation"]
    assert citation["title"] == "Vinegar & glucose."
    assert citation["authors"] == ["Doe J", "Vinegar Group"]
    assert (citation["published_date"], citation["year"]) == ("2021-02-03", 2021)
    [asked] = outside.asked
    assert asked.query["query"] == "(vinegar glucose) AND SRC:MED AND LANG:eng AND HAS_ABSTRACT:y"
    assert asked.query["pageSize"] == "25"


def test_both_sources_find_an_article_once(started, outside):
    outside.results = [result(11, "Vinegar lowered glucose."), result(21, "Vinegar again.")]
    api = started(live_literature=["europe_pmc", "e_utilities"])
    keys = [each["id"] for each in found(api)["passages"]]
    assert sorted(keys) == ["pmid:1", "pmid:11", "pmid:12", "pmid:21"]
    assert keys[0] == "pmid:11"


def test_an_article_of_the_index_is_not_repeated(started, outside):
    outside.pmids = ["1"]
    outside.records = {"1": medline_record(1, "Vinegar.", "Another text of vinegar.")}
    [passage] = found(started())["passages"]
    assert passage["text"] == OWN


@pytest.mark.sampled
@pytest.mark.parametrize(
    "changes",
    [
        {"types": ["Letter"]},
        {"types": ["Journal Article", "Retracted Publication"]},
        {"types": ["Editorial", "Journal Article"]},
        {"languages": ["fre"]},
        {"corrections": '<CommentsCorrections RefType="RetractionIn"/>'},
    ],
)
def test_what_an_import_omits_is_omitted(started, outside, changes):
    outside.records["11"] = medline_record(11, "Vinegar.", "Vinegar.", **changes)
    assert pmids(started()) == {"1", "12"}


@pytest.mark.sampled
@pytest.mark.parametrize(
    "changes",
    [
        {"pubTypeList": {"pubType": ["letter", "Journal Article"]}},
        {"pubTypeList": {"pubType": ["Retracted Publication", "Journal Article"]}},
        {"pubTypeList": {"pubType": ["preprint"]}},
        {"pubTypeList": {}},
        {"language": "ger"},
        {"commentCorrectionList": {"commentCorrection": [{"type": "Retraction in"}]}},
        {"pmid": "21 OR 1=1"},
        {"title": 7},
    ],
)
def test_results_of_europe_pmc_are_filtered_alike(started, outside, changes):
    outside.results = [result(21, "Vinegar.") | changes, result(22, "Vinegar.")]
    assert pmids(started(live_literature=["europe_pmc"])) == {"1", "22"}


def test_a_retraction_removes_a_kept_article(started, outside):
    api = started()
    assert "11" in pmids(api)
    outside.records["11"] = medline_record(11, types=["Retracted Publication", "Journal Article"])
    assert "11" not in pmids(api)
    outside.stop()
    assert "11" not in pmids(api)


def test_filters_apply_to_live_articles(started, outside):
    api = started()
    assert pmids(api, published_after="2021-12-31") == {"11", "12"}
    assert outside.asked[0].query["mindate"] == "2021/12/31"
    assert pmids(api, published_after="2022-01-01") == set()
    assert pmids(api, types=["guideline"]) == set()


def test_markup_and_invisible_characters_are_removed(started, outside):
    outside.results = [
        result(
            21,
            "Vinegar &lt;script&gt;alert(1)&lt;/script&gt; \u202elowered\u0000 10<sup>6</sup>.",
            title="<img src=x onerror=alert(1)>Vinegar",
            doi='10.1/x"><script>',
        )
    ]
    text = json.dumps(found(started(live_literature=["europe_pmc"])), ensure_ascii=False)
    assert "<" not in text
    assert "\u202e" not in text
    assert "10⁶" in text


@pytest.mark.sampled
@pytest.mark.parametrize("fault", [*WORKING, "429"])
@pytest.mark.parametrize("source", ["e_utilities", "europe_pmc"])
def test_where_a_source_fails_the_index_answers(started, outside, fault, source):
    """R12, S9: without the source, and without an error."""
    if fault == "unreachable":
        outside.stop()
    outside.fault = fault
    assert pmids(started(live_literature=[source])) == {"1"}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [("500", 502, "upstream_error"), ("garbage", 502, "upstream_error"),
     ("50 MB", 502, "upstream_error"), ("silence", 504, "upstream_timeout"),
     ("dripping", 504, "upstream_timeout"), ("429", 503, "service_unavailable")],
)  # fmt: skip
def test_nothing_in_the_index_and_no_source_is_an_error_without_a_credit(
    started, outside, fault, status, code
):
    """R12, S9: and nothing is stored."""
    outside.fault = fault
    api = started(live_literature_within_s=0.5)
    begun_s = time.monotonic()
    answer = api.post(SEARCH, json={"query": NOTHING})
    assert_refused(answer, status, "literature")
    assert answer.json()["code"] == code
    assert time.monotonic() - begun_s < 1.5 + 1
    assert api.get(CREDITS).json()["used_credits"] == 0
    with api.service.database.writing() as connection:
        assert connection.execute(select(transcripts)).all() == []


def test_nothing_found_anywhere_is_a_success(started, outside):
    outside.pmids = []
    assert found(started(), NOTHING)["passages"] == []
    assert paths(outside) == ["esearch.fcgi"]


def test_a_source_that_failed_gets_a_rest_and_is_used_again(started, outside):
    """R12: within 10 s."""
    clock = VirtualClock()
    api = started(clock)
    outside.fault = "500"
    for _ in range(5):
        assert pmids(api) == {"1"}
    assert len(outside.asked) == 1
    outside.fault = ""
    clock.advance(5.1)
    assert pmids(api) == {"1", "11", "12"}


def test_what_was_found_is_kept_for_30_days(started, outside):
    clock = VirtualClock()
    api = started(clock)
    assert pmids(api) == {"1", "11", "12"}
    outside.stop()
    clock.advance(timedelta(days=29).total_seconds())
    assert pmids(api, "vinegar") == {"1", "11", "12"}
    clock.advance(timedelta(days=1, minutes=1).total_seconds())
    assert pmids(api, "vinegar") == {"1"}
    asyncio.run(api.service._live_literature.delete_expired())
    file = api.settings.state_dir / "live_literature.sqlite"
    with sqlite3.connect(file) as database:
        assert database.execute("SELECT count(*) FROM article").fetchone() == (0,)
    database.close()


def test_a_damaged_file_of_kept_articles_is_created_again(started, outside):
    api = started()
    file = api.settings.state_dir / "live_literature.sqlite"
    file.write_bytes(b"not a database " * 100)
    assert pmids(api) == {"1", "11", "12"}
    outside.stop()
    assert pmids(api) == {"1", "11", "12"}


def test_a_question_is_stored_in_its_transcript_alone(started):
    """S12."""
    api = started()
    found(api, "canaryword vinegar")
    for file in api.settings.state_dir.rglob("*"):
        if file.is_file() and not file.name.startswith("postmeal.sqlite"):
            assert b"canaryword" not in file.read_bytes(), file
    with api.service.database.writing() as connection:
        [row] = connection.execute(select(transcripts)).all()
    assert "canaryword" in row.request


@pytest.mark.parametrize("query", ["26106234", "doi:10.2337/dc15-0429", "the of and", "🍎"])
def test_identifiers_and_questions_without_words_are_not_sent(started, outside, query):
    found(started(), query)
    assert outside.asked == []


def test_signs_of_a_query_language_are_not_sent(started, outside):
    found(started(), 'glucose) OR "rice" NOT (meal*: -walking&api_key=x')
    term = outside.asked[0].query["term"]
    assert term == "(glucose rice meal walking api key x) AND english[la] AND hasabstract"


def test_without_a_setting_no_question_leaves(started, outside, monkeypatch):
    """At the socket: no connection is opened."""
    import socket

    api = started(live_literature=[])
    opened: list[Any] = []
    connect = socket.socket.connect

    def record(self: socket.socket, address: Any) -> None:
        opened.append(address)
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", record)
    monkeypatch.setattr(socket, "create_connection", lambda *given, **_: opened.append(given))
    assert pmids(api) == {"1"}
    assert [each for each in opened if isinstance(each, tuple)] == []
    assert outside.asked == []


@pytest.mark.reliability
def test_concurrent_questions_keep_the_limit_of_the_e_utilities(started, outside):
    api = started()
    outside.asked.clear()
    begun_s = time.monotonic()
    with ThreadPoolExecutor(4) as clients:
        list(clients.map(lambda n: found(api, f"vinegar {n}"), range(4)))
    assert len(outside.asked) == 8
    assert time.monotonic() - begun_s >= 7 / 3


def test_real_answers_of_the_e_utilities_are_read(started, outside, shared_data):
    """Done when 4: files as PubMed sent them."""
    folder = shared_data / "literature" / "eutils"
    outside.pmids, outside.records = [], {}
    for file in sorted(folder.glob("pubmed*.xml")):
        text = file.read_text(encoding="utf-8")
        for record in re.findall(r"<PubmedArticle>.*?</PubmedArticle>", text, re.DOTALL):
            pmid = re.search(r"<PMID[^>]*>(\d+)", record)
            assert pmid is not None
            outside.pmids.append(pmid[1])
            outside.records[pmid[1]] = record
    outside.pmids = outside.pmids[:25]
    live = pmids(started(), "the treatment of patients", limit=50) - {"1", "2"}
    assert live <= {*outside.pmids}
    assert len(live) >= 5
