"""Fit the models that read messages: ``python tests/relevance/train_chat_models.py``.

Prints how well they read the messages of each author when they are fitted to those of the others,
and then writes ``food_tagger.npz``, ``food_roles.npz``, ``intents.npz`` and ``question_terms.npz``,
fitted to all of them. To fit the model of intents, a sample of the questions that the starter set
of the literature answers is always used as well. It is as large as the messages of one author. The
conversations in ``tests/relevance/chat`` are not used: they measure the result.
"""

from __future__ import annotations

import csv
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from postmeal import Catalog
from postmeal.assets import asset
from postmeal.chat import intents
from postmeal.chat.food_roles import role_features
from postmeal.chat.food_spans import TAGS, FoodSpan, with_roles
from postmeal.chat.hashed_model import N_FEATURES, HashedModel
from postmeal.chat.intents import INTENTS, intent_features
from postmeal.chat.message_features import feature_value
from postmeal.chat.plain_text import plain
from postmeal.chat.question_terms import TERM_TAGS
from postmeal.chat.word_tagger import WordTagger, message_tokens, spans_of, token_features
from postmeal.literature.tokens import stems

CHAT = Path(__file__).with_name("chat")
PACKAGE = Path(intents.__file__).parent
FOOD_MARKS = {"[": 1, "]": 0, "{": 2, "}": 0}
TERM_MARKS = {"<": 1, ">": 0, "[": 2, "]": 0, "{": 3, "}": 0}
TAGGER_C, ROLE_C, INTENT_C = 0.3, 100.0, 30.0
NOT_EATEN_WEIGHT = (
    2.0  # a food that is wrongly counted is worse than one that is left out and named
)
MOVE_WEIGHT = 0.5
N_RESEARCH = 600
ALTERNATIVE = re.compile(
    r"\b(?:instead|swap|alternativ|replac|substitut|what (?:can|could|should) i eat)"
)


class Marked(NamedTuple):
    """A plain text without marks, the tag of each token, and the features of each token."""

    text: str
    tags: list[int]
    features: list[NDArray[np.int64]]


class Labeled(NamedTuple):
    """A message with its intent, and the message before it."""

    intent: int
    message: Marked
    earlier: Marked


