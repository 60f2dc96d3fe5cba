"""Evaluate gradient-boosted decision trees from a CSV table, without a machine learning library."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["DecisionTrees"]


class _Node(NamedTuple):
    """A node of a tree: a split by a feature, or a leaf, which has a negative feature number."""

    feature: int
    threshold: float
    at_most: int
    above: int
    value: float


class DecisionTrees:
    """Decision trees whose sum is the log odds of an event."""

    def __init__(self, text: str) -> None:
        trees: dict[str, list[_Node]] = {}
        for row in csv.DictReader(text.splitlines()):
            nodes = trees.setdefault(row["tree"], [])
            if row["feature"]:
                split = (int(row["feature"]), float(row["threshold"]))
                nodes.append(_Node(*split, int(row["at_most"]), int(row["above"]), 0.0))
            else:
                nodes.append(_Node(-1, 0.0, 0, 0, float(row["value"])))
        self._trees = tuple(map(tuple, trees.values()))

    def probability(self, features: Sequence[float]) -> float:
        """Return the probability of the event for features in the order of their numbers."""
        log_odds = 0.0
        for nodes in self._trees:
            node = nodes[0]
            while node.feature >= 0:
                is_above = features[node.feature] > node.threshold
                node = nodes[node.above if is_above else node.at_most]
            log_odds += node.value
        return 1 / (1 + math.exp(-log_odds))
