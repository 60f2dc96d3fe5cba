"""Fit the confidence of a search answer: ``python tests/relevance/train_confidence.py``.

The queries are those of ``relevance.csv`` that may be used for tuning. Each is searched as it is,
with typos, with each of its words replaced by a made-up word, with a made-up word or the name of a
shop beside it, and with its last word cut. Whether the first food is right is known from the
pattern of the query. Names of people and places, and things of everyday life, have no right food.
Gradient-boosted trees (LightGBM) are fitted to the features of the answers, with as much weight on
wrong answers as on right ones. The floor is the highest one at which at most six in a thousand of
the queries, as they are or with typos, lose their right answer.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from lightgbm import LGBMClassifier
from relevance import read, with_typos

from postmeal.foods.catalog import Catalog, confidence, search
from postmeal.foods.catalog.readings import search_readings
from postmeal.foods.catalog.vocabulary import Read, Vocabulary
from postmeal.foods.catalog.wordings import plain_words, wordings
from postmeal.foods.ordinary_words import ORDINARY
from postmeal.foods.words import words
from tools.evaluate.truth_file import FoodTexts

_LOST = 0.006  # share of the queries without made-up words that lose their right answer
_ENDS = ("b", "ck", "d", "g", "ll", "m", "n", "rt", "sh", "sk", "st", "x", "zz", "")
_STARTS = ("b", "br", "cl", "d", "fl", "g", "gl", "h", "j", "kr", "m", "n", "pl", "sn", "v", "w")


def made_up(chance: random.Random) -> str:
    """Return a pronounceable word of two or three syllables that does not exist."""
    syllables = (
        chance.choice(_STARTS) + chance.choice("aeiou") + chance.choice(_ENDS)
        for _ in range(chance.choice((2, 2, 3)))
    )
    return "".join(syllables)


def variants(query: str) -> Iterator[tuple[str, bool]]:
    """Yield a query as it is, with typos, and with an unknown word, and whether it has one."""
    chance = random.Random(query)
    yield query, False
    for seed in (0, 1):
        yield with_typos(query, seed), False
    typed = query.split()
    for at in range(len(typed)):
        yield " ".join((*typed[:at], made_up(chance), *typed[at + 1 :])), True
    yield f"{made_up(chance)} {query}", True
    yield f"{query} {made_up(chance)}", True
    yield " ".join((*typed[:-1], typed[-1][: chance.randint(3, 5)])), True
    yield f"{chance.choice(sorted(confidence._SHOPS))} {query}", True


def not_foods() -> Iterator[str]:
    """Yield names and things alone, together, and beside a food."""
    chance = random.Random(0)
    things = sorted(ORDINARY)
    names = NAMES.split()
    foods = [asked.query for asked in read("relevance.csv") if not asked.untouched]
    for name in names:
        yield name
        yield f"{name} {chance.choice(names)}"
        yield f"{name} {chance.choice(things)}"
        yield f"{name} {made_up(chance)}"
    for thing in chance.sample(things, 300):
        yield thing
        yield f"{chance.choice(things)} {thing}"
        yield f"{chance.choice(foods).split()[-1]} {thing}"


class Examples(NamedTuple):
    """Answers to queries, without those that have all words as typed."""

    rows: np.ndarray
    """Features of each answer."""
    right: np.ndarray
    """Whether each answer is right."""
    made_up: np.ndarray
    """Whether the query has a made-up word."""
    n_queries: int
    """Number of queries without made-up words, with all kinds of answers."""


def plain(query: str, vocabulary: Vocabulary) -> list[str]:
    """Return the words of a query without amounts and abbreviations."""
    return plain_words(words(query), wordings(query, vocabulary))


def answer(query: str, catalog: Catalog, index: Read) -> search.Found | None:
    """Search for a query; return its answer unless it has all words as typed."""
    vocabulary = Vocabulary(index, len(catalog), catalog._word_cache)
    rounds = search_readings(words(query), vocabulary, False, lambda: wordings(query, vocabulary))
    found = search.search(index, rounds, catalog._spans)
    is_certain = found is None or not (
        found.reading.is_prefix
        or found.reading.edits
        or confidence.qualifiers(found.reading.dropped)
    )
    return None if is_certain else found


def examples(catalog: Catalog, *, untouched: bool) -> Examples:
    """Search for the queries of one part and return the answers."""
    rows, right, has_made_up, n_queries = [], [], [], 0
    with catalog._file.reading(3600) as index:
        vocabulary = Vocabulary(index, len(catalog), catalog._word_cache)
        for asked in read("relevance.csv"):
            if asked.untouched != untouched:
                continue
            for query, is_made_up in variants(asked.query):
                n_queries += not is_made_up
                found = answer(query, catalog, index)
                if found is None:
                    continue
                row = confidence.features(plain(query, vocabulary), found, vocabulary)
                food = catalog._food_at(found.places[0])
                # "mimbly stew" is unknown: a stew may be anything.
                is_class = is_made_up and row[_KEPT_CLASS] > 0
                rows.append(row)
                right.append(FoodTexts.of(food).matches(asked.right) and not is_class)
                has_made_up.append(is_made_up)
        if not untouched:
            for query in not_foods():
                if found := answer(query, catalog, index):
                    rows.append(confidence.features(plain(query, vocabulary), found, vocabulary))
                    right.append(False)
                    has_made_up.append(True)
    return Examples(np.array(rows), np.array(right), np.array(has_made_up), n_queries)


def fit(rows: np.ndarray, right: np.ndarray) -> LGBMClassifier:
    """Fit the trees, with as much weight on wrong answers as on right ones."""
    trees = LGBMClassifier(
        n_estimators=70, max_depth=4, num_leaves=16, learning_rate=0.11, min_child_samples=15,
        reg_lambda=5.0, class_weight="balanced", deterministic=True, n_jobs=1, verbose=-1,
    )  # fmt: skip
    return trees.fit(rows, right)


def left_out(rows: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the confidence of each answer by trees that were fitted without a fifth with it."""
    fold = np.random.default_rng(0).integers(0, 5, len(rows))
    chances = np.zeros(len(rows))
    for part in range(5):
        trees = fit(rows[fold != part], right[fold != part])
        chances[fold == part] = trees.predict_proba(rows[fold == part])[:, 1]
    return chances


