"""A learned tagger of meal sentences: an averaged perceptron with Viterbi decoding."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from io import BytesIO

import numpy as np
from marked_meals import MarkedMeal
from numpy.typing import NDArray

from postmeal.chat.word_tagger import places_in_names
from postmeal.foods.language.matching import Matcher
from postmeal.foods.language.words.connectors import CONNECTORS
from postmeal.foods.language.words.sizes_and_measures import MEASURES, SIZES
from postmeal.words.plain import amount_text
from postmeal.words.tokens import Token

__all__ = ["CONNECTOR", "Tagger"]

_LABELS = ("O", "A", "B-F", "I-F", "B-P", "I-P", "N", "C")
_SEED = 17
_MEASURE = re.compile(rf"(?:{'|'.join(map(re.escape, MEASURES))})(?:e?s)?")
_SIZE = re.compile("|".join(SIZES))
CONNECTOR = re.compile(CONNECTORS)
"""Words that connect foods."""


class Tagger:
    """An averaged perceptron over the labels of a sentence, decoded with the Viterbi algorithm.

    The training follows Collins (2002), doi:10.3115/1118693.1118694.
    """

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher
        self._word = lru_cache(None)(self._features_of_word)
        self.weights: dict[str, NDArray[np.float64]] = defaultdict(lambda: np.zeros(len(_LABELS)))
        self.moves = np.zeros((len(_LABELS) + 1, len(_LABELS)))

    def train(self, meals: Sequence[MarkedMeal], epochs: int) -> None:
        chance = random.Random(_SEED)
        seen = [(self.features(meal.tokens), [_LABELS.index(x) for x in meal.labels])
                for meal in meals]  # fmt: skip
        total: dict[str, NDArray[np.float64]] = defaultdict(lambda: np.zeros(len(_LABELS)))
        total_moves, step = np.zeros_like(self.moves), 0
        for _ in range(epochs):
            chance.shuffle(seen)
            for features, truth in seen:
                step += 1
                guess = self._decoded(features)
                before = [-1, -1]
                for at, (right, wrong) in enumerate(zip(truth, guess, strict=True)):
                    for label, sign in ((right, 1.0), (wrong, -1.0)) if right != wrong else ():
                        for feature in features[at]:
                            self.weights[feature][label] += sign
                            total[feature][label] += sign * step
                    for label, last, sign in ((right, before[0], 1.0), (wrong, before[1], -1.0)):
                        self.moves[last, label] += sign
                        total_moves[last, label] += sign * step
                    before = [right, wrong]
        for feature, summed in total.items():
            self.weights[feature] -= summed / step
        self.moves -= total_moves / step

    @property
    def size_kb(self) -> float:
        """Kilobytes of the weights as a compressed file with 16-bit numbers."""
        file = BytesIO()
        kept = {name: row for name, row in self.weights.items() if np.abs(row).max() > 0.01}
        table = np.array(list(kept.values()), dtype=np.float16)
        np.savez_compressed(file, names=np.array(list(kept)).astype("S"), table=table)
        return len(file.getvalue()) / 1000

    def labels(self, tokens: Sequence[Token]) -> list[str]:
        return [_LABELS[n] for n in self._decoded(self.features(tokens))]

    def _decoded(self, features: Sequence[Iterable[str]]) -> list[int]:
        scores = np.zeros((len(features), len(_LABELS)))
        for at, said in enumerate(features):
            for feature in said:
                if feature in self.weights:
                    scores[at] += self.weights[feature]
        best = self.moves[-1] + scores[0] if len(features) else np.zeros(len(_LABELS))
        back: list[NDArray[np.intp]] = []
        for at in range(1, len(features)):
            reached = best[:, None] + self.moves[:-1]
            back.append(reached.argmax(axis=0))
            best = reached.max(axis=0) + scores[at]
        path = [int(best.argmax())] if len(features) else []
        for came_from in reversed(back):
            path.append(int(came_from[path[-1]]))
        return path[::-1]

    def features(self, tokens: Sequence[Token]) -> list[list[str]]:
        """Return the features of each token: itself, its neighbors, and names in the catalog."""
        edge = ("", "", "edge")
        around = [edge, edge, *(self._word(token.word) for token in tokens), edge, edge]
        named = places_in_names([token.word for token in tokens], self._matcher)
        found: list[list[str]] = []
        for at, name in enumerate(named):
            word, suffix, kind = around[at + 2]
            said = ["bias", f"w={word}", f"s={suffix}", f"k={kind}", f"n={name}", f"p={word[:3]}"]
            for step in (-2, -1, 1, 2):
                near, _, near_kind = around[at + 2 + step]
                said += [f"w{step}={near}", f"k{step}={near_kind}"]
            last, following = around[at + 1], around[at + 3]
            said += [
                f"ww={last[0]} {word}", f"wn={word} {following[0]}",
                f"kk={last[2]} {kind} {following[2]}",
                f"nn={named[at - 1] if at else ''} {name}",
                f"n+={name} {named[at + 1] if at + 1 < len(named) else ''}",
                f"nk={name} {last[2]}", f"start={at == 0}",
            ]  # fmt: skip
            found.append(said)
        return found

    def _features_of_word(self, word: str) -> tuple[str, str, str]:
        if amount_text(word)[:1].isdigit():
            kind = "number"
        elif word in ("a", "an", "some", "few", "couple", "half"):
            kind = "article"
        elif _MEASURE.fullmatch(word):
            kind = "measure"
        elif _SIZE.fullmatch(word):
            kind = "size"
        elif CONNECTOR.fullmatch(word):
            kind = "link"
        elif not word[:1].isalnum():
            kind = "sign"
        else:
            kind = "known" if self._matcher.knows(word) else "unknown"
        return ("#", "", kind) if kind == "number" else (word, word[-3:], kind)
