"""Questions that the starter set answers, and the model that decides what answers a question."""

import csv
from pathlib import Path

import pytest

from postmeal.assets import asset
from postmeal.chat.tools.answer_model import AnswerModel
from postmeal.chat.tools.expected_questions import (
    ExpectedQuestion,
    ExpectedQuestions,
    read_expected_questions,
)
from postmeal.errors import DataSetError
from postmeal.literature.article import Article, Citation, Section
from postmeal.literature.sources.starter_set import read_starter_set


def article(name: str, text: str) -> Article:
    return Article(f"summary:{name}#1", Citation(text), (Section(None, text),), is_summary=True)


FASTING = article("fasting", "Time-restricted eating lowered fasting glucose")
VINEGAR = article("vinegar", "Vinegar lowered postprandial glucose")


@pytest.fixture(scope="module")
def index() -> ExpectedQuestions:
    questions = [
        ExpectedQuestion(FASTING.id, 1, "is eating only between noon and 8 any good?"),
        ExpectedQuestion(FASTING.id, 2, "does skipping breakfast every day help?"),
        ExpectedQuestion(VINEGAR.id, 1, "does vinegar before pasta help?"),
    ]
    return ExpectedQuestions([FASTING, VINEGAR], questions)


@pytest.fixture(scope="module")
def starter() -> ExpectedQuestions:
    return ExpectedQuestions.open()


def test_a_question_in_other_words_finds_the_article_through_its_questions(index):
    best = max(index.candidates("my boss eats only until noon, good?"), key=lambda each: each[1])
    assert best.article == FASTING.id
    assert best.likeness > best.second_likeness


def test_the_words_of_the_article_count_as_well(index):
    (found,) = [
        each for each in index.candidates("postprandial vinegar") if each.article == VINEGAR.id
    ]
    assert found.coverage == pytest.approx(1)
    assert found.missing == 0


def test_a_word_that_occurs_nowhere_is_missing(index):
    found = {each.article: each for each in index.candidates("does quzzlewort vinegar help?")}
    assert found[VINEGAR.id].missing > 0
    assert found[VINEGAR.id].coverage < 1


def test_a_question_without_known_words_has_no_candidates(index):
    assert index.candidates("") == []
    assert index.candidates("xyzzy quux") == []


@pytest.mark.parametrize(
    "question",
    [
        "is eating only between noon and 8 any good for my sugar?",
        "does a walk after dinner lower my glucose",
        "can cinnamon bring down blood sugar",
    ],
)
def test_everyday_questions_are_answered(starter, question):
    assert AnswerModel.open().answering(starter.candidates(question))


@pytest.mark.parametrize(
    "question",
    [
        "which vaccine do I need for a trip to Kenya?",
        "does the GlucoZen patch from the shopping channel melt belly fat",
        "why do my knees click when I squat",
    ],
)
def test_questions_about_something_else_are_not_answered(starter, question):
    assert AnswerModel.open().answering(starter.candidates(question)) == []


def test_answering_articles_are_ordered_by_probability(starter):
    found = AnswerModel.open().answering(starter.candidates("does vinegar lower glucose?"))
    probabilities = [each.probability for each in found]
    assert probabilities == sorted(probabilities, reverse=True)
    assert 1 <= len(found) <= 5


def test_every_statement_has_questions_by_several_authors():
    articles = {each.id for each in read_starter_set(asset("data/literature.csv"))}
    authors: dict[str, set[int]] = {}
    for each in read_expected_questions(asset("data/literature_questions.csv")):
        authors.setdefault(each.article, set()).add(each.author)
    assert authors.keys() == articles
    assert min(map(len, authors.values())) >= 4


def test_no_question_of_the_evaluation_is_among_the_expected_questions():
    sets = Path(__file__).parents[2] / "relevance/chat"
    texts = "\n".join(file.read_text(encoding="utf-8") for file in sets.glob("*.toml")).casefold()
    questions = read_expected_questions(asset("data/literature_questions.csv"))
    long = [each.text for each in questions if len(each.text.split()) > 8]
    assert [text for text in long if text.casefold() in texts] == []


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("article;question\n", "the columns must be article;author;question; got article;question"),
        ("article;author;question\n10.1/x#1;me;why?\n", "cannot be read: invalid literal"),
    ],
)
def test_damaged_tables_of_questions_are_refused(tmp_path, content, problem):
    path = tmp_path / "questions.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataSetError, match=problem):
        read_expected_questions(path)


def test_a_missing_table_of_questions_is_refused(tmp_path):
    with pytest.raises(DataSetError, match=r"none\.csv cannot be read"):
        read_expected_questions(tmp_path / "none.csv")


def test_the_table_of_questions_has_plain_cells():
    with asset("data/literature_questions.csv").open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file, delimiter=";", strict=True) for cell in row]
    assert [cell for cell in cells if not cell or cell != " ".join(cell.split())] == []
