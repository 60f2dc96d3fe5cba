"""Sentences, stems, and the table of the starter set."""

import time

import pytest

from postmeal.errors import DataSetError
from postmeal.literature.article import Article, Citation, Section
from postmeal.literature.passages import passage_text
from postmeal.literature.sentences import sentences
from postmeal.literature.sources.starter_set import STARTER_COLUMNS, read_starter_set
from postmeal.literature.tokens import stems


@pytest.mark.parametrize(
    ("text", "n_sentences"),
    [
        ("Glucose fell (p < 0.05). Insulin did not.", 2),
        ("It fell by 2.5 mmol/L. 95% CI 1.0 to 3.1.", 2),
        ("Rice (see Fig. 2) and beans, i.e. Legumes, were eaten.", 1),
        ("E. coli and S. aureus were counted by J. R. Doe et al. In 2020.", 1),
        ("Was it lower? Yes! “It was.” We stop.", 4),
        ("One sentence without an end", 1),
        ("", 0),
    ],
)
def test_sentences_are_split_and_verbatim(text, n_sentences):
    found = sentences(text)
    assert len(found) == n_sentences
    assert " ".join(found) == text


def test_a_text_of_a_hundred_thousand_abbreviations_is_split_quickly():
    start = time.process_time()
    assert len(sentences("A vs. " * 100_000)) == 1
    assert time.process_time() - start < 2


def test_forms_of_a_word_have_one_stem():
    assert len(set(stems("walk walks walked walking"))) == 1
    assert stems("Ménière’s Café") == stems("meniere s cafe")
    assert stems("x" * 41) == []


def test_the_conclusion_is_preferred_among_sentences_with_the_same_words():
    sections = (
        Section("METHODS", "We measured glucose after rice."),
        Section("CONCLUSIONS", "Rice raised glucose. Funding was public."),
    )
    article = Article("pmid:1", Citation("A trial."), sections)
    found = passage_text(stems("rice glucose"), article, lambda stem: 1.0)
    assert found == "Rice raised glucose."


@pytest.mark.parametrize("text", ["glucose " * 5000, "glucose" * 5000, "Rice. " + "x" * 5000])
def test_no_passage_is_longer_than_900_characters(text):
    article = Article("pmid:1", Citation(text), (Section(None, text),))
    for question in ("glucose rice", "beans"):
        found = passage_text(stems(question), article, lambda stem: 1.0)
        assert 0 < len(found) <= 900
        assert found in text


def row(**changes):
    values = dict.fromkeys(STARTER_COLUMNS, "") | {
        "statement": "Rice raised glucose.",
        "title": "A trial",
        "doi": "10.1/x",
        "type": "journal_article",
        "where_read": "PubMed",
    }
    return ";".join((values | changes).values())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"statement": ""}, "line 2: statement must not be empty"),
        ({"where_read": ""}, "line 2: where_read must not be empty"),
        ({"doi": ""}, "line 2: at least one of doi, pmid and url is required"),
        ({"type": "letter"}, "type must be journal_article or guideline, got 'letter'"),
        ({"published_date": "2024-02-30"}, "year or published_date is not valid"),
    ],
)
def test_a_row_of_the_starter_set_without_a_source_is_refused(tmp_path, changes, message):
    path = tmp_path / "literature.csv"
    path.write_text(";".join(STARTER_COLUMNS) + "\n" + row(**changes) + "\n")
    with pytest.raises(DataSetError, match=message):
        read_starter_set(path)


def test_statements_from_one_article_have_their_own_ids(tmp_path):
    path = tmp_path / "literature.csv"
    path.write_text(";".join(STARTER_COLUMNS) + "\n" + f"{row()}\n{row()}\n")
    assert [article.id for article in read_starter_set(path)] == [
        "summary:10.1/x#1",
        "summary:10.1/x#2",
    ]
