"""Search: order, filters, summaries, and queries that are not questions."""

import random
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime

import pytest
from medline_files import WORDS, medline_record, write_medline

from postmeal.errors import DataSetError, InputError
from postmeal.literature import Article, Citation, Literature
from postmeal.literature.article import Section
from postmeal.literature.build import build_library, import_files


@pytest.fixture
def of_records(tmp_path):
    """Build a library of records and open it."""

    def build(*records):
        import_files([write_medline(tmp_path / "pubmed.xml", *records)], tmp_path)
        build_library(tmp_path)
        return Literature.open(tmp_path)

    return build


def ids(result):
    return [passage.id for passage in result.passages]


def test_ranks_count_from_one_and_scores_never_rise(literature):
    result = literature.search("glucose after rice", limit=50)
    assert [passage.rank for passage in result.passages] == list(range(1, 51))
    scores = [passage.score for passage in result.passages]
    assert scores == sorted(scores, reverse=True)
    assert len(set(ids(result))) == 50


def test_equal_articles_are_ordered_by_pmid(of_records):
    literature = of_records(*(medline_record(pmid) for pmid in (100, 9, 20)))
    assert ids(literature.search("rice")) == ["pmid:9", "pmid:20", "pmid:100"]


def test_a_passage_is_the_sentence_that_answers(of_records):
    abstract = "Ten adults took part. Walking after lunch lowered glucose. Funding was public."
    (passage,) = of_records(medline_record(1, "A trial.", abstract)).search("lunch walk").passages
    assert passage.text == "Walking after lunch lowered glucose."


def test_an_article_without_a_text_is_returned_with_its_title(of_records):
    literature = of_records(medline_record(1, "Sleep and glucose.", ""))
    result = literature.search("sleep")
    assert [passage.text for passage in result.passages] == ["Sleep and glucose."]


def test_feedback_finds_articles_that_share_no_word_with_the_question(of_records):
    literature = of_records(
        medline_record(1, "Walking.", "Walking lowers postprandial hyperglycemia."),
        medline_record(2, "Exercise.", "Postprandial hyperglycemia after exercise."),
        medline_record(3, "Sensors.", "Sensors are worn on the arm."),
    )
    assert ids(literature.search("walking")) == ["pmid:1", "pmid:2"]


@pytest.mark.parametrize(
    "query",
    ["the of and", "🍎🥦", "xqzvw", "血糖", '"', "* - ( NEAR/2", "x" * 1024, "99999999", "\0"],
)
def test_nothing_is_found_without_an_error(literature, query):
    result = literature.search(query)
    assert result.passages == ()
    assert (result.summary, result.summary_status) == (None, "no_passages")


@pytest.mark.parametrize("query", ['"glucose" AND rice*', "glucose OR -rice", "title:glucose NEAR"])
def test_signs_of_query_languages_have_no_meaning(literature, query):
    plain = re.sub(r"\W+", " ", query)
    assert ids(literature.search(query)) == ids(literature.search(plain)) != []


@pytest.mark.parametrize(
    "query",
    [
        "1007", "PMID: 1007.", "10.1000/1007", "https://doi.org/10.1000/1007",
        "doi.org/10.1000/1007", "dx.doi.org/10.1000/1007).", "doi: 10.1000/1007;",
    ],
)  # fmt: skip
def test_a_pmid_or_doi_finds_its_article_alone(literature, query):
    assert ids(literature.search(query)) == ["pmid:1007"]


@pytest.mark.parametrize(
    "query", ["PMID 1", "10.1000/rice", "doi.org/10.1000/glucose.", "https://doi.org/10.1000/meal,"]
)
def test_an_unknown_pmid_or_doi_finds_nothing(literature, query):
    assert literature.search(query).passages == ()


def test_filters_leave_only_articles_that_pass(literature):
    result = literature.search(
        "glucose rice meal", 50, date(2000, 7, 1), date(2010, 6, 30), ["guideline"]
    )
    assert result.passages
    for passage in result.passages:
        assert passage.citation.type == "guideline"
        assert passage.citation.year is not None
        assert 2000 <= passage.citation.year <= 2010
    both = literature.search("glucose rice meal", 50, types=["guideline", "journal_article"])
    assert ids(both) == ids(literature.search("glucose rice meal", 50))