def rows_of(file: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a table."""
    with file.open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines)


def marked(
    text: str, marks: Mapping[str, int], catalog: Catalog, terms: Mapping[str, int] | None = None
) -> Marked:
    """Return a text with the tags that its marks mean."""
    kept, kinds, kind = "", [], 0
    for character in plain(text):
        if character in marks:
            kind = marks[character]
            continue
        kept += character
        kinds.append(kind)
    tokens = message_tokens(kept)
    tags = [kinds[token.start()] for token in tokens]
    return Marked(kept, tags, token_features([token.group() for token in tokens], catalog, terms))


def fitted(
    rows: Sequence[NDArray[np.int64]],
    values: Sequence[float],
    labels: Sequence[int],
    inverse_penalty: float,
    class_weight: Mapping[int, float] | None = None,
) -> HashedModel:
    """Return a model fitted to the features of messages, stretches or tokens."""
    lengths = [len(row) for row in rows]
    matrix = csr_matrix(
        (np.repeat(values, lengths), np.concatenate(rows), np.cumsum([0, *lengths])),
        shape=(len(rows), N_FEATURES),
    )
    model = LogisticRegression(C=inverse_penalty, max_iter=3000, class_weight=class_weight)
    model.fit(matrix, labels)
    if len(model.coef_) == 1:  # of two classes: the difference of their weights
        halves = np.array([[-0.5], [0.5]])
        return HashedModel(halves * model.coef_, halves[:, 0] * model.intercept_)
    return HashedModel(model.coef_, model.intercept_)


def fitted_tagger(messages: Sequence[Marked], tags: Sequence[str]) -> WordTagger:
    """Return the tagger fitted to the tokens of messages."""
    rows = [row for each in messages for row in each.features]
    labels = [tag for each in messages for tag in each.tags]
    moves = np.full((len(tags), len(tags)), 5.0)
    for each in messages:
        for pair in zip(each.tags, each.tags[1:], strict=False):
            moves[pair] += 1
    shares = moves / moves.sum(axis=1, keepdims=True)
    frequencies = moves.sum(axis=0) / moves.sum()
    model = fitted(rows, np.ones(len(rows)), labels, TAGGER_C)
    return WordTagger(model, MOVE_WEIGHT * np.log(shares / frequencies))


def title_stems() -> dict[str, int]:
    """Return the number of titles of the starter set of the literature with each stem."""
    with asset("data/literature.csv").open(encoding="utf-8", newline="") as lines:
        titles = {row["title"] for row in csv.DictReader(lines, delimiter=";")}
    counts = Counter(stem for title in titles for stem in set(stems(title)))
    return {stem: min(counts[stem], 255) for stem in sorted(counts)}


def research_questions(catalog: Catalog) -> list[Labeled]:
    """Return a random sample of the questions that the starter set answers.

    Questions that ask for an alternative are excluded, because the chat can compute the answers.
    """
    with asset("data/literature_questions.csv").open(encoding="utf-8", newline="") as lines:
        asked = [row["question"] for row in csv.DictReader(lines, delimiter=";")]
    texts = [text for text in asked if not ALTERNATIVE.search(text.lower())]
    random.Random(3).shuffle(texts)
    nothing = marked("", {}, catalog)
    label = INTENTS.index("research")
    return [Labeled(label, marked(text, {}, catalog), nothing) for text in texts[:N_RESEARCH]]


class FoodModels(NamedTuple):
    """The models that find the foods of a message and their roles."""

    tagger: WordTagger
    roles: HashedModel

    def foods(self, message: Marked) -> tuple[FoodSpan, ...]:
        """Return the foods of a message."""
        tokens = message_tokens(message.text)
        spans = spans_of(tokens, self.tagger.tags(message.features))
        return with_roles(spans, message.text, self.roles)


def fitted_roles(messages: Sequence[Marked]) -> HashedModel:
    """Return the model of the roles of foods, fitted to the marks of messages."""
    pairs = [
        (role_features(each.text, span, n_before), span.tag - 1)
        for each in messages
        for n_before, span in enumerate(spans_of(message_tokens(each.text), each.tags))
    ]
    rows = [row for row, _ in pairs]
    labels = [label for _, label in pairs]
    return fitted(rows, values_of(rows), labels, ROLE_C, {0: 1.0, 1: NOT_EATEN_WEIGHT})


def intent_row(models: FoodModels, each: Labeled) -> NDArray[np.int64]:
    """Return the features of the intent of a message, with the foods that the models find."""
    earlier = each.earlier.text, models.foods(each.earlier)
    return intent_features(each.message.text, models.foods(each.message), *earlier)


def role_agreement(roles: HashedModel, messages: Sequence[Marked]) -> str:
    """Return how many foods are rightly, wrongly and not found as not eaten."""
    counts: Counter[str] = Counter()
    for each in messages:
        spans = spans_of(message_tokens(each.text), each.tags)
        for span, role in zip(spans, with_roles(spans, each.text, roles), strict=True):
            found = not role.is_eaten
            is_right = found == (span.tag == TAGS.index("not_eaten"))
            counts["right" if found and is_right else "wrong" if found else "missed"] += (
                found or not is_right
            )
    return ", ".join(f"{name} {counts[name]}" for name in ("right", "wrong", "missed"))


def agreement(tagger: WordTagger, messages: Sequence[Marked]) -> str:
    """Return the share of tokens with the right tag, and of messages with the right spans."""
    right = whole = number = 0
    for each in messages:
        tags = tagger.tags(each.features)
        same = sum(one == other for one, other in zip(tags, each.tags, strict=True))
        right, number, whole = right + same, number + len(tags), whole + (same == len(tags))
    return f"tokens {right / number:.1%}, messages {whole / len(messages):.1%}"


def right_intents(
    model: HashedModel, rows: Sequence[NDArray[np.int64]], labels: Sequence[int]
) -> str:
    """Return the share of right intents and the most frequent mistakes."""
    mistakes: Counter[str] = Counter()
    for row, label in zip(rows, labels, strict=True):
        found = int(model.logits(row, feature_value(len(row))).argmax())
        if found != label:
            mistakes[f"{INTENTS[label]}>{INTENTS[found]}"] += 1
    share = 1 - mistakes.total() / len(labels)
    return f"{share:.1%}; " + ", ".join(f"{name} {n}" for name, n in mistakes.most_common(8))


def values_of(rows: Sequence[NDArray[np.int64]]) -> list[float]:
    return [feature_value(len(row)) for row in rows]


def stored(model: HashedModel) -> dict[str, NDArray[np.generic]]:
    """Return the arrays of a file, with weights in one byte each."""
    scales = np.abs(model.weights).max(axis=1) / 127
    return {
        "weights": np.round(model.weights / scales[:, None]).astype(np.int8),
        "scales": scales.astype(np.float32),
        "intercepts": model.intercepts.astype(np.float32),
    }


def left_out(groups: Mapping[str, Sequence[Marked]], tags: Sequence[str]) -> dict[str, WordTagger]:
    """Return for each author the tagger fitted to the other authors, and print how well it does."""
    taggers = {}
    for author, own in groups.items():
        others = [each for name, rest in groups.items() if name != author for each in rest]
        taggers[author] = fitted_tagger(others, tags)
        print(f"author {author}, {tags[1]}: {agreement(taggers[author], own)}")
    return taggers


def write_tagger(
    name: str,
    groups: Mapping[str, Sequence[Marked]],
    tags: Sequence[str],
    terms: Mapping[str, int] | None = None,
) -> None:
    """Write a tagger that is fitted to all messages."""
    tagger = fitted_tagger([each for own in groups.values() for each in own], tags)
    known = terms or {}
    np.savez_compressed(
        PACKAGE / name,
        moves=tagger.moves,
        stems=np.frombuffer("\n".join(known).encode(), dtype=np.uint8),
        counts=np.array(list(known.values()), dtype=np.uint8),
        **stored(tagger.model),
    )


def main() -> None:
    catalog = Catalog.open()
    written = {
        file.stem.partition("_")[2]: [
            Labeled(
                INTENTS.index(row["label"]),
                marked(row["text"], FOOD_MARKS, catalog),
                marked(row["before"], {}, catalog),
            )
            for row in rows_of(file)
        ]
        for file in sorted(CHAT.glob("questions_*.csv"))
    }
    messages = {author: [each.message for each in own] for author, own in written.items()}
    models = {}
    for author, tagger in left_out(messages, TAGS).items():
        others = [each for name, own in messages.items() if name != author for each in own]
        models[author] = FoodModels(tagger, fitted_roles(others))
        print(
            f"author {author}, not eaten: {role_agreement(models[author].roles, messages[author])}"
        )
    rows = {
        author: [intent_row(models[author], each) for each in own]
        for author, own in written.items()
    }
    labels = {author: [each.intent for each in own] for author, own in written.items()}
    every_model = FoodModels(
        fitted_tagger([each for own in messages.values() for each in own], TAGS),
        fitted_roles([each for own in messages.values() for each in own]),
    )
    research = research_questions(catalog)
    sample = (
        [intent_row(every_model, each) for each in research],
        [each.intent for each in research],
    )
    for author in written:
        others = [name for name in written if name != author]
        features = sample[0] + [row for name in others for row in rows[name]]
        known = sample[1] + [label for name in others for label in labels[name]]
        model = fitted(features, values_of(features), known, INTENT_C)
        print(f"author {author}, intents: {right_intents(model, rows[author], labels[author])}")
    features = sample[0] + [row for own in rows.values() for row in own]
    known = sample[1] + [label for own in labels.values() for label in own]
    model = fitted(features, values_of(features), known, INTENT_C)
    np.savez_compressed(PACKAGE / "intents.npz", **stored(model))
    roles = fitted_roles([each for own in messages.values() for each in own])
    np.savez_compressed(PACKAGE / "food_roles.npz", **stored(roles))
    write_tagger("food_tagger.npz", messages, TAGS)
    terms: dict[str, list[Marked]] = {}
    known = title_stems()
    for row in rows_of(CHAT / "question_terms.csv"):
        author = row["id"].partition(":")[0]
        terms.setdefault(author, []).append(marked(row["text"], TERM_MARKS, catalog, known))
    left_out(terms, TERM_TAGS)
    write_tagger("question_terms.npz", terms, TERM_TAGS, known)


if __name__ == "__main__":
    main()
