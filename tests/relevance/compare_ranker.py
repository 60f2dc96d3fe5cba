"""Compare a learned ranking of the candidates with the ranking by cost.

``python tests/relevance/compare_ranker.py`` trains LightGBM (LambdaMART) on the candidates of the
queries of ``relevance.csv`` that may be used for tuning, as they are and with typos. It then ranks
the candidates of the remaining third, and of the queries by a second author. The candidates are
those of the reading that the search selects; a right food that is not among them cannot be ranked
first by either. One model sees the cost and the position by cost, the other does not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from lightgbm import LGBMRanker
from relevance import Asked, read, with_typos

from postmeal.foods.catalog import Catalog, search
from postmeal.foods.catalog.ranking import FORMS, LINKING, Query
from postmeal.foods.catalog.readings import Reading, search_readings
from postmeal.foods.catalog.vocabulary import Read, Vocabulary
from postmeal.foods.catalog.wordings import wordings
from postmeal.foods.words import words
from tools.evaluate.truth_file import FoodTexts

FEATURES = (
    "cost", "position", "popularity", "is_dish", "is_branded", "query_words", "name_words", "head",
    "words_matched", "head_matched", "words_extra", "head_extra", "words_missing", "jaccard",
    "begins_with_query", "begins_with_word", "last_word_in_head", "name_trigrams", "names",
    "is_name", "is_first_name", "name_has_words", "alias_trigrams", "forms_kept", "forms_lost",
    "forms_added", "is_raw", "is_cooked", "brand_matched", "has_brand", "penalty", "edits",
    "dropped",
)  # fmt: skip
_COOKED = frozenset({"baked", "boiled", "broiled", "cooked", "fried", "grilled", "roasted"})
_MOST = 60


class Candidates(NamedTuple):
    """The candidates of one query, in the order of their cost."""

    rows: np.ndarray
    right: np.ndarray


def trigrams(text: str) -> set[str]:
    """Return the groups of three letters of a text."""
    return {text[at : at + 3] for at in range(len(text) - 2)} or {text}


def likeness(one: str, other: str) -> float:
    """Return the Dice coefficient of the trigrams of two texts."""
    first, second = trigrams(one), trigrams(other)
    return 2 * len(first & second) / (len(first) + len(second))


def features(
    reading: Reading, row: tuple[int, str, int, str, str | None], position: int, span: search.Span
) -> list[float]:
    """Return the features of one candidate, in the order of `FEATURES`."""
    place, name, head, also, brand = row
    query = Query(reading.words, reading.is_prefix)
    standing = (place - span.first + 1) * search.ABUNDANCE[span.kind]
    asked = [word for word in reading.words if word not in LINKING]
    text, name_words = " ".join(reading.words), name.split()
    heads, aliases = name_words[:head], also.split(";") if also else []
    maker = words(brand or "")
    forms, own_forms = FORMS.intersection(asked), FORMS.intersection(name_words)
    matched = set(asked).intersection(name_words)
    return [
        query.cost(name, head, also, brand, standing), position, math.log2(1 + standing / 100),
        span.kind == "dish", span.kind == "branded", len(asked), len(name_words), head,
        len(matched), len(set(asked).intersection(heads)), len(set(name_words) - set(asked)),
        len(set(heads) - set(asked)), len(set(asked) - set(name_words)),
        len(matched) / max(1, len(set(asked) | set(name_words))),
        name.startswith(text), bool(name_words) and name_words[0] in asked,
        bool(asked) and asked[-1] in heads, likeness(text, name), len(aliases), text in aliases,
        bool(aliases) and aliases[0] == text,
        any(set(asked) == set(alias.split()) - LINKING for alias in aliases),
        max((likeness(text, alias) for alias in aliases), default=0.0),
        len(forms & own_forms), len(forms - own_forms), len(own_forms - forms),
        "raw" in name_words, bool(_COOKED.intersection(name_words)),
        len(set(asked).intersection(maker)), bool(maker), reading.penalty, reading.edits,
        len(reading.dropped),
    ]  # fmt: skip


def candidates(asked: Asked, query: str, catalog: Catalog, index: Read) -> Candidates | None:
    """Search for a query and return its candidates; None if nothing matches."""
    vocabulary = Vocabulary(index, len(catalog), catalog._word_cache)
    readings = search_readings(words(query), vocabulary, False, lambda: wordings(query, vocabulary))
    found = search.search(index, readings, catalog._spans)
    if found is None:
        return None
    rows, right = [], []
    for position, place in enumerate(found.places[:_MOST]):
        span = next(one for one in catalog._spans if one.first <= place <= one.last)
        _, name, head, also, brand = index(_ROW, (place,))[0]
        row = (place, name, head, also, brand)
        rows.append(features(found.reading, row, position, span))
        right.append(FoodTexts.of(catalog._food_at(place)).matches(asked.right))
    return Candidates(np.array(rows, dtype=float), np.array(right))


def places(found: Sequence[Candidates | None], ranker: LGBMRanker | None, columns: slice) -> str:
    """Return the shares of queries with the right food first, and among the first three."""
    first = three = 0
    for one in found:
        if one is None:
            continue
        order = np.arange(len(one.right))
        if ranker is not None:
            order = np.argsort(-ranker.predict(one.rows[:, columns]), kind="stable")
        first += bool(one.right[order[:1]].any())
        three += bool(one.right[order[:3]].any())
    return f"{first / len(found):8.1%}{three / len(found):8.1%}"


def main() -> None:
    """Train both models and print the comparison."""
    catalog = Catalog.open()
    own, other = read("relevance.csv"), read("relevance_blind.csv")
    sets = {
        "tuned": [one for one in own if not one.untouched],
        "untouched": [one for one in own if one.untouched],
        "second author": other,
    }
    found: dict[str, list[Candidates | None]] = {}
    with catalog._file.reading(3600) as index:
        for name, those in sets.items():
            found[name] = [candidates(one, one.query, catalog, index) for one in those]
            found[f"{name}, typos"] = [
                candidates(one, with_typos(one.query), catalog, index) for one in those
            ]
    examples = [
        one
        for name in ("tuned", "tuned, typos")
        for one in found[name]
        if one is not None and one.right.any() and not one.right.all()
    ]
    rankers: dict[str, tuple[LGBMRanker | None, slice]] = {"cost": (None, slice(None))}
    for name, columns in (("learned", slice(2, None)), ("learned with cost", slice(None))):
        ranker = LGBMRanker(
            n_estimators=150, num_leaves=15, learning_rate=0.05, min_child_samples=30,
            deterministic=True, n_jobs=1, verbose=-1,
        )  # fmt: skip
        rows = np.concatenate([one.rows[:, columns] for one in examples])
        right = np.concatenate([one.right for one in examples])
        rankers[name] = (
            ranker.fit(rows, right, group=[len(one.right) for one in examples]),
            columns,
        )
    print(f"{len(examples)} queries with right and wrong candidates, {len(FEATURES)} features")
    for name, all_candidates in found.items():
        shares = (f"{key}:{places(all_candidates, *ranker)}" for key, ranker in rankers.items())
        print(f"{name:<22}{len(all_candidates):>5}  {'   '.join(shares)}", flush=True)


_ROW = "SELECT place, words, head, also, brand_name FROM food WHERE place = ?"

if __name__ == "__main__":
    main()
