"""Quotations: understandable alone, one number per publication, and on the subject."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from claims import passages
from conversations import answer

from postmeal.chat.tools.contexts import context_of, needs_context
from postmeal.chat.tools.quoted_articles import merged, quotes
from postmeal.chat.tools.required_terms import RequiredTerms
from postmeal.literature import Literature, Passage
from postmeal.literature.article import Citation
from postmeal.literature.sentences import sentences

LEANING = (
    "It was reached by 86% of those who lost at least 15 kg.",
    "Light walking lowers it clearly more than standing.",
    "Alone, at least 75 g of protein was needed.",
    "However, oats did not help.",
    "Compared with usual education alone, the difference was larger.",
    "A later midpoint of sleep went along with a higher one.",
    "The difference was larger in women.",
    "The total glucose area did not differ.",
    "In the intervention group, HbA1c fell.",
    "Most of them looked at one point in time.",
    "None of the trials was judged to have a low risk of bias.",
    "Both groups lost weight.",
    "Insulin levels were comparable on both days.",
    "These results may not hold for others.",
    "Fewer people lost weight.",
    "No such link was seen in men.",
    "Without local training data, its predictions were worse.",
)
STANDING_ALONE = (
    "Both standing and light walking breaks lower glucose after meals compared with sitting.",
    "The glycemic index of white bread was 62.",
    "The HAPO study tested 25,505 pregnant women with 75 g of glucose.",
    "In the DiRECT trial, a program brought type 2 diabetes into remission.",
    "Caffeine lowers insulin sensitivity in healthy people.",
    "More than 1,125 nights at home were studied.",
    "People who eat the most fruit have a lower risk than those who eat the least.",
)


@pytest.mark.parametrize("sentence", LEANING)
def test_a_sentence_that_refers_to_another_one_is_quoted_with_it_or_not_at_all(sentence):
    assert needs_context(sentence)
    before = "Oats lowered glucose in one group of adults."
    assert context_of([before, sentence], 1, is_whole=False) == (0, 1)
    assert context_of([sentence], 0, is_whole=False) == ()


@pytest.mark.parametrize("sentence", STANDING_ALONE)
def test_a_sentence_that_explains_itself_is_quoted_alone(sentence):
    assert not needs_context(sentence)
    assert context_of(["Oats were cheap.", sentence], 1, is_whole=False) == (1,)


def test_a_chain_of_sentences_is_quoted_from_its_beginning():
    text = ["Oats helped.", "They lowered glucose.", "It fell by 1 mmol/L."]
    assert context_of(text, 2, is_whole=False) == (0, 1, 2)


def test_a_comparison_without_its_measure_takes_the_sentence_before_if_there_is_one():
    text = ["Rice was eaten late.", "Glucose was higher at midnight."]
    assert context_of(text, 1, is_whole=False) == (0, 1)
    assert context_of(text[1:], 0, is_whole=False) == (0,)


QUESTIONS = (
    "How much protein is needed with carbohydrate in type 1 diabetes?",
    "Does carbohydrate counting lower HbA1c in type 1 diabetes?",
    "Can type 2 diabetes go into remission?",
    "Does better sleep lower glucose?",
    "Does light walking lower glucose?",
    "What do studies say about whey protein before meals in type 2 diabetes?",
    "What does the consensus on time in range recommend?",
)


@pytest.mark.parametrize("question", QUESTIONS)
def test_statements_of_the_starter_set_are_quoted_from_their_beginning(question):
    found = answer(question)
    assert found.route == "literature"
    statements = [sentences(text) for text in passages()]
    said = [sentence.text for sentence in found.sentences]
    for place, sentence in enumerate(said):
        assert not sentence.startswith("Summary of")
        [statement] = [each for each in statements if sentence in each]
        at = statement.index(sentence)
        assert at == 0 or said[place - 1] == statement[at - 1]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_publication_has_one_number(question):
    references = answer(question).text.split("\n\n")[1]
    identifiers = re.findall(r"doi:(\S+)", references)
    assert len(set(identifiers)) == len(identifiers)


def passage(text: str, rank: int = 1, **more: str) -> Passage:
    return Passage(rank, f"a{rank}", text, 1.0, Citation("Oats: a trial", **more))  # type: ignore[arg-type]


def test_the_mark_of_a_summary_is_not_quoted_whatever_the_title():
    title = "Oats: a trial. Insight from a long study: " + "glucose and barley " * 10
    mark = f"Summary of “{title}” (2016): "
    oats = replace(passage(f"{mark}Oats lowered glucose in adults."))
    oats = replace(oats, citation=Citation(title, year=2016))
    assert [each.text for each in quotes(oats)] == ["Oats lowered glucose in adults."]


def test_sentences_with_doses_are_not_quoted_nor_those_that_need_them():
    text = "They took 500 mg of it. It lowered glucose late. Oats did not help adults lose weight."
    assert [each.text for each in quotes(passage(text))] == [
        "Oats did not help adults lose weight."
    ]


def test_passages_of_one_publication_are_merged():
    one, other = passage("Oats help.", 1, doi="10.1/A"), passage("Rye helps.", 2, doi="10.1/a")
    assert [each.text for each in merged([one, other])] == ["Oats help.\nRye helps."]
    assert len(merged([one, replace(other, citation=Citation("Rye"))])) == 2


@pytest.mark.parametrize(
    ("question", "article", "contains"),
    [
        ("is keto safe in type 1?", "Ketogenic diets and their risk in type 1 diabetes", True),
        ("is keto safe in type 1?", "Ketogenic diets and their risk in type 2 diabetes", False),
        ("is keto safe in type 1?", "Ketogenic diets and their risk in diabetes", False),
        ("does oat bran help in T2D?", "Oat bran in type 2 diabetes", True),
        ("does oat bran help in T2D?", "Oat bran in adults with diabetes", True),
        ("does oat bran help in T2D?", "Oat bran in adults with type 1 diabetes", False),
        ("does oat bran help in T2D?", "Oat bran in healthy adults", False),
        ("oats when pregnant", "Oats in gestational diabetes", True),
        ("oats when pregnant", "Oats in type 2 diabetes", False),
        ("semaglutide studies", "Time-restricted eating", False),
        ("ozempic studies", "Semaglutide and weight", True),
        ("GLP-1 evidence", "Whey and the secretion of GLP-1", False),
        ("GLP-1 evidence", "GLP-1 receptor agonists", True),
        ("what if people stop insulin?", "Insulin on two days", False),
        ("is HbA1c 7 good?", "HbA1c of 6.5% or more is diabetes", False),
        ("is vinegar good?", "Vinegar lowers glucose", True),
    ],
)
def test_the_kind_of_diabetes_and_the_medicine_are_required(question, article, contains):
    assert RequiredTerms(question).are_in(article) is contains


@pytest.mark.parametrize(
    ("question", "article", "contains"),
    [
        ("does coffee raise blood sugar?", "Coffee and the risk of type 2 diabetes", False),
        ("does coffee raise blood sugar?", "Coffee and glucose after a meal", True),
        ("does rice cause diabetes?", "Rice and the risk of type 2 diabetes", True),
        ("does rice make me lose weight?", "Rice and glucose", False),
    ],
)
def test_an_article_with_the_outcome_is_preferred(question, article, contains):
    assert RequiredTerms(question).outcome_is_in(article) is contains


@pytest.mark.parametrize(
    "question",
    [
        "keto diet and type 1: is it safe?",
        "tirzepatide evidence",
        "exenatide weight loss studies",
        "vinegar in gestational diabetes",
    ],
)
def test_a_question_without_an_article_on_its_subject_is_not_answered(question):
    assert answer(question).route == "nothing"


def test_a_follow_up_about_another_kind_of_diabetes_says_that_the_articles_are_not_about_it():
    found = answer(
        "Does eating vegetables first lower the glucose spike?", "and does that work in type 1?"
    )
    if found.route == "literature":
        assert found.sentences[0].text.startswith("I found no article about this for the kind")
    else:
        assert found.route == "nothing"


def test_the_starter_set_is_found_without_its_mark():
    found = Literature.open().search("glucose in the tissue, in silico", limit=1).passages
    [first, *_] = quotes(found[0])
    assert first.text.startswith("Glucose in the tissue")
