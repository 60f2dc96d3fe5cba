"""Compare a learned tagger with the rules on meal sentences that neither has seen.

``python tests/relevance/segment_comparison.py`` trains `segment_tagger.Tagger` on one half of
``segments.csv`` and on sentences that are generated from this half by exchanging its foods for
names in the catalog. It then prints how well the rules, the tagger, and the rules with the help of
the tagger agree with the marks of the other half, and the errors of the carbohydrate of meals that
other authors wrote: those in ``blind_meals/read.csv`` and, if its file is given, the held-out split
of NutriBench.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np
from generated_meals import generated
from marked_meals import (
    MarkedMeal,
    Outcome,
    Read,
    f1,
    marked_meals,
    outcome,
    read_by_rules,
    spans_of,
)
from numpy.typing import NDArray
from segment_tagger import CONNECTOR, Tagger

from postmeal.foods.catalog import Catalog
from postmeal.foods.language.corrections_and_shares import linked
from postmeal.foods.language.matching import Matcher
from postmeal.foods.language.meal_reading import MealReading, detection_of, items_of, plain_text
from postmeal.foods.language.segments import segments_of
from postmeal.words.numbers import number_of
from postmeal.words.plain import amount_text
from postmeal.words.tokens import tokens_of
from tools.evaluate.blind_meals import read_blind_meals
from tools.evaluate.meal_language import ACCURATE_G, MEAL_TEXTS

__all__ = ["difference", "main", "read_by_tagger"]

_HERE = Path(__file__).resolve().parent
_EPOCHS = 6
_SEED = 17
_RESAMPLES = 10_000
_KEPT = frozenset({"no", "not", "without", "of", "in", "on", "from", "each", "x", "w"})


def read_by_tagger(meal: MarkedMeal, tagger: Tagger) -> list[Read]:
    """Return the foods that the tagger reads, with the amount before each."""
    labels = tagger.labels(meal.tokens)
    reads = []
    last = 0
    for name in spans_of(labels, "F"):
        if all(meal.tokens[n].kind == "sign" for n in range(*name)):
            continue
        while meal.tokens[name.start].kind == "sign":
            name = name._replace(start=name.start + 1)
        while meal.tokens[name.end - 1].kind == "sign":
            name = name._replace(end=name.end - 1)
        said = [meal.tokens[n].word for n in range(last, name.start) if labels[n] == "A"]
        number = next((word for word in said if amount_text(word)[:1].isdigit()
                       or word in ("a", "an")), None)  # fmt: skip
        count = number_of(amount_text(number)) if number else None
        reads.append(Read(name, count, " ".join(said)))
        last = name.end
    return reads


def cut(text: str, tagger: Tagger, *, drop: bool) -> str:
    """Insert a comma before each food of the tagger; also drop filler if `drop`."""
    tokens = tokens_of(text)
    labels = tagger.labels(tokens)
    begins = set()
    for at in (n for n, label in enumerate(labels) if label == "B-F"):
        while at and labels[at - 1] == "A" and tokens[at - 1].kind != "sign":
            at -= 1
        begins.add(at)
    said, place = "", 0
    for at, (token, label) in enumerate(zip(tokens, labels, strict=True)):
        between = text[place : token.start]
        before = tokens[at - 1] if at else None
        joined = before is None or before.kind == "sign" or before.word == "of"
        if at in begins and not (joined or CONNECTOR.fullmatch(tokens[at - 1].word)):
            between = ", "
        is_filler = label == "O" and token.kind == "word" and token.word not in _KEPT
        if not (drop and is_filler and not CONNECTOR.fullmatch(token.word)):
            said += between + text[token.start : token.end]
        place = token.end
    return said + text[place:]


def difference(ours: Sequence[Outcome], others: Sequence[Outcome]) -> tuple[float, float, float]:
    """Return the difference of two F1 scores and its 95% interval, resampled by sentence."""
    chance = np.random.default_rng(_SEED)
    counts = np.array([[(one.right, one.read + one.marked) for one in side]
                       for side in (ours, others)], dtype=float)  # fmt: skip
    drawn = chance.integers(len(ours), size=(_RESAMPLES, len(ours)))
    right, of = np.moveaxis(counts[:, drawn].sum(axis=2), -1, 0)
    low, high = np.percentile(2 * right[0] / of[0] - 2 * right[1] / of[1], [2.5, 97.5])
    return f1(ours) - f1(others), float(low), float(high)


def reading_of(text: str, catalog: Catalog, edit: Callable[[str], str]) -> MealReading:
    """Read a meal by the rules after each segment was changed by `edit`."""
    matcher = Matcher.of(catalog)
    segments = segments_of(plain_text(text, matcher))
    items, _ = linked(segments, lambda part: items_of(edit(part), matcher, catalog))
    return MealReading(tuple(filter(None, (detection_of(x, matcher, catalog) for x in items))))


def errors_of(
    meals: Sequence[tuple[str, float]], catalog: Catalog, edit: Callable[[str], str]
) -> NDArray[np.float64]:
    """Return the absolute error of the carbohydrate of each meal, in grams."""
    errors = []
    for text, carbs_g in meals:
        read = reading_of(text, catalog, edit).detections
        found_g = [one.selection.nutrients.amount("carbs_g") for one in read]
        errors.append(abs(float(np.nansum(found_g)) - carbs_g))
    return np.array(errors)


def print_errors(
    name: str,
    meals: Sequence[tuple[str, float]],
    catalog: Catalog,
    edits: Mapping[str, Callable[[str], str]],
) -> None:
    """Print the error of the carbohydrate of meals, and how much the tagger adds to it."""
    chance = np.random.default_rng(_SEED)
    drawn = chance.integers(len(meals), size=(_RESAMPLES, len(meals)))
    errors = {reader: errors_of(meals, catalog, edit) for reader, edit in edits.items()}
    for reader, each in errors.items():
        more = each - errors["rules"]
        low, high = np.percentile(more[drawn].mean(axis=1), [2.5, 97.5])
        print(
            f"{name}, {reader}: within 7.5 g {np.mean(each < ACCURATE_G):.1%}, mean error "
            f"{each.mean():.1f} g (n={len(meals)}), minus that of the rules {more.mean():+.2f} "
            f"[{low:+.2f}, {high:+.2f}]"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nutribench", nargs="?", type=Path, help="CSV file of NutriBench v2")
    path = parser.parse_args().nutribench
    catalog = Catalog.open()
    seen = [meal for meal in marked_meals() if not meal.measured]
    tagger = Tagger(Matcher.of(catalog))
    tagger.train([*seen * 3, *generated(seen)], _EPOCHS)
    edits: dict[str, Callable[[str], str]] = {
        "rules": str,
        "rules, cut by the tagger": partial(cut, tagger=tagger, drop=False),
        "rules, cut and without filler": partial(cut, tagger=tagger, drop=True),
    }
    print_agreement([meal for meal in marked_meals() if meal.measured], catalog, tagger, edits)
    blind = read_blind_meals(_HERE / "blind_meals" / "read.csv")
    print_errors("blind meals", [(meal.text, meal.carbs_g) for meal in blind], catalog, edits)
    if path is not None:
        others = [(meal.text, meal.truth[0]) for meal in MEAL_TEXTS["nutribench"](path)
                  if "USA, natural, test" in meal.groups]  # fmt: skip
        print_errors("NutriBench, held out", others, catalog, edits)


def print_agreement(
    meals: Sequence[MarkedMeal],
    catalog: Catalog,
    tagger: Tagger,
    edits: Mapping[str, Callable[[str], str]],
) -> None:
    """Print how well each reader agrees with the marks."""
    outcomes = {
        name: [outcome(meal, read_by_rules(meal, catalog, edit)) for meal in meals]
        for name, edit in edits.items()
    }
    reads, each_ms = [], []
    for meal in meals:
        start = perf_counter()
        reads.append(read_by_tagger(meal, tagger))
        each_ms.append(1000 * (perf_counter() - start))
    outcomes["tagger"] = [outcome(*each) for each in zip(meals, reads, strict=True)]
    for name, found in outcomes.items():
        gain, low, high = difference(found, outcomes["rules"])
        removed = [one.removed_right for one in found if one.removed_right is not None]
        print(
            f"{name}: F1 {f1(found):.3f} (n={len(found)}), minus that of the rules {gain:+.3f} "
            f"[{low:+.3f}, {high:+.3f}], removed right {sum(removed)} of {len(removed)}, parts "
            f"read apart {sum(one.parts_apart for one in found)} of "
            f"{sum(one.parts for one in found)}"
        )
    print(f"tagger: {tagger.size_kb:.0f} KB, p50 {np.median(each_ms):.1f} ms per sentence")


if __name__ == "__main__":
    main()
