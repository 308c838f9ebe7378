# Every target sets itself up: a virtual environment in .venv, installed anew when pyproject.toml changes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Modules are compiled once, whatever the shell asks for: the tests start the command hundreds of times.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-slow conformance bench bench-full reproduction arena board lint types imports package clean

demo: $(VENV)/.demo
	$(BIN)/isobreach demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist worksteal

# Larger cases, and new examples of every property. UNTIL, in seconds since 1970: no test begins later.
test-slow: $(VENV)/.dev
	ISOBREACH_UNTIL=$(UNTIL) HYPOTHESIS_PROFILE=explore $(BIN)/python -m pytest -n 2 --dist worksteal -m "slow or hypothesis"

# Every test of linking and attacks on every engine, none left out: some hours. One engine: make conformance ENGINE=processes
conformance: $(VENV)/.dev
	ISOBREACH_CONFORMANCE=every $(BIN)/python -m pytest -n 2 --dist worksteal -m "slow or not slow" \
		$(if $(ENGINE),-k "[$(ENGINE)") tests/linking tests/attacks

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.scan
	$(BIN)/python -m benchmarks.cluster

# 100,000,000 rows: 17 GB in TMPDIR while it runs, and some minutes.
bench-full: $(VENV)/.dev
	$(BIN)/python -m benchmarks.scan --rows 100000000 --repeats 1

# The paper's experiments, with the page, the figures and the numbers of the documentation.
reproduction: $(VENV)/.dev
	mkdir -p build docs/reproduction
	$(BIN)/isobreach reproduce all --out build/reproduction --quiet
	cp build/reproduction/reproduction.md docs/
	cp build/reproduction/figures/*.png docs/figures/
	cp build/reproduction/*.csv docs/reproduction/

# Every scheme against every attack on three tables, with the page, the figures and the numbers of the documentation.
arena: $(VENV)/.dev
	$(BIN)/python tools/arena.py

# Packages that protect vectors: what they say, and what was measured. Two are under the AGPL, one brings tensorflow.
board:
	$(PYTHON) -m venv build/board-venv
	build/board-venv/bin/python -m pip install --quiet -e '.[packages,packages-agpl,packages-pymasq,vectors,lattice]'
	build/board-venv/bin/python tools/board.py

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

imports: $(VENV)/.dev
	$(BIN)/python -m pytest -q tests/test_architecture.py

# Plain `pip install .` into an environment of its own, and the installed command.
package:
	rm -rf build/package && $(PYTHON) -m venv build/package
	build/package/bin/python -m pip install --quiet .
	cd build && package/bin/isobreach --help > /dev/null && package/bin/isobreach demo --quiet --json --out demo > /dev/null
	rm -rf build/package build/demo

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "isobreach needs Python 3.11 or newer. Name one: make PYTHON=python3.12 ..."; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.demo: $(VENV)/.python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[plot,lattice]'
	@touch $@

$(VENV)/.dev: $(VENV)/.python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.demo

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
