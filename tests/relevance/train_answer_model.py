"""Fit the model of what the chat quotes: ``python tests/relevance/train_answer_model.py``.

The questions that the starter set answers are in ``data/literature_questions.csv``, and questions
that it does not answer are in ``chat/answerable.csv``. The features of each
question are computed without the other questions by its author. The script prints how often the
model, fitted to three quarters of the authors, answers the questions of the others. It then writes
``answer_model.toml``, fitted to all of them. The conversations in ``tests/relevance/chat`` are not
used; they measure the result.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from postmeal.assets import asset
from postmeal.chat import history
from postmeal.chat.plain_text import plain
from postmeal.chat.tools.answer_model import AnswerModel, question_features
from postmeal.chat.tools.expected_questions import (
    Candidate,
    ExpectedQuestions,
    read_expected_questions,
)
from postmeal.chat.tools.required_terms import RequiredTerms
from postmeal.literature.article import Article
from postmeal.literature.sources.starter_set import read_starter_set

CHAT = Path(__file__).with_name("chat")
MODEL = Path(history.__file__).with_name("answer_model.toml")
OF_ARTICLE = tuple(name for name in Candidate._fields if name != "article")
OF_QUESTION = ("log_odds", "log_sum", "likeness", "coverage", "missing", "length")
ARTICLE_C, QUESTION_C = 1.0, 0.3
UNANSWERABLE_WEIGHT = 0.5  # total weight of the questions without an answer, relative to the others
N_FOLDS = 4
HEADER = """\
# Weights of the model that decides whether articles of the starter set answer a question.
# Written by tests/relevance/train_answer_model.py.
"""


class Asked(NamedTuple):
    """A question with its candidates.

    Attributes
    ----------
    source : str
        DOI or PMID of the article that answers the question; empty if none does.
    fold : int
        Number of the part of the data in which the question is left out.
    candidates : list of Candidate
        Articles that may answer the question.
    """

    source: str
    fold: int
    candidates: list[Candidate]


def source_of(article: str) -> str:
    return article.partition("#")[0]


def candidates_of(
    text: str, expected: ExpectedQuestions, articles: dict[str, Article]
) -> list[Candidate]:
    """Return the candidates that contain the required terms of a question."""
    question = plain(text)
    required = RequiredTerms(question)
    return [
        each
        for each in expected.candidates(question)
        if required.are_in(f"{articles[each.article].citation.title} {articles[each.article].text}")
    ]


def read_questions() -> list[Asked]:
    """Return all questions with candidates."""
    articles = {each.id: each for each in read_starter_set(asset("data/literature.csv"))}
    questions = read_expected_questions(asset("data/literature_questions.csv"))
    asked = []
    for author in sorted({each.author for each in questions}):
        others = [each for each in questions if each.author != author]
        expected = ExpectedQuestions(articles.values(), others)
        asked += [
            Asked(
                source_of(each.article),
                author % N_FOLDS,
                candidates_of(each.text, expected, articles),
            )
            for each in questions
            if each.author == author
        ]
    everything = ExpectedQuestions(articles.values(), questions)
    with (CHAT / "answerable.csv").open(encoding="utf-8", newline="") as file:
        without = [row["question"] for row in csv.DictReader(file) if row["group"] == "thin"]
    asked += [
        Asked("", number % N_FOLDS, candidates_of(text, everything, articles))
        for number, text in enumerate(without)
    ]
    return [each for each in asked if each.candidates]


def weights_of(
    rows: Sequence[Sequence[float]],
    labels: Sequence[bool],
    names: Sequence[str],
    inverse_penalty: float,
    sample_weights: NDArray[np.float64] | None = None,
) -> dict[str, float]:
    """Return the weights of a logistic regression by the names of the features."""
    model = make_pipeline(StandardScaler(), LogisticRegression(C=inverse_penalty, max_iter=3000))
    model.fit(np.array(rows), labels, logisticregression__sample_weight=sample_weights)
    scaler, regression = model
    weights = regression.coef_[0] / scaler.scale_
    constant = regression.intercept_[0] - weights @ scaler.mean_
    return {"constant": float(constant)} | dict(zip(names, weights.tolist(), strict=True))


def article_weights(questions: Sequence[Asked]) -> dict[str, float]:
    """Return the weights of the features of articles."""
    pairs = [(each, candidate) for each in questions for candidate in each.candidates]
    rows = [candidate[1:] for _, candidate in pairs]
    labels = [source_of(candidate.article) == each.source for each, candidate in pairs]
    return weights_of(rows, labels, OF_ARTICLE, ARTICLE_C)


def features_of(question: Asked, of_article: dict[str, float]) -> list[float]:
    rated = AnswerModel(of_article, {}).rated(question.candidates)
    found = question_features(question.candidates, [each.probability for each in rated])
    return [found[name] for name in OF_QUESTION]


def question_weights(
    questions: Sequence[Asked], rows: Sequence[Sequence[float]]
) -> dict[str, float]:
    """Return the weights of the features of questions."""
    labels = [bool(each.source) for each in questions]
    weight = UNANSWERABLE_WEIGHT * sum(labels) / (len(labels) - sum(labels))
    weights = np.where(labels, 1.0, weight)
    return weights_of(rows, labels, OF_QUESTION, QUESTION_C, weights)


def main() -> None:
    questions = read_questions()
    rows: list[list[float]] = [[] for _ in questions]
    for fold in range(N_FOLDS):
        of_article = article_weights([each for each in questions if each.fold != fold])
        for place, each in enumerate(questions):
            if each.fold == fold:
                rows[place] = features_of(each, of_article)
    answered: dict[bool, list[bool]] = {True: [], False: []}
    for fold in range(N_FOLDS):
        kept = [place for place, each in enumerate(questions) if each.fold != fold]
        of_article = article_weights([questions[place] for place in kept])
        of_question = question_weights(
            [questions[place] for place in kept], [rows[place] for place in kept]
        )
        model = AnswerModel(of_article, of_question)
        for each in questions:
            if each.fold == fold:
                answered[bool(each.source)].append(bool(model.answering(each.candidates)))
    for has_answer, found in answered.items():
        name = "with" if has_answer else "without"
        print(f"{sum(found) / len(found):.1%} of {len(found)} questions {name} an answer answered")
    tables = {"article": article_weights(questions), "question": question_weights(questions, rows)}
    lines = [HEADER]
    for name, weights in tables.items():
        lines += [f"[{name}]", *(f"{key} = {value:.6g}" for key, value in weights.items()), ""]
    MODEL.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
