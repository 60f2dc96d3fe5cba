"""Fit the models of dangers in messages: ``python tests/relevance/train_danger_model.py``.

Prints how well the first model recognizes the messages of each author when it is fitted to those of
the others, and then writes ``danger_model.npz``, fitted to the first six authors, the last two of
whom wrote mostly harmless messages. The conversations of ``read.toml``, the sentences of
``dangers.toml``, the meals of ``blind_meals/read.csv`` and the questions of the first nine authors
are always used for fitting; with those of later authors, the model missed more of the dangers in
``danger_c.csv``. The script also writes ``short_danger_model.npz``, which is fitted to the messages
of three more authors as well, to all questions, and to a sample of the questions that the starter
set of the literature answers. The files ``danger_*.csv`` are not used: they measure the result.

At last, it prints how well a model of low glucose recognizes the messages of each author of
``lows_*.csv`` when it is fitted to those of the other author, and writes ``low_model.npz``, fitted
to those of both.
"""

from __future__ import annotations

import csv
import random
import re
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from postmeal.assets import asset
from postmeal.chat import danger_model, low_model
from postmeal.chat.danger_model import DangerModel
from postmeal.chat.hashed_model import N_FEATURES, HashedModel
from postmeal.chat.low_model import low_parts
from postmeal.chat.message_features import feature_value, features, hashed
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
LOW_AUTHORS = ("1", "2")
N_QUESTIONS = 1_500
WEIGHT_OF_OTHERS = 0.3
NAMES_LOW = re.compile(r"\b(?:hypos?|hypogly\w*|lows|a low|going low|go low|15|fifteen)\b")
THRESHOLDS = (0.15, 0.3, 0.45, 0.5)
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


def about_lows(author: str) -> Labeled:
    """Return the messages of an author about low glucose, and others, with their classes."""
    with (CHAT / f"lows_{author}.csv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return [(plain(row["text"]), low_model.CLASSES.index(row["label"])) for row in rows]


def not_about_lows() -> Labeled:
    """Return other authors' messages as messages of the class "other" of the model of lows.

    Emergencies and messages that name a low are left out, because their authors did not decide
    whether they need fast sugar.
    """
    authors = (*AUTHORS, *LATER_AUTHORS)
    found = [text for author in authors for text, label in written_by(author) if label]
    asked = []
    for file in sorted(CHAT.glob("questions_[1-9].csv")):
        with file.open(encoding="utf-8", newline="") as lines:
            asked += [plain(MARK.sub("", row["text"])) for row in csv.DictReader(lines)]
    random.Random(1).shuffle(asked)
    other = low_model.CLASSES.index("other")
    return [(text, other) for text in found + asked[:N_QUESTIONS] if not NAMES_LOW.search(text)]


def low_features(text: str) -> npt.NDArray[np.int64]:
    """Return the features of a plain text for the model of lows."""
    return hashed(low_parts(text))


def fitted(
    messages: Labeled,
    featurize: Callable[[str], npt.NDArray[np.int64]] = features,
    weights: list[float] | None = None,
) -> DangerModel:
    """Return the model fitted to messages, with weights as they are stored."""
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for number, (text, _) in enumerate(messages):
        present = featurize(text)
        rows += [number] * len(present)
        columns += present.tolist()
        values += [feature_value(len(present))] * len(present)
    matrix = csr_matrix((values, (rows, columns)), shape=(len(messages), N_FEATURES))
    labels = np.array([label for _, label in messages])
    model = LogisticRegression(C=INVERSE_PENALTY, max_iter=5000)
    model.fit(matrix, labels, sample_weight=weights)
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


def lows_recognized(model: DangerModel, messages: Labeled) -> str:
    """Return how many messages of each class count as a low, with each of several thresholds."""
    found: dict[str, list[float]] = {name: [] for name in low_model.CLASSES}
    for text, label in messages:
        other = model.likelihoods(low_features(text))[-1]
        found[low_model.CLASSES[label]].append(1 - float(other))
    return "; ".join(
        f"above {threshold}: "
        + ", ".join(
            f"{name} {sum(value > threshold for value in values)} of {len(values)}"
            for name, values in found.items()
        )
        for threshold in THRESHOLDS
    )


def fitted_lows(written: Labeled, others: Labeled) -> DangerModel:
    """Return the model of lows fitted to messages about lows, and less closely to others."""
    weights = [1.0] * len(written) + [WEIGHT_OF_OTHERS] * len(others)
    return fitted(written + others, low_features, weights)


def fit_lows() -> None:
    """Print how well the model of lows recognizes messages of unseen authors, and write it."""
    written = {author: about_lows(author) for author in LOW_AUTHORS}
    others = not_about_lows()
    for left_out in LOW_AUTHORS:
        rest = [message for each in LOW_AUTHORS if each != left_out for message in written[each]]
        result = lows_recognized(fitted_lows(rest, others), written[left_out])
        print(f"lows, author {left_out}:", result)
    everything = [message for each in LOW_AUTHORS for message in written[each]]
    write(fitted_lows(everything, others), "low_model.npz")


def main() -> None:
    others = from_other_files()
    written = {author: written_by(author) for author in AUTHORS}
    for left_out in AUTHORS:
        rest = [message for author in AUTHORS if author != left_out for message in written[author]]
        print(f"author {left_out}:", recognized(fitted(rest + others), written[left_out]))
    everything = [message for author in AUTHORS for message in written[author]] + others
    print("fitted to:", recognized(write(fitted(everything), "danger_model.npz"), everything))
    write(fitted(everything + from_later_authors()), "short_danger_model.npz")
    fit_lows()


if __name__ == "__main__":
    main()
