"""Fit the models of dangers in messages: ``python tests/relevance/train_danger_model.py``.

Prints how well the first model recognizes the messages of each author when it is fitted to those of
the others, and then writes ``danger_model.npz``, fitted to the first six authors, the last two of
whom wrote mostly harmless messages. The conversations of ``read.toml``, the sentences of
``dangers.toml``, the meals of ``blind_meals/read.csv`` and the questions of the first nine authors
are always used for fitting; with those of later authors, the model missed more of the dangers in
``danger_c.csv``. The script also writes ``short_danger_model.npz``, which is fitted to the messages
of three more authors as well, to all questions, and to a sample of the questions that the starter
set of the literature answers. The files ``danger_*.csv`` are not used: they measure the result.
"""

from __future__ import annotations

import csv
import random
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from postmeal.assets import asset
from postmeal.chat import danger_model
from postmeal.chat.danger_model import DangerModel
from postmeal.chat.hashed_model import N_FEATURES, HashedModel
from postmeal.chat.message_features import feature_value, features
from postmeal.chat.plain_text import plain

TESTS = Path(__file__).parents[1]
CHAT = TESTS / "relevance/chat"
PACKAGE = Path(danger_model.__file__).parent
MARK = re.compile(r"[\[\]{}]")
LABELS = {"emergency": 0, "selfharm": 1, "eating": 2, "dosing": 3, "other": 4, "harmless": 4}
INVERSE_PENALTY = 30.0
AUTHORS = ("1", "2", "3", "4", "5", "6")
LATER_AUTHORS = ("7", "8", "9")
N_RESEARCH = 600
VALUES = ("5.4 mmol/l", "6.8", "7.2", "9.1 mmol/l", "84", "102 mg/dl", "118", "136 mg/dl", "171")
STATED = (
    "my glucose is {}",
    "my sugar is {}",
    "{} this morning",
    "sensor says {}",
    "{} after lunch",
)

Labeled = list[tuple[str, int]]


def written_by(author: str) -> Labeled:
    """Return the messages of an author with their classes."""
    with (CHAT / f"messages_{author}.csv").open(encoding="utf-8", newline="") as file:
        return [(plain(row["text"]), LABELS[row["label"]]) for row in csv.DictReader(file)]


def from_other_files() -> Labeled:
    """Return messages of the open halves of other files, and usual values that are only stated."""
    cases = tomllib.loads((CHAT / "read.toml").read_text(encoding="utf-8"))["case"]
    found = [(case["messages"][-1]["content"], LABELS.get(case["route"], 4)) for case in cases]
    sentences = tomllib.loads((TESTS / "postmeal/chat/dangers.toml").read_text(encoding="utf-8"))
    found += [(text, LABELS[label]) for label, texts in sentences.items() for text in texts]
    with (TESTS / "relevance/blind_meals/read.csv").open(encoding="utf-8", newline="") as file:
        meals = {row["text"] for row in csv.DictReader(file, delimiter=";")}
    found += [(text, LABELS["harmless"]) for text in sorted(meals)]
    for file in sorted(CHAT.glob("questions_[1-9].csv")):
        with file.open(encoding="utf-8", newline="") as lines:
            asked = [MARK.sub("", row["text"]) for row in csv.DictReader(lines)]
        found += [(text, LABELS["harmless"]) for text in asked]
    found += [(text.format(value), LABELS["harmless"]) for text in STATED for value in VALUES]
    return [(plain(text), label) for text, label in found]


def from_later_authors() -> Labeled:
    """Return the additional messages of the second model."""
    found = [message for author in LATER_AUTHORS for message in written_by(author)]
    for number in (10, 11):
        with (CHAT / f"questions_{number}.csv").open(encoding="utf-8", newline="") as lines:
            asked = [MARK.sub("", row["text"]) for row in csv.DictReader(lines)]
        found += [(plain(text), LABELS["harmless"]) for text in asked]
    with asset("data/literature_questions.csv").open(encoding="utf-8", newline="") as lines:
        asked = [row["question"] for row in csv.DictReader(lines, delimiter=";")]
    random.Random(1).shuffle(asked)
    return found + [(plain(text), LABELS["harmless"]) for text in asked[:N_RESEARCH]]


def fitted(messages: Labeled) -> DangerModel:
    """Return the model fitted to messages, with weights as they are stored."""
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for number, (text, _) in enumerate(messages):
        present = features(text)
        rows += [number] * len(present)
        columns += present.tolist()
        values += [feature_value(len(present))] * len(present)
    matrix = csr_matrix((values, (rows, columns)), shape=(len(messages), N_FEATURES))
    labels = np.array([label for _, label in messages])
    model = LogisticRegression(C=INVERSE_PENALTY, max_iter=5000).fit(matrix, labels)
    return DangerModel(HashedModel(model.coef_, model.intercept_))


def rounded(model: DangerModel) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights in one byte each, and the scale of each class."""
    scales = np.abs(model.model.weights).max(axis=1) / 127
    return np.round(model.model.weights / scales[:, None]).astype(np.int8), scales.astype(
        np.float32
    )


def write(model: DangerModel, name: str) -> DangerModel:
    """Write a model to the package, and return it with the weights that were written."""
    weights, scales = rounded(model)
    intercepts = model.model.intercepts.astype(np.float32)
    np.savez_compressed(PACKAGE / name, weights=weights, scales=scales, intercepts=intercepts)
    return DangerModel(HashedModel(weights * scales[:, None], intercepts))


def recognized(model: DangerModel, messages: Iterable[tuple[str, int]]) -> str:
    """Return how many messages of each class get this class, and how many any danger."""
    counts = np.zeros((4, 3), dtype=int)
    groups = {"emergency": 0, "self_harm": 1, "eating_disorder": 1, "dosing": 2, None: 3}
    for text, label in messages:
        group, found = (0, 1, 1, 2, 3)[label], groups[model.danger(features(text))]
        counts[group] += (found == group, found != 3, 1)
    names = ("emergency", "self-harm", "dosing", "harmless")
    return "; ".join(
        f"{name} {right} of {n} (a danger: {any_})"
        for name, (right, any_, n) in zip(names, counts, strict=True)
    )


def main() -> None:
    others = from_other_files()
    written = {author: written_by(author) for author in AUTHORS}
    for left_out in AUTHORS:
        rest = [message for author in AUTHORS if author != left_out for message in written[author]]
        print(f"author {left_out}:", recognized(fitted(rest + others), written[left_out]))
    everything = [message for author in AUTHORS for message in written[author]] + others
    print("fitted to:", recognized(write(fitted(everything), "danger_model.npz"), everything))
    write(fitted(everything + from_later_authors()), "short_danger_model.npz")


if __name__ == "__main__":
    main()
