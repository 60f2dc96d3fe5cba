"""Run the named comparisons, or all comparisons, and print their tables.

Below each table, every aim is marked as reached or MISSED. The exit status is 0 if all aims are
reached, otherwise 1.
"""

import argparse
import sys

from benchmarks import (
    batch,
    cgm_history,
    cohort,
    cold_start,
    diary,
    frame,
    meal_reading,
    over_http,
    own_model,
    production_load,
    restaurant_search,
    single,
)

COMPARISONS = {
    "single": single.compare,
    "batch": batch.compare,
    "frame": frame.compare,
    "cold_start": cold_start.compare,
    "own_model": own_model.compare,
    "cohort": cohort.compare,
    "over_http": over_http.compare,
    "cgm_history": cgm_history.compare,
    "diary": diary.compare,
    "production_load": production_load.compare,
    "restaurant_search": restaurant_search.compare,
    "meal_reading": meal_reading.compare,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    available = ", ".join(COMPARISONS)
    parser.add_argument(
        "names", nargs="*", metavar="name", help=f"comparisons to run (default: all): {available}"
    )
    names = parser.parse_args().names or list(COMPARISONS)
    if unknown := set(names) - set(COMPARISONS):
        parser.error(f"unknown comparisons: {', '.join(sorted(unknown))}; available: {available}")
    missed = 0
    for name in names:
        comparison = COMPARISONS[name]()
        missed += comparison.missed
        print(comparison, end="\n\n", flush=True)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
