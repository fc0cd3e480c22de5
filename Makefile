# `make` lists the targets. Each one can be run on a fresh clone: what it needs is set up first, once.
PYTHON ?= python3
BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest

.NOTPARALLEL:
.DEFAULT_GOAL := help
.PHONY: help run setup check lint types unit wire format cover engine page e2e test test-long latency lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

run: ## set up, then serve; MODEL=org/name, ENGINE=scripted, PORT=8000, DEVICE=cpu, FLASH_ATTN=1
	@cd backend && exec $(PYTHON) -m bootstrap run

setup: ## install all that the checks and tests need, into .venv and node_modules
	@cd backend && $(PYTHON) -m bootstrap setup

check: setup lint types unit ## lint, types and unit tests

lint: setup ## style, spelling, direction of imports, unused code, drift of the wire types
	$(BIN)/ruff format --check backend e2e
	$(BIN)/ruff check backend e2e
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/codespell
	npm run --silent check

types: setup ## mypy, strict (tsc runs with lint)
	$(BIN)/mypy

unit: setup ## Python and TypeScript tests without engine and browser
	$(PYTEST) -n auto
	npm run --silent test

wire: setup ## write the wire schema and the page's types anew from wire.py
	$(BIN)/python -m firstlight.wire_schema > shared/wire.schema.json
	npm run --silent wire

format: setup ## format Python and TypeScript
	$(BIN)/ruff format backend e2e
	$(BIN)/ruff check --fix backend e2e
	npm run --silent format

cover: setup ## the Python tests with their coverage
	$(PYTEST) -n auto --cov --cov-report=term:skip-covered

engine: setup ## tests against the real engine
	$(PYTEST) -m "engine and not long"

page: setup ## build the page and say how large it is
	npm run --silent build
	npm run --silent size

e2e: page ## tests in a real browser
	npm run --silent e2e

test: setup lint types cover engine ## everything that fits CI: also the real engine, the built page, the browser
	npm run --silent test
	@$(MAKE) --no-print-directory e2e

test-long: page ## the full bars
	$(PYTEST) -m long
	LONG=1 npm run --silent e2e -- --project=latency

latency: page ## measure in a browser; URL=http://... for a running deployment, BASELINE=1 to compare with later
	ROUNDS=$${ROUNDS:-12} npm run --silent e2e -- --project=latency

lock: ## make the lock files anew from pyproject.toml
	@cd backend && $(PYTHON) -m bootstrap lock

clean: ## remove all that was installed and built here (the cache folder stays)
	rm -rf .venv .firstlight node_modules frontend/dist