def nodes_of(tree: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the rows of a tree, its root first, without the number of the tree."""
    if "leaf_value" in tree:
        return [("", "", "", "", f"{tree['leaf_value']:.4f}")]
    below, above = nodes_of(tree["left_child"]), nodes_of(tree["right_child"])
    split = (str(tree["split_feature"]), f"{tree['threshold']:.6g}")
    root = (*split, "1", str(1 + len(below)), "")
    return [root, *_moved(below, 1), *_moved(above, 1 + len(below))]


def _moved(nodes: list[tuple[str, ...]], by: int) -> list[tuple[str, ...]]:
    return [
        (*node[:2], *(str(int(place) + by) for place in node[2:4]), "") if node[0] else node
        for node in nodes
    ]


def main() -> None:
    """Fit the weights and the floor, and write the file."""
    catalog = Catalog.open()
    parts = {name: examples(catalog, untouched=name == "untouched") for name in PARTS}
    tuned = parts["tuned"]
    fitted = fit(tuned.rows, tuned.right)
    chances = left_out(tuned.rows, tuned.right)
    floor = float(np.sort(chances[tuned.right & ~tuned.made_up])[int(_LOST * tuned.n_queries)])
    folder = Path(confidence.__file__).parent
    head = "# Written by tests/relevance/train_confidence.py."
    folder.joinpath("confidence.toml").write_text(f"{head}\nfloor = {floor:.4f}\n")
    with folder.joinpath("confidence_trees.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("tree", "feature", "threshold", "at_most", "above", "value"))
        for tree in fitted.booster_.dump_model()["tree_info"]:
            for node in nodes_of(tree["tree_structure"]):
                writer.writerow((tree["tree_index"], *node))
    for name, part in parts.items():
        trusted = chances if part is tuned else fitted.predict_proba(part.rows)[:, 1]
        below = trusted < floor
        lost = (below & part.right & ~part.made_up).sum()
        refused = below[~part.right].mean()
        print(f"{name}: {lost} of {part.n_queries} queries lose their right answer,"
              f" and {refused:.1%} of {(~part.right).sum()} wrong answers are refused")  # fmt: skip


PARTS = ("tuned", "untouched")
_KEPT_CLASS = confidence.FEATURES.index("kept_class")

NAMES = """
aberdeen adelaide adriana agatha ahmed aisha albany alberto alicia amara amsterdam anaheim
andrea angela ankara anton antwerp arthur ashley athena atlanta audrey austin baghdad bailey
baltimore barbara belfast bella benedict bergen berlin bianca boris boston bradley brenda
brianna brisbane bristol bruno brussels bryce budapest byron cairo caleb calgary calvin camila
candice cardiff carla carmen cecilia charlotte chelsea chester clara clarence claudia clifford
cody cologne conor cordoba craig crystal cynthia daisy dakota dallas damian daphne darcy darwin
debra delhi denise denver derek desmond detroit diana dmitri dominic donna doris dresden dublin
dundee durban dustin edgar edith edwin elaine eleanor elijah elliot elmira elsa emerson enrique
erica ernest estella eugene evelyn fabian felix fernanda fiona floyd frankfurt frieda gareth
gavin geneva genoa gerald gilbert gina giselle glasgow gloria gordon graham greta gustav gwen
hamburg hanoi harold harriet harvey hector heidi helena helsinki henrik herbert hilda horace
houston hubert hugo ian imogen ingrid irma isaac isabel ivan jakarta janet jasmine jasper jenna
jerome jody jonas juliet kabul karl katya kendra kevin kiev kirsten kyle kyoto lagos lance lars
laura leeds leila lena leonard lester lewis lima linus lisa lloyd logan lorraine louis lucas
lucy luther lyon mabel madison madrid malcolm manila marcel marina marlon martha marvin maurice
megan melissa memphis mercedes miami mikhail mildred miranda monica montreal morgan moscow
muriel nadia nairobi nancy naomi natasha neil nelson nigel nina nolan norman olga oliver oscar
oslo otto owen pamela patrick paula perth petra philip phoebe pierre prague quebec quincy rachel
ralph ramona raymond rebecca regina reggie renata rhonda richmond robin rodney roland rosalind
roxanne rufus ruth ryan sabrina samson sandra sasha scott selma seoul shannon sheila sidney
sigrid silvia simone sofia sonia stella stuart suzanne sven tamara tampa tatiana teresa theo
thomas timothy tina tobias tokyo toronto travis trevor trudy tulsa ursula valentin vanessa vera
vernon victor vienna vincent viola virgil walter warren wendell wilbur wilma winston yolanda
yvonne zachary zelda zurich
"""
"""Common first names and large cities."""

if __name__ == "__main__":
    main()
