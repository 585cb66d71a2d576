# make demo           a small tournament of each game with its leaderboard, in less than a minute; installs only what running needs
# make test           the tests for everyday work, which need no program of the system; installs only what they need
# make test-all       all tests, also those of browsers, PostgreSQL, Ray clusters and the sandbox: half an hour
# make test-libraries Stable-Baselines3, TorchRL, RLlib and others on the environments; installs them, 1.5 GB, into .venv/training
# make test-slow      only what make test leaves out
# make test-plain     make test with the engine as plain Python; TESTS=tests/engine takes only those
# make coverage       which lines and branches make test reaches, with the engine as plain Python
# make mutants        a mutation test of what must not be wrong: rules, seeds, ratings, seals, tokens; MUTANTS="engine.records*" takes only those
# make size           how large the program is: lines, commands, routes, tables, words
# make check          lint, types (of the tests, too), import contracts
# make docs           the documentation as a site, out/site/index.html
# make compile        the engine compiled, after its sources were edited: half a minute on four cores, a minute and a half on one
# make bench          all benchmarks, a quarter of an hour; writes out/bench/*.json and the table of docs/performance.md
# make bench QUICK=1  the same, small, to see that it runs; then what became slower since the last entry of benchmarks/ratios.jsonl from a
#                     machine like this one; four minutes, two more to fetch peers at first; KEEP=1 adds an entry; no page is written
# make ladder         how strong the reference bots are, half an hour or so; writes docs/strength.md
# make ladder QUICK=1 the same with few blocks, to see that it runs; all files stay as they are
# make release-check  builds the sdist and both wheels, and tries each wheel in an empty environment (CONTRIBUTING.md)
# Each creates what it needs in .venv; "make PYTHON=python3.12 demo" takes another Python.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
TESTABLE := $(VENV)/testable
READY := $(VENV)/ready
COMPILED := $(VENV)/compiled
TRAINING := $(VENV)/training
SOURCES := $(shell find engine bots/reference/heuristics bots/reference/valuation -name '*.py')
UV := $(shell command -v uv)
SHELL := bash
# uv installs in a few seconds; where there is none, or it lacks what pip has been told of indexes, pip does it, and shows in one line what it
# is at: without a cache that takes a minute or two.
install = echo 'Installing $(2) ...'; \
	$(if $(UV),$(UV) pip install --quiet --python $(BIN)/python $(1) ||) { set -o pipefail; \
	$(BIN)/python -m pip install --disable-pip-version-check --no-compile --progress-bar off $(1) | awk \
	'BEGIN { shown = system("test -t 1") == 0 } shown { printf "\r%-79.79s", $$0; fflush() } END { if (shown) printf "\r%79s\r", "" }'; }

# Many tests wait for other processes or for a deadline more than they compute, so more workers than cores save time.
export PYTEST_XDIST_AUTO_NUM_WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
# The byte code of tests is kept: to compile it takes each worker longer than to collect the tests.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-all test-libraries test-slow test-plain coverage mutants check docs compile bench ladder release-check size clean

demo: $(INSTALLED)
	@mkdir -p out && rm -f out/demo.db out/demo.db-wal out/demo.db-shm out/demo.db.seals.jsonl
	$(BIN)/arena run examples/demo_tongiaki.toml --db out/demo.db
	$(BIN)/arena run examples/demo_sunda.toml --db out/demo.db
	@echo
	$(BIN)/arena stats --db out/demo.db --tournament tongiaki --section standings
	@echo
	@echo "What to look at next:"
	@echo "  $(BIN)/arena serve --db out/demo.db                                  both tournaments and every match in the browser"
	@echo "  $(BIN)/arena stats --db out/demo.db                                  the second one: strengths, head-to-head, seats"
	@echo "  $(BIN)/arena match examples/minimal_bot.py greedy --game tongiaki    a match of a bot of twelve lines"
	@echo "  $(BIN)/arena new my_bot.py                                           a bot of your own to start from"

test: $(COMPILED)
	$(BIN)/python -m pytest -m "not slow" $(TESTS)

