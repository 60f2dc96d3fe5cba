"""Vectors of articles as memory-mapped arrays, and search for the articles nearest to a vector."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from postmeal.literature.mapped_array import load_mapped

Vector = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]

_STEPS = 127
# Share of the articles whose cosines are computed. Of 100,000 articles, this share contained 99.2%
# of the nearest 1,000.
_EXACT_SHARE = 0.15
_MOST_EXACT = 15_000
_ALWAYS_EXACT = 4_000
_BLOCK = 1_024  # number of float32 rows that fit into the cache of a core
_BITS = np.array([value.bit_count() for value in range(2**16)], dtype=np.uint8)


class Vectors:
    """Vectors of the articles in an index.

    Each component is stored as one byte, and its sign is also stored separately as one bit. A
    search first compares the signs, and then computes the cosine only for the closest articles.
    """

    def __init__(self, folder: Path) -> None:
        self._components = load_mapped(folder / "vectors.npy")
        self._lengths = load_mapped(folder / "vector_lengths.npy")
        self._signs = load_mapped(folder / "vector_signs.npy")

    def mean(self, numbers: Numbers) -> Vector:
        """Return the mean of the unit vectors of the given articles."""
        components = self._components[numbers].astype(np.float32)
        mean: Vector = (components / self._lengths[numbers][:, None]).mean(axis=0)
        return mean

    def nearest(
        self, vector: Vector, limit: int, allowed: npt.NDArray[np.bool_] | None = None
    ) -> tuple[Numbers, Vector]:
        """Return the row indices and cosines of the most similar articles, best first."""
        numbers = np.arange(len(self._lengths)) if allowed is None else np.flatnonzero(allowed)
        n_exact = max(_ALWAYS_EXACT, limit, min(_MOST_EXACT, int(_EXACT_SHARE * len(numbers))))
        if len(numbers) > n_exact:
            numbers = self._alike_in_signs(vector, numbers, n_exact, allowed is None)
        cosines = np.empty(len(numbers), dtype=np.float32)
        for begin in range(0, len(numbers), _BLOCK):
            block = numbers[begin : begin + _BLOCK]
            products = self._components.take(block, axis=0).astype(np.float32) @ vector
            cosines[begin : begin + _BLOCK] = products / self._lengths[block]
        if len(numbers) > limit:
            chosen = np.sort(np.argpartition(-cosines, limit - 1)[:limit])
            numbers, cosines = numbers[chosen], cosines[chosen]
        order = np.argsort(-cosines, kind="stable")
        ordered: Numbers = numbers[order]
        return ordered, cosines[order]

    def _alike_in_signs(
        self, vector: Vector, numbers: Numbers, n_exact: int, is_all: bool
    ) -> Numbers:
        signs = self._signs if is_all else self._signs[numbers]
        own = np.packbits(vector > 0)
        distances = _differing_bits(signs, own)
        farthest = np.searchsorted(np.cumsum(np.bincount(distances)), n_exact)
        near: Numbers = numbers[np.flatnonzero(distances <= farthest)]
        return near


def _differing_bits(signs: Any, own: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint16]:
    """Return the number of bits in which each row of signs differs from the question's signs."""
    has_count = hasattr(np, "bitwise_count")  # NumPy 2
    kind = np.uint64 if has_count else np.uint16
    counts = np.zeros(len(signs), dtype=np.uint16)
    # Adding column by column is four times as fast as summing the few columns of each row.
    for column, word in zip(np.asarray(signs).view(kind).T, own.view(kind), strict=True):
        counts += np.bitwise_count(column ^ word) if has_count else _BITS[column ^ word]
    return counts


class VectorsWriter:
    """Write the vectors of articles."""

    def __init__(self, folder: Path, n_articles: int, n_components: int) -> None:
        def new(name: str, kind: type, *shape: int) -> Any:
            path = folder / name
            return np.lib.format.open_memmap(path, mode="w+", dtype=kind, shape=shape)

        self._components = new("vectors.npy", np.int8, n_articles, n_components)
        self._lengths = new("vector_lengths.npy", np.float32, n_articles)
        self._signs = new("vector_signs.npy", np.uint8, n_articles, n_components // 8)
        self._written = 0

    def add(self, vectors: Vector) -> None:
        """Add the vectors of the next articles, an array of shape (n, n_components)."""
        place = slice(self._written, self._written + len(vectors))
        largest = np.abs(vectors).max(axis=1, keepdims=True)
        rounded = np.rint(vectors / np.maximum(largest, 1e-12) * _STEPS)
        self._components[place] = rounded.astype(np.int8)
        self._lengths[place] = np.maximum(np.linalg.norm(rounded, axis=1), 1)
        self._signs[place] = np.packbits(vectors > 0, axis=1)
        self._written += len(vectors)

    def finish(self) -> None:
        """Write the arrays to disk."""
        for mapped in (self._components, self._lengths, self._signs):
            mapped.flush()
