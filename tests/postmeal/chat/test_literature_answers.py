"""Literature answers: verbatim, numbered, with references, and nothing below the floor."""

from __future__ import annotations

import re

import pytest
from conversations import answer, assistant

from postmeal.chat import Assistant, Message
from postmeal.foods.catalog import Catalog
from postmeal.glucose.predictor import Predictor

QUESTIONS = (
    "Does walking after a meal lower glucose?",
    "is vinegar good against spikes?",
    "What do studies say about whole fruit and type 2 diabetes?",
    "Does bad sleep raise glucose?",
    "Can type 2 diabetes go into remission after weight loss?",
    "Are vegetables before rice useful?",
)


@pytest.mark.parametrize("question", QUESTIONS)
def test_each_sentence_stands_in_the_passage_that_it_cites(question: str) -> None:
    found = answer(question)
    assert found.route == "literature"
    assert 1 <= len(found.sentences) <= 4
    passages = {passage.rank: passage for passage in found.passages}
    for sentence in found.sentences:
        assert sentence.source is not None
        assert sentence.text in passages[sentence.source].text


@pytest.mark.parametrize("question", QUESTIONS)
def test_each_number_has_a_reference_and_each_reference_a_number(question: str) -> None:
    text = answer(question).text
    sentences, references = text.split("\n\n")[:2]
    listed = re.findall(r"^\[(\d+)\]", references, re.MULTILINE)
    assert sorted(set(re.findall(r"\[(\d+)\]", sentences))) == listed


def test_a_follow_up_is_searched_with_the_subject_of_the_turn_before() -> None:
    found = answer("is vinegar good against spikes?", "how long did these studies go?")
    assert found.route == "literature"
    assert "vinegar" in found.text.lower()


def test_a_question_without_a_source_is_not_answered() -> None:
    found = answer("does sleeping under a pyramid lower glucose in diabetes?")
    assert found.route in ("nothing", "literature")
    assert "pyramid" not in found.text


def test_no_dose_of_a_medicine_is_quoted() -> None:
    for question in QUESTIONS:
        assert not re.search(r"\d (?:mg|units?|IU)\b(?!/)", answer(question).text)


def test_without_literature_the_chat_says_that_it_has_no_source() -> None:
    bare = Assistant(Catalog.open(), Predictor.load())
    found = bare.answer([Message("user", "is vinegar good against spikes?")])
    assert found.route == "nothing"


def test_other_sentences_about_the_same_evidence_keep_its_references() -> None:
    found = answer(QUESTIONS[0])
    first = found.with_sentences(found.sentences[:1])
    assert first.citations == tuple(
        p for p in found.passages if p.rank == found.sentences[0].source
    )
    assert assistant().answer([Message("user", QUESTIONS[0])]) == found


@pytest.mark.parametrize(
    "question",
    [
        "does pineapple juice raise blood sugar?",
        "are goji berries good for type 2 diabetes?",
        "is guava soaked in water at night and drunk in the morning a cure? is there a study?",
    ],
)
def test_an_article_about_another_food_is_not_quoted(question: str) -> None:
    assert answer(question).route == "nothing"


@pytest.mark.parametrize(
    ("question", "stem"),
    [
        ("can stress raise blood sugar?", "stress"),
        ("Do diet sodas raise blood sugar or insulin?", "sweeten"),
        ("mulberry leaf tea with sweet food: evidence or marketing?", "mulberry"),
        ("What is known about alcohol and hypoglycemia in the night after drinking?", "alcohol"),
    ],
)
def test_each_quoted_article_names_the_exposure_of_the_question(question: str, stem: str) -> None:
    found = answer(question)
    assert found.route == "literature"
    for passage in found.citations:
        quoted = [each.text for each in found.sentences if each.source == passage.rank]
        assert stem in " ".join((passage.citation.title, *quoted)).lower()


@pytest.mark.parametrize(
    "question",
    ["What sensor target for type 1 when pregnant?", "sensor target while pregnant with type 1?"],
)
def test_a_topic_is_searched_for_without_an_outcome(question: str) -> None:
    first, *_ = answer(question).text.split("[1]")
    assert "between 63 and 140 mg/dL" in first
