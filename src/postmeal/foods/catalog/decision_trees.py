"""Gradient-boosted decision trees that are read from a table and need no other library."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["DecisionTrees"]


class _Node(NamedTuple):
    """A split by a feature, or a leaf, whose feature is negative."""

    feature: int
    threshold: float
    at_most: int
    above: int
    value: float


class DecisionTrees:
    """A sum of decision trees, which is the log odds of an event.

    Parameters
    ----------
    text : str
        CSV with one row per node and these columns: ``tree``; ``feature`` (number of the feature;
        empty for a leaf); ``threshold``; ``at_most`` and ``above`` (row within the tree that
        follows for a value up to the threshold or above it); and ``value`` (of a leaf). The first
        row of a tree is its root.

    Examples
    --------
    >>> text = "tree,feature,threshold,at_most,above,value\\n0,0,0.5,1,2,\\n0,,,,,-2\\n0,,,,,2\\n"
    >>> round(DecisionTrees(text).probability([0.7]), 2)
    0.88
    """

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
        """Return the probability of the event for the features, given in order."""
        log_odds = 0.0
        for nodes in self._trees:
            node = nodes[0]
            while node.feature >= 0:
                is_above = features[node.feature] > node.threshold
                node = nodes[node.above if is_above else node.at_most]
            log_odds += node.value
        return 1 / (1 + math.exp(-log_odds))
