# Two commands do all: `make serve` and `make test`. `make help` lists the rest.
# Needs Python 3.11 or newer and make; everything else lands in .venv.

PYTHON = python3#    the Python that .venv is made of
HOST = 127.0.0.1#    address to serve on; another address needs a token in SERVE_ARGS
PORT = 8000#         port to serve on
TORCH_INDEX ?=#      index that torch alone is installed from, for a CPU-only build
SERVE_ARGS =#        further flags of `poolscope serve`
TEST_ARGS =#         further flags of pytest
BENCH_ARGS =#        further flags of the benchmarks, --strict for one
CONFORMANCE_ARGS =#  further flags of the comparison with SGLang, --seed for one

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
# SGLang's own classes live apart: their dependencies are none of ours.
PEER := .venv-conformance
PEER_LOCK := requirements-conformance.lock
PEER_PIP := $(PEER)/bin/python -m pip --disable-pip-version-check --no-input

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup serve test check bench fix shot clean
.PHONY: setup-conformance conformance conformance-nightly bench-pools

help: ## List these targets and the variables they take
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-19s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo
	@awk -F ' [?]?= ?|# +' '/^[A-Z_]+ [?]?=.*#/ {printf "  %-16s %s%s\n", $$1, $$3, $$2 ? " (" $$2 ")" : ""}' $(MAKEFILE_LIST)

setup: $(BIN)/.app ## Create .venv and install everything at the pinned versions

serve: setup ## Serve the dashboard, with a workload running
	$(BIN)/poolscope serve --host $(HOST) --port $(PORT) $(SERVE_ARGS)

test: setup ## Run all tests
	$(BIN)/python -m pytest $(TEST_ARGS)

check: setup ## Check format, lint, types, import contracts and size budgets
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest --noconftest -p no:cacheprovider tests/contract/test_budgets.py

bench: setup ## Measure speed, each figure as a ratio of one run
	$(BIN)/python -m benchmarks.run $(BENCH_ARGS)

# SGLang's own classes where their environment is built, else plain ones of the same growth.
bench-pools: setup ## Measure pool operations against SGLang's own classes, call by call
	$(if $(wildcard $(PEER)/.sglang),$(PEER),$(BIN:/bin=))/bin/python -m benchmarks.pools_report $(BENCH_ARGS)

setup-conformance: $(PEER)/.sglang ## Create .venv-conformance with SGLang's own classes (3 min, 2 GB)

conformance: setup-conformance ## Compare our pools with SGLang's own, operation by operation
	$(PEER)/bin/python -m tests.conformance.run $(CONFORMANCE_ARGS)

conformance-nightly: setup-conformance ## The same for long: 280,000 sequences, half an hour
	$(PEER)/bin/python -m tests.conformance.run --sequences 40000 --seed 1000000 $(CONFORMANCE_ARGS)

fix: setup ## Format, and repair what the linter can
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

shot: setup ## Take the README's picture of the Live page (needs Chromium)
	$(BIN)/python -m tests.browser.shot

clean: ## Remove both environments, caches and build products
	rm -rf $(VENV) $(PEER) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -rf *.egg-info

# Each stamp stands for one step; make repeats a step when what it was made from is newer.

define check_python
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
  echo "$(PYTHON) is missing or older than Python 3.11: make PYTHON=python3.11 names another"; exit 1; }
endef

$(BIN)/.venv:
	$(check_python)
	$(PYTHON) -m venv $(VENV) || { \
	  echo "the venv module is missing; on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	@touch $@

# torch comes first and by itself, so that TORCH_INDEX holds for it and for nothing else.
$(BIN)/.torch: $(BIN)/.venv requirements.lock
	@echo "torch: a CPU build is about 190 MB to download and 700 MB installed; the build that pip picks"
	@echo "by default on x86 Linux carries CUDA, several GB. For the small one, once:"
	@echo "    make setup TORCH_INDEX=<address of a CPU-only package index>"
	$(PIP) install $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX)) --no-deps "$$(grep '^torch==' requirements.lock)"
	@touch $@

$(BIN)/.packages: $(BIN)/.torch requirements.lock
	$(PIP) install --quiet -r requirements.lock
	@touch $@

$(BIN)/.app: $(BIN)/.packages pyproject.toml
	$(PIP) install --quiet --no-deps --no-build-isolation -e .
	@touch $@

# An environment is marked as built only when everything is in it. sglang comes last and alone: its
# own list of dependencies asks for CUDA builds that its pool classes do not need.
$(PEER)/.sglang: $(PEER_LOCK)
	$(check_python)
	$(PYTHON) -m venv --clear $(PEER)
	@{ $(PEER_PIP) install --quiet $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX)) --no-deps \
	    "$$(grep '^torch==' $(PEER_LOCK))" \
	  && grep -v '^sglang==' $(PEER_LOCK) > $(PEER)/requirements.txt \
	  && $(PEER_PIP) install --quiet -r $(PEER)/requirements.txt \
	  && $(PEER_PIP) install --quiet --no-deps "$$(grep '^sglang==' $(PEER_LOCK))"; } || { \
	  echo "make setup-conformance: $(PEER) could not be built, see pip's message above. It needs a"; \
	  echo "package index that has every line of $(PEER_LOCK), once; nothing else here does."; exit 1; }
	@touch $@
