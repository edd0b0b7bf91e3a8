# Everything a developer runs. Each target sets up .venv by itself; nothing but Python 3.11+, pip and make is needed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Where nothing compiled is kept, every process of a test run compiles all of it again.
unexport PYTHONDONTWRITEBYTECODE
STAMP := $(VENV)/.installed
DEMO_STAMP := $(VENV)/.demo-installed
DOCS_STAMP := $(VENV)/.docs-installed

.DEFAULT_GOAL := help
.PHONY: chaos stops help setup demo gallery picture pictures test check style types coverage docs wheel image laws crashes planted bench clients rivals agree readers oracle fuzz settings audit constraints clean standstill day

help: ## show this list
	@echo "streamcord: make TARGET"
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# A .venv that is already there is used as it is and only brought up to date.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) tools/set_up.py $(VENV) dev
	@touch $@ $(DEMO_STAMP)

# The demo alone needs much less.
$(DEMO_STAMP): pyproject.toml constraints.txt
	@test $(STAMP) -nt pyproject.toml -a $(STAMP) -nt constraints.txt || $(PYTHON) tools/set_up.py $(VENV) demo
	@touch $@

setup: $(STAMP) ## install everything into .venv

# Where nothing can be installed, the library alone shows what it can.
demo: ## talk to a persona on a local Discord (the first time it gets a small model, 127 MB)
	@if $(MAKE) -s --no-print-directory $(DEMO_STAMP); then exec $(BIN)/streamcord demo $(DEMO); \
		elif $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))'; \
		then PYTHONPATH=src exec $(PYTHON) -m streamcord demo --scripted $(DEMO); else exit 1; fi

gallery: $(STAMP) ## draw twenty tables into build/gallery, with a sheet of all as Discord shows them
	@$(BIN)/python tools/draw_gallery.py

picture: $(STAMP) ## draw the pictures of README and docs anew: what the demo's Discord received, degrees, tables
	@$(BIN)/python tools/draw_demo.py
	@$(BIN)/python tools/draw_motion.py
	@$(BIN)/python tools/draw_docs.py

pictures: $(STAMP) ## take the pictures of the page in docs/pictures anew (needs Chromium)
	@$(BIN)/python tools/take_pictures.py

# Three workers for two cores: some tests wait for other processes.
test: $(STAMP) ## all tests, on two cores
	@$(BIN)/python -m pytest -n 3

check: style types coverage docs wheel ## style, types, coverage of the core, the docs, the wheel

style: $(STAMP) ## ruff, format and lint
	@echo "style: ruff"
	@$(BIN)/ruff format --check --quiet . || { $(BIN)/ruff format --check .; exit 1; }
	@$(BIN)/ruff check --quiet .

types: $(STAMP) ## mypy --strict on source, tests, examples and tools, and whether bench fits them; pyright on the examples (needs Node)
	@echo "types: mypy --strict (half a minute the first time)"
	@$(BIN)/mypy --strict
	@$(BIN)/mypy --config-file bench/mypy.ini
	@if command -v node >/dev/null; then echo "types: pyright, examples"; $(BIN)/pyright --pythonpath $(BIN)/python; \
		else echo "types: pyright skipped, it needs Node"; fi

coverage: $(STAMP) ## every file of core/ covered to the last branch by its own test file
	@$(BIN)/python tools/coverage_core.py

# Only for the site: nothing else needs these packages.
$(DOCS_STAMP): $(STAMP)
	@$(PYTHON) tools/set_up.py $(VENV) docs
	@touch $@

docs: $(DOCS_STAMP) ## build the site in build/site, strictly, and check its links
	@echo "docs: mkdocs"
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@$(BIN)/python tools/check_site.py build/site

image: $(STAMP) ## the steps of the Dockerfile without Docker: as its user, in folders of both (a minute)
	@$(BIN)/python tools/try_image.py

wheel: $(STAMP) ## build the wheel and try it in fresh environments
	@$(BIN)/python tools/try_wheel.py

laws: $(STAMP) ## the laws with 10^5 examples, and 10 000 fault schedules (long)
	@HYPOTHESIS_PROFILE=laws $(BIN)/python -m pytest -n 2 tests/providers/test_damage.py tests/test_laws.py \
		tests/test_fault_schedules.py tests/test_recovery_laws.py

crashes: $(STAMP) ## kill the bot in a thousand answers and print what became of them (an hour)
	@$(BIN)/python tools/kill_bot.py

chaos: $(STAMP) ## three bots of one cluster, 60 channels, everything goes wrong at random (five minutes)
	@$(BIN)/python tools/chaos.py

stops: $(STAMP) ## stop a process of a cluster in mid-answer and wake it after its lease, 100 times (twelve minutes)
	@$(BIN)/python tools/chaos.py --stops 100 --lease 1.5 --channels 6

standstill: $(STAMP) ## 2 000 hostile settings and texts: how long could one of them hold everybody up? (ten minutes)
	@$(BIN)/python tools/fuzz_settings.py

planted: $(STAMP) ## plant bugs in copies of the source and see which law or fault schedule finds each (eight minutes)
	@$(BIN)/python tools/planted_bugs.py
	@$(BIN)/python tools/planted_delivery.py

bench: $(STAMP) ## speed, growth and memory, against their bars (ten minutes)
	@$(BIN)/python bench/core.py
	@$(BIN)/python bench/turns.py
	@$(BIN)/python bench/delivery.py
	@$(BIN)/python bench/sources.py
	@$(BIN)/python bench/bot.py
	@$(BIN)/python bench/twin_load.py
	@$(BIN)/python bench/prompt_cache.py

day: $(STAMP) ## a day of 200 people on 50 servers, 20 of them hostile, and what it cost (three minutes)
	@$(BIN)/python bench/day.py

clients: $(STAMP) ## nine clients that others wrote, on the twin, each in an environment of its own (installs them once)
	@$(BIN)/python tools/clients.py

rivals: ## install litellm into .venv-litellm, for make bench to compare with
	@test -x .venv-litellm/bin/python || $(PYTHON) -m venv .venv-litellm
	@.venv-litellm/bin/python -m pip install -qq --disable-pip-version-check -r bench/rivals.txt

agree: $(STAMP) ## agreement with the runs of the reference, if they are there
	@$(BIN)/python tools/agreement.py

readers: $(STAMP) ## texts that an editor has cut, if they are there: what we make of them
	@$(BIN)/python tools/readers.py

oracle: $(STAMP) ## all answers of the corpus, if they are there, as another parser of Discord's Markdown reads them (needs Node)
	@ORACLE=whole $(BIN)/python -m pytest -q -rs tests/oracle

fuzz: $(STAMP) ## 10 000 hostile cards and pictures for the bot's reader: memory, time, and what the loop notices (long)
	@$(BIN)/python tools/fuzz_files.py

settings: $(STAMP) ## write docs/settings.md anew, after a change of a setting or of the core
	@$(BIN)/python tools/settings_page.py

audit: $(STAMP) ## ask OSV about known vulnerabilities of the packages in constraints.txt (needs the network)
	@$(BIN)/python tools/audit.py

constraints: ## resolve constraints.txt anew (after a change of dependencies)
	@PYTHON=$(PYTHON) tools/constraints

clean: ## remove everything that was made, .venv included
	@rm -rf $(VENV) .venv-litellm .clients build dist .coverage* .hypothesis .mypy_cache .pytest_cache .ruff_cache mutants
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
