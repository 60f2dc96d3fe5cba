"""Benchmark of the accuracy of photo scans at each level of confidence, and of their speed.

``python -m benchmarks.photos --photos FOLDER`` scans the pictures in a folder and compares the
returned foods with judgments by a person, who named the food in each picture before the model was
run. The judgments are in a CSV file. A returned food is the right dish if its name contains an
entry in the column ``dish``. It is the right kind if its name contains an entry in the column
``kind``. Otherwise, it is wrong. The exit status is 0 if every aim is reached, otherwise 1.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Literal, NamedTuple

import numpy as np

from postmeal.foods.catalog import Catalog
from postmeal.foods.words import words
from postmeal.scans import Picture, scan_photo
from postmeal.scans.dishes import DishRecognizer

__all__ = ["Truth", "judge", "main", "read_judgements"]

JUDGEMENTS = Path(__file__).parents[1] / "tests" / "relevance" / "photos"
HIGH_SHARE, MEDIUM_SHARE = 0.85, 0.65
RECOGNIZE_MS, MEMORY_MB = 20.0, 150.0
_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".gif")
_ROUNDS = 5
_SPEED_PICTURES = 20

Verdict = Literal["dish", "kind", "wrong"]


class Truth(NamedTuple):
    """What a person saw in a picture, as names for the dish and names for its kind."""

    dish: tuple[str, ...]
    kind: tuple[str, ...]


class Answer(NamedTuple):
    """A food that the scan found in one picture, with the verdict on it."""

    file: str
    confidence: str
    name: str
    verdict: Verdict
    probability: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--photos", type=Path, required=True, help="folder with the pictures to scan"
    )
    parser.add_argument(
        "--judgements",
        type=Path,
        help="CSV file of judgments with the columns file, dish and kind (default: the file in"
        " tests/relevance/photos with the name of the picture folder)",
    )
    parser.add_argument(
        "--model", type=Path, help="dish model file (default: the installed dish model)"
    )
    options = parser.parse_args()
    judgements = options.judgements or JUDGEMENTS / f"{options.photos.name}.csv"
    if not judgements.is_file():
        parser.error(f"{judgements} does not exist; pass --judgements")
    truths = read_judgements(judgements)
    paths = [each for each in sorted(options.photos.iterdir()) if each.suffix in _SUFFIXES]
    catalog = Catalog.open()
    before_mb = _memory_mb()
    recognizer = DishRecognizer(options.model)
    answers = list(_answers(paths, truths, catalog, recognizer))
    reached = _print_table(answers, len(paths))
    grown_mb = _memory_mb() - before_mb
    speed = _speed(paths[:_SPEED_PICTURES], recognizer)
    reached &= _print_aim("recognition, median ms", speed, speed <= RECOGNIZE_MS, RECOGNIZE_MS)
    reached &= _print_aim("memory, MB", grown_mb, grown_mb <= MEMORY_MB, MEMORY_MB)
    sys.exit(0 if reached else 1)


def read_judgements(path: Path) -> dict[str, Truth]:
    with path.open(encoding="utf-8", newline="") as lines:
        return {
            row["file"]: Truth(_words(row["dish"]), _words(row["kind"]))
            for row in csv.DictReader(lines)
        }


def judge(name: str, truth: Truth) -> Verdict:
    """Return the verdict on the name of a food: the right dish, the right kind, or wrong."""
    spoken = f" {' '.join(words(name))} "
    if any(f" {each} " in spoken for each in truth.dish):
        return "dish"
    return "kind" if any(f" {each} " in spoken for each in truth.kind) else "wrong"


def _words(cell: str) -> tuple[str, ...]:
    return tuple(" ".join(words(each)) for each in cell.split(";") if each)


def _answers(
    paths: Iterable[Path],
    truths: dict[str, Truth],
    catalog: Catalog,
    recognizer: DishRecognizer,
) -> Iterator[Answer]:
    for path in paths:
        found = scan_photo(Picture.decode(path.read_bytes()), catalog, recognizer)
        probability = found.candidates[0].probability if found.candidates else 0.0
        for each in found.scan.foods:
            verdict = judge(each.name, truths[path.name])
            yield Answer(path.name, each.confidence, each.name, verdict, probability)


def _print_table(answers: list[Answer], pictures: int) -> bool:
    for each in sorted(answers, key=lambda each: ("high", "medium", "low").index(each.confidence)):
        print(f"{each.confidence:6} {each.verdict:5} {each.file:24} {each.name}")
    print(f"\n{'confidence':12}{'pictures':>9}{'dish':>6}{'kind':>6}{'wrong':>7}{'named':>8}  aim")
    reached = True
    for confidence, aim in (("high", HIGH_SHARE), ("medium", MEDIUM_SHARE), ("low", None)):
        counts = Counter(each.verdict for each in answers if each.confidence == confidence)
        total = counts.total()
        share = f"{(counts['dish'] + counts['kind']) / total:.0%}" if total else "-"
        met = aim is None or not total or counts["wrong"] <= (1 - aim) * total
        reached &= met
        text = f"{aim:.0%}" + ("" if met else " MISSED") if aim else ""
        print(
            f"{confidence:12}{total:9}{counts['dish']:6}{counts['kind']:6}{counts['wrong']:7}"
            f"{share:>8}  {text}"
        )
    print(f"{'none':12}{pictures - len(answers):9}\n")
    return reached


def _print_aim(name: str, value: float, met: bool, aim: float) -> bool:
    print(f"{name:24}{value:7.1f}   aim {aim:g}{'' if met else '   MISSED'}")
    return met


def _speed(paths: list[Path], recognizer: DishRecognizer) -> float:
    """Return the median time in ms to recognize a picture, in the fastest of several rounds."""
    pictures = [Picture.decode(path.read_bytes()) for path in paths]
    rounds = []
    for _ in range(_ROUNDS):
        times = []
        for picture in pictures:
            start = perf_counter()
            recognizer.candidates(picture)
            times.append(1e3 * (perf_counter() - start))
        rounds.append(float(np.median(times)))
    return min(rounds)


def _memory_mb() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    [resident] = [line for line in lines if line.startswith("VmRSS")]
    return int(resident.split()[1]) / 1024


if __name__ == "__main__":
    main()