def test_an_article_of_unknown_age_passes_no_filter_of_days(of_records):
    literature = of_records(medline_record(1, issue="<Season>Spring</Season>"))
    assert ids(literature.search("rice")) == ["pmid:1"]
    assert ids(literature.search("rice", published_after=date(1900, 1, 1))) == []
    assert ids(literature.search("rice", published_before=date(2100, 1, 1))) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"query": " "}, "query must be a str of 1 to 1024 characters, got ' '"),
        ({"query": "x" * 1025}, "query must be a str of 1 to 1024 characters"),
        ({"query": None}, "query must be a str"),
        ({"limit": 0}, "limit must be an integer from 1 to 50, got 0"),
        ({"limit": 51}, "limit must be an integer from 1 to 50, got 51"),
        ({"limit": True}, "limit must be an integer"),
        ({"published_after": "2024-02-30"}, "published_after must be a datetime.date or None"),
        (
            {"published_before": datetime(2024, 1, 1)},
            "published_before must be a datetime.date or None",
        ),
        (
            {"types": ["letter"]},
            "types must be a list of one or more of: journal_article, guideline",
        ),
        ({"types": []}, "types must be a list of one or more of"),
        (
            {"published_after": date(2024, 1, 2), "published_before": date(2024, 1, 1)},
            r"published_before must not be before published_after \(2024-01-02\)",
        ),
    ],
)
def test_invalid_arguments_are_refused_by_name(literature, arguments, message):
    with pytest.raises(InputError, match=message):
        literature.search(**{"query": "glucose", **arguments})


@pytest.mark.parametrize("n_questions", [100, pytest.param(1000, marks=pytest.mark.reliability)])
def test_each_sentence_of_a_summary_is_in_the_passage_of_its_rank(literature, n_questions):
    """Every sentence is verbatim and its rank is right."""
    draw = random.Random(n_questions)
    words = [*WORDS.split(), *(f"term{number}" for number in range(200)), "does", "the"]
    n_sentences = 0
    for _ in range(n_questions):
        result = literature.search(" ".join(draw.choices(words[:-2], k=draw.randint(1, 7))), 5)
        texts = {passage.rank: passage.text for passage in result.passages}
        assert result.summary_status == ("completed" if texts else "no_passages")
        found = re.findall(r"(.+?) \[(\d+)\](?: |$)", result.summary or "")
        assert "".join(f"{text} [{rank}] " for text, rank in found).strip() == (
            result.summary or ""
        )
        for text, rank in found:
            assert text in texts[int(rank)]
        n_sentences += len(found)
    assert n_sentences > 1.5 * n_questions


def test_a_sentence_with_a_number_in_brackets_is_not_in_a_summary(of_records):
    literature = of_records(
        medline_record(1, abstract="Rice raised glucose in ten adults [7]."),
        medline_record(2, abstract="Rice raised glucose in most other adults."),
    )
    result = literature.search("rice raised glucose in ten adults")
    assert [passage.id for passage in result.passages] == ["pmid:1", "pmid:2"]
    assert result.summary == "Rice raised glucose in most other adults. [2]"


def test_a_summary_may_be_omitted(literature):
    result = literature.search("glucose", include_summary=False)
    assert (result.summary, result.summary_status) == (None, "not_requested")
    assert result.passages


def test_a_summary_that_takes_too_long_leaves_the_passages(library):
    result = Literature.open(library, summary_limit_s=0).search("glucose")
    assert (result.summary, result.summary_status) == (None, "failed")
    assert len(result.passages) == 10


def test_the_starter_set_is_marked_as_summaries():
    literature = Literature.open()
    result = literature.search("does eating vegetables first lower glucose?")
    assert result.passages
    for passage in result.passages:
        assert passage.text.startswith("Summary of ")
        assert passage.citation.doi or passage.citation.pmid or passage.citation.url


def test_threads_get_the_same_results(literature):
    questions = [f"glucose {word} term{number}" for number, word in enumerate(WORDS.split())]
    expected = [literature.search(question) for question in questions]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(literature.search, questions)) == expected


def test_a_folder_without_an_index_is_refused(tmp_path):
    command = f"create an index with `postmeal literature build --folder {tmp_path} FILE...`"
    with pytest.raises(DataSetError, match=re.escape(command)):
        Literature.open(tmp_path)


def test_each_sentence_of_a_summary_in_our_own_words_is_marked():
    result = Literature.open().search("does eating vegetables first lower glucose")
    assert result.summary is not None
    parts = re.findall(r"(.+?) \[(\d+)\](?: |$)", result.summary)
    assert len(parts) == 4
    for text, rank in parts:
        assert text == result.passages[int(rank) - 1].text
        assert text.startswith("Summary of ")


def test_rankings_of_other_sources_are_fused(literature):
    own = [passage.id for passage in literature.search("glucose", limit=3).passages]
    known = Article(own[2], Citation("Known", pmid=own[2].removeprefix("pmid:")))
    new = Article("pmid:7", Citation("New", pmid="7", year=2020), (Section(None, "Glucose."),))
    undated = Article("pmid:8", Citation("Undated", pmid="8"))
    rankings = [[known, new, undated], [new]]
    result = literature.search("glucose", other_rankings=rankings, limit=50)
    keys = [passage.id for passage in result.passages]
    assert len(keys) == len({*keys})
    assert {*own, "pmid:7", "pmid:8"} <= {*keys}
    assert keys[0] in (own[2], "pmid:7")
    dated = literature.search("glucose", 50, date(2020, 1, 1), other_rankings=rankings)
    assert "pmid:8" not in [passage.id for passage in dated.passages]
    assert not literature.search("PMID 7", other_rankings=rankings).passages
