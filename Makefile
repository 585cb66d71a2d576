# make demo   a real tournament with its leaderboard
# make test   the tests
# make check  lint, types, import contracts
# Each creates what it needs in .venv; "make PYTHON=python3.12 demo" takes another Python.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready

.PHONY: demo test check bench clean

demo: $(READY)
	@mkdir -p out && rm -f out/demo.db out/demo.db-wal out/demo.db-shm
	$(BIN)/arena run examples/quickstart.toml --db out/demo.db
	$(BIN)/arena run examples/sunda.toml --db out/demo.db
	@echo "Look closer: $(BIN)/arena matches --db out/demo.db, $(BIN)/arena replay MATCH --db out/demo.db"

test: $(READY)
	$(BIN)/python -m pytest

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/python -m benchmarks.engine
	$(BIN)/python -m benchmarks.runner
	$(BIN)/python -m benchmarks.protocol
	$(BIN)/python -m benchmarks.isolation
	$(BIN)/python -m benchmarks.peers

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; try make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $@

clean:
	rm -rf $(VENV) out
