# make demo        a real tournament with its leaderboard
# make test        the tests, with the engine compiled where there is a C compiler
# make test-plain  the same tests with the engine as plain Python; TESTS=tests/engine takes only those
# make check       lint, types, import contracts
# make docs        the documentation as a site, out/site/index.html
# make compile     the engine compiled, after its sources were edited: half a minute on four cores, a minute and a half on one
# make bench       all benchmarks, a quarter of an hour; writes out/bench/*.json and the table of README.md
# make bench QUICK=1   the same, small, in three minutes or so, two more to fetch peers at first; the README stays as it is
# make ladder      how strong the reference bots are, half an hour or so; writes README.md, docs/strength.md and the anchors
# make ladder QUICK=1  the same with few blocks, to see that it runs; all files stay as they are
# Each creates what it needs in .venv; "make PYTHON=python3.12 demo" takes another Python.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
COMPILED := $(VENV)/compiled
SOURCES := $(shell find engine -name '*.py')

.PHONY: demo test test-plain check docs compile bench ladder clean

demo: $(COMPILED)
	@mkdir -p out && rm -f out/demo.db out/demo.db-wal out/demo.db-shm
	$(BIN)/arena run examples/quickstart.toml --db out/demo.db
	$(BIN)/arena run examples/sunda.toml --db out/demo.db
	@echo "Look closer: $(BIN)/arena matches --db out/demo.db, $(BIN)/arena replay MATCH --db out/demo.db"

test: $(COMPILED)
	$(BIN)/python -m pytest

test-plain: $(READY)
	ARENA_ENGINE=plain $(BIN)/python -m pytest $(TESTS)

compile: $(COMPILED)

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "Open out/site/index.html; or $(BIN)/python -m mkdocs serve, which builds it again when a page is changed"

bench: $(COMPILED)
	$(BIN)/python -m benchmarks $(if $(QUICK),--quick)

ladder: $(COMPILED)
	$(BIN)/python -m benchmarks.strength $(if $(QUICK),--quick)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; try make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt setuptools
	ARENA_COMPILE=0 $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation -c constraints.txt -e ".[dev]"
	@touch $@

# With the mypyc of constraints.txt; without a C compiler this changes nothing, and "arena doctor" says so.
$(COMPILED): $(READY) setup.py $(SOURCES)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@

clean:
	rm -rf $(VENV) out build
	find . -name '*.so' -not -path './.*' -delete
	rm -f engine/compiled.*.json