test-all: $(READY) $(COMPILED)
	$(BIN)/python -m pytest $(TESTS)
	$(MAKE) test-libraries

# Where the libraries can't be installed, this says so and tests nothing. Threads of torch would only wait for each other.
test-libraries: $(READY) $(COMPILED)
	@if $(MAKE) --no-print-directory $(TRAINING)/ready; then \
		OMP_NUM_THREADS=1 $(TRAINING)/bin/python -m pytest tests/libraries; \
	else \
		echo "The libraries of tests/libraries/requirements.txt can't be installed here, so they are not tested." >&2; \
	fi

test-slow: $(READY) $(COMPILED)
	$(BIN)/python -m pytest -m slow $(TESTS)

test-plain: $(TESTABLE)
	ARENA_ENGINE=plain $(BIN)/python -m pytest -m "not slow" $(TESTS)

coverage: $(READY)
	ARENA_ENGINE=plain $(BIN)/python -m pytest -m "not slow" --cov --cov-report=term:skip-covered --cov-report=html:out/coverage $(TESTS)

mutants: $(READY)
	@$(call install,-c constraints.txt "tile-arena[mutants]",the mutation tester)
	ARENA_ENGINE=plain $(BIN)/mutmut run $(MUTANTS)
	$(BIN)/mutmut results

compile: $(COMPILED)

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

size: $(INSTALLED)
	@$(BIN)/python .ci/size.py

docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "Open out/site/index.html; or $(BIN)/python -m mkdocs serve, which builds it again when a page is changed"

bench: $(READY) $(COMPILED)
	$(BIN)/python -m benchmarks $(if $(QUICK),--quick) $(if $(KEEP),--keep)

ladder: $(READY) $(COMPILED)
	$(BIN)/python -m benchmarks.strength $(if $(QUICK),--quick)

release-check: $(READY)
	$(BIN)/python .ci/release_check.py

# What running needs, with the engine as it is in the sources: a demonstration is over before it would have been compiled.
$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; try make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	@$(call install,-c constraints.txt setuptools,setuptools)
	@export ARENA_COMPILE=0; $(call install,--no-build-isolation -c constraints.txt -e .,what the program needs)
	@touch $@

# What everyday tests need; the project itself is there. Byte code of all packages is made here: some warn while it is made, and the tests
# take warnings for errors.
$(TESTABLE): $(INSTALLED)
	@$(call install,-c constraints.txt "tile-arena[test]",what the tests need)
	$(BIN)/python -m compileall -q -j 0 $(VENV)/lib
	@touch $@

# What all tests, checks and pages need.
$(READY): $(TESTABLE)
	@$(call install,-c constraints.txt "tile-arena[dev]",what all tests and the checks need)
	$(BIN)/python -m compileall -q -j 0 $(VENV)/lib
	@touch $@

# With the mypyc of constraints.txt; without a C compiler this changes nothing, and "arena doctor" says so. Byte code is made here of what
# the sandbox imports, which writes none itself.
$(COMPILED): $(TESTABLE) setup.py $(SOURCES)
	@$(call install,--no-build-isolation --no-deps -e .,the compiled engine)
	@$(BIN)/python -m compileall -q -j 0 bots engine
	@touch $@

# A second environment on top of the first: torch and what comes with it are not for everybody, and some need other versions than the project.
$(TRAINING)/ready: $(READY) tests/libraries/requirements.txt
	$(PYTHON) -m venv $(TRAINING)
	$(TRAINING)/bin/python -c 'import sys, sysconfig; from pathlib import Path; \
		Path(sysconfig.get_path("purelib"), "project.pth").write_text(f"import site; site.addsitedir({sys.argv[1]!r})\n")' \
		"$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
	$(TRAINING)/bin/python -m pip install --quiet --disable-pip-version-check -r tests/libraries/requirements.txt
	@touch $@

clean:
	rm -rf $(VENV) out build dist
	find . -name '*.so' -not -path './.*' -delete
	rm -f engine/compiled.*.json
