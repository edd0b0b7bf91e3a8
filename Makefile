# What a contributor needs. Each target sets up .venv by itself; Python 3.11+, pip and make are enough.
# Longer runs (crash and chaos runs, fuzzing, planted bugs, comparisons …) are scripts: see tools/README.md.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Without compiled files every process of a test run would compile everything again.
unexport PYTHONDONTWRITEBYTECODE
PROJECTS := pyproject.toml $(wildcard requirements/*.txt packages/*/pyproject.toml)
STAMP := $(VENV)/.installed
DEMO_STAMP := $(VENV)/.demo-installed
DOCS_STAMP := $(VENV)/.docs-installed
SOURCES := packages/streamcord/src:packages/streamcord-bot/src:packages/discord-twin/src

.DEFAULT_GOAL := help
.PHONY: help setup demo test check style types docs bench clean

help: ## show this list
	@echo "streamcord: make TARGET"
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# An existing .venv is brought up to date, not replaced.
$(STAMP): $(PROJECTS)
	@$(PYTHON) tools/set_up.py $(VENV) dev
	@touch $@ $(DEMO_STAMP)

# The demo needs much less.
$(DEMO_STAMP): $(PROJECTS)
	@$(PYTHON) tools/set_up.py $(VENV) demo
	@touch $@

# Only the site needs these packages.
$(DOCS_STAMP): $(STAMP)
	@$(PYTHON) tools/set_up.py $(VENV) docs
	@touch $@

setup: $(STAMP) ## install everything into .venv

# Without a network the library alone shows a scripted demo.
demo: ## talk to a persona on a local Discord (the first time it gets a small model, 127 MB)
	@if $(MAKE) -s --no-print-directory $(DEMO_STAMP); then exec $(BIN)/streamcord-bot demo $(DEMO); \
		elif $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))'; \
		then PYTHONPATH=$(SOURCES) exec $(PYTHON) -m streamcord_bot demo --scripted $(DEMO); else exit 1; fi

# Four workers for two cores: many tests wait for other processes.
test: $(STAMP) ## all tests, on two cores
	@$(BIN)/python -m pytest -n 4

check: style types docs ## style, layers, types, coverage of the text pipeline, docs, wheels
	@$(BIN)/python tools/coverage_text.py
	@$(BIN)/python tools/try_wheel.py

style: $(STAMP) ## ruff (format and lint) and import-linter (layers)
	@echo "style: ruff, import-linter"
	@$(BIN)/ruff format --check --quiet . || { $(BIN)/ruff format --check .; exit 1; }
	@$(BIN)/ruff check --quiet .
	@mkdir -p build && $(BIN)/lint-imports >build/lint-imports.txt 2>&1 || { cat build/lint-imports.txt; exit 1; }

types: $(STAMP) ## mypy --strict on everything; pyright on the examples (needs Node)
	@echo "types: mypy --strict (half a minute the first time)"
	@$(BIN)/mypy --strict
	@$(BIN)/mypy --config-file bench/mypy.ini
	@if command -v node >/dev/null; then echo "types: pyright, examples"; $(BIN)/pyright --pythonpath $(BIN)/python; \
		else echo "types: pyright skipped, it needs Node"; fi

docs: $(DOCS_STAMP) ## build the site in build/site, strictly, and check its links
	@echo "docs: mkdocs"
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@$(BIN)/python tools/check_site.py build/site

bench: $(STAMP) ## the guarded numbers against their limits, written to bench/reports/bench.md (ten minutes)
	@$(BIN)/python -m pip install -q -r bench/requirements.txt
	@$(BIN)/python bench/guarded.py

clean: ## remove everything that was made, .venv included
	@rm -rf $(VENV) .clients build dist packages/*/dist .coverage* .hypothesis .mypy_cache .pytest_cache .ruff_cache mutants
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
