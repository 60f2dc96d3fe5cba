"""Memory-mapped arrays of the articles that contain each word, and BM25 scores of articles."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from postmeal.literature.mapped_array import load_mapped

_K1 = 1.2
_B = 0.75
_TITLE_WEIGHT = 2
_STEPS = 255  # largest stored impact of a word, which takes one byte
_REMEMBERED_WORDS = 2**18
_CORRECTED_FROM = 5  # letters; shorter words are not corrected
_LIKENESS = 0.88  # least similarity of a misspelled word, as a ratio of `difflib`
_BLOCK = 4_000_000  # number of postings that are sorted at a time, which takes 100 MB of memory

_IMPACTS = np.arange(_STEPS + 1, dtype=np.float32) * np.float32((_K1 + 1) / _STEPS)

Numbers = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float32]


class Postings:
    """The articles that contain each word stem.

    The score of an article is a sum over the words of the question. Each word adds its BM25 impact
    in the article times its inverse document frequency. Reference: S. Robertson and H. Zaragoza,
    "The probabilistic relevance framework: BM25 and beyond" (2009), doi:10.1561/1500000019. The
    parameters are k₁ = 1.2 and b = 0.75. Words in the title count twice.
    """

    def __init__(self, folder: Path, n_articles: int) -> None:
        self.n_articles = n_articles
        self._words = load_mapped(folder / "words.npy")
        self._starts = load_mapped(folder / "word_starts.npy")
        self._articles = load_mapped(folder / "posting_articles.npy")
        self._impacts = load_mapped(folder / "posting_impacts.npy")
        self._rarities: dict[str, float] = {}

    def contains(self, stem: str) -> bool:
        """Return whether any article contains a stem."""
        return self._place(stem) is not None

    def similar(self, stem: str) -> str | None:
        """Return the most similar indexed stem with the same first letter; None for short stems."""
        if len(stem) < _CORRECTED_FROM or not stem.isascii():
            return None
        first, last = np.searchsorted(
            self._words, [stem[0].encode(), chr(ord(stem[0]) + 1).encode()]
        )
        words = self._words[first:last]
        near = words[np.abs(np.char.str_len(words) - len(stem)) <= 1]
        found = get_close_matches(stem, [word.decode() for word in near], n=1, cutoff=_LIKENESS)
        return found[0] if found else None

    def rarity(self, stem: str) -> float:
        """Return the inverse document frequency of a stem, which is high for unknown stems."""
        rarity = self._rarities.get(stem)
        if rarity is None:
            span = self._span(stem)
            count = span.stop - span.start
            rarity = math.log1p((self.n_articles - count + 0.5) / (count + 0.5))
            if len(self._rarities) >= _REMEMBERED_WORDS:
                self._rarities = {}
            self._rarities[stem] = rarity
        return rarity

    def scores(self, weights: Mapping[str, float]) -> Scores:
        """Return the score of every article."""
        scores = np.zeros(self.n_articles, dtype=np.float32)
        for stem, weight in weights.items():
            span = self._span(stem)
            by_step = _IMPACTS * np.float32(weight * self.rarity(stem))
            scores[self._articles[span]] += by_step[self._impacts[span]]
        return scores

    def scores_of(self, numbers: Numbers, weights: Mapping[str, float]) -> Scores:
        """Return the scores of the given articles."""
        scores = np.zeros(len(numbers), dtype=np.float32)
        for stem, weight in weights.items():
            span = self._span(stem)
            articles = self._articles[span]
            if not len(articles):
                continue
            places = np.minimum(np.searchsorted(articles, numbers), len(articles) - 1)
            has_stem = articles[places] == numbers
            by_step = _IMPACTS * np.float32(weight * self.rarity(stem))
            scores[has_stem] += by_step[self._impacts[span][places[has_stem]]]
        return scores

    def _place(self, stem: str) -> int | None:
        key = stem.encode()
        if len(key) > self._words.itemsize:
            return None
        place = int(np.searchsorted(self._words, key))
        is_known = place < len(self._words) and self._words[place] == key
        return place if is_known else None

    def _span(self, stem: str) -> slice:
        place = self._place(stem)
        if place is None:
            return slice(0, 0)
        return slice(int(self._starts[place]), int(self._starts[place + 1]))


def best(scores: Scores, limit: int) -> Numbers:
    """Return the numbers of the articles with the highest positive scores; equal ones by number."""
    found = np.flatnonzero(scores > 0)
    if len(found) > limit:
        values = scores[found]
        least = np.partition(values, len(values) - limit)[len(values) - limit]
        above = found[values > least]
        equal = found[values == least][: limit - len(above)]
        found = np.sort(np.concatenate([above, equal]))
    return found[np.argsort(-scores[found], kind="stable")]


class PostingsWriter:
    """Collect the words of articles and write the arrays of a `Postings` folder.

    Postings are written to files in the folder and sorted in blocks, so that the memory required
    does not grow with the number of postings.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers: dict[str, int] = {}
        self._lengths = array("i")
        self._unsorted = (folder / "unsorted_words", folder / "unsorted_counts")
        self._files = [path.open("wb") for path in self._unsorted]
        self._distinct = array("i")

    def add(self, title: Sequence[str], text: Sequence[str]) -> None:
        """Add the stems of the title and of the text of the next article."""
        counts = Counter(text)
        for stem in title:
            counts[stem] += _TITLE_WEIGHT
        words = array("i")
        for stem in counts:
            words.append(self._numbers.setdefault(stem, len(self._numbers)))
        words.tofile(self._files[0])
        array("H", [min(count, 65535) for count in counts.values()]).tofile(self._files[1])
        self._lengths.append(len(title) + len(text))
        self._distinct.append(len(words))

    def finish(self) -> None:
        """Sort the postings by word and article, and write the arrays."""
        for file in self._files:
            file.close()
        stems = sorted((stem.encode(), number) for stem, number in self._numbers.items())
        order = np.empty(len(stems), dtype=np.int32)
        order[[number for _, number in stems]] = np.arange(len(stems), dtype=np.int32)
        widest = max((len(stem) for stem, _ in stems), default=1)
        words = np.array([stem for stem, _ in stems], dtype=f"S{widest}")
        np.save(self._folder / "words.npy", words)

        n_postings = sum(self._distinct)
        raw_words = _raw(self._unsorted[0], np.dtype(np.int32), n_postings)
        raw_counts = _raw(self._unsorted[1], np.dtype(np.uint16), n_postings)
        sizes = np.zeros(len(stems), dtype=np.int64)
        for begin in range(0, n_postings, _BLOCK):
            block = order[raw_words[begin : begin + _BLOCK]]
            sizes += np.bincount(block, minlength=len(stems))
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        np.save(self._folder / "word_starts.npy", starts)
        self._scatter(raw_words, raw_counts, order, starts)
        del raw_words, raw_counts
        for path in self._unsorted:
            path.unlink()

    def _scatter(self, raw_words: Any, raw_counts: Any, order: Any, starts: Numbers) -> None:
        """Write each posting to its position, with the articles of each word in order."""
        n_postings = len(raw_words)
        lengths = np.array(self._lengths, dtype=np.float32)
        mean = float(lengths.mean()) if len(lengths) else 1.0
        penalty = (_K1 * (1 - _B + _B * lengths / max(mean, 1.0))).astype(np.float32)
        ends = np.cumsum(np.array(self._distinct, dtype=np.int64))
        articles = _new(self._folder / "posting_articles.npy", np.dtype(np.int32), n_postings)
        impacts = _new(self._folder / "posting_impacts.npy", np.dtype(np.uint8), n_postings)
        following = starts[:-1].copy()
        for begin in range(0, n_postings, _BLOCK):
            block = order[raw_words[begin : begin + _BLOCK]]
            counts = raw_counts[begin : begin + _BLOCK].astype(np.float32)
            positions = np.arange(begin, begin + len(block))
            numbers = np.searchsorted(ends, positions, side="right").astype(np.int32)
            sorting = np.argsort(block, kind="stable")
            ordered = block[sorting]
            first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
            runs = np.diff(np.append(first, len(ordered)))
            within = np.arange(len(ordered)) - np.repeat(first, runs)
            places = following[ordered] + within
            following[ordered[first]] += runs
            impact = counts / (counts + penalty[numbers])
            articles[places] = numbers[sorting]
            impacts[places] = np.maximum(np.rint(impact * _STEPS), 1).astype(np.uint8)[sorting]
        for mapped in (articles, impacts):
            if isinstance(mapped, np.memmap):
                mapped.flush()


def _raw(path: Path, kind: np.dtype[Any], size: int) -> Any:
    return np.memmap(path, kind, "r", shape=(size,)) if size else np.empty(0, kind)


def _new(path: Path, kind: np.dtype[Any], size: int) -> Any:
    if not size:
        np.save(path, np.empty(0, kind))
        return np.empty(0, kind)
    return np.lib.format.open_memmap(path, mode="w+", dtype=kind, shape=(size,))
