"""Run the comparisons that are named, or all of them, and print their tables."""

import argparse

from benchmarks import (
    batch,
    cgm_history,
    cohort,
    cold_start,
    diary,
    meal_reading,
    over_http,
    own_model,
    single,
)

COMPARISONS = {
    "single": single.compare,
    "batch": batch.compare,
    "cold_start": cold_start.compare,
    "own_model": own_model.compare,
    "cohort": cohort.compare,
    "over_http": over_http.compare,
    "cgm_history": cgm_history.compare,
    "diary": diary.compare,
    "meal_reading": meal_reading.compare,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(COMPARISONS))
    names = parser.parse_args().names or list(COMPARISONS)
    if unknown := set(names) - set(COMPARISONS):
        parser.error(f"no comparison is called {', '.join(sorted(unknown))}")
    for name in names:
        print(COMPARISONS[name](), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
