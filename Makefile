# `make tour` needs Python 3.11+ and nothing else; `make test` adds the test tools to the same .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help setup tour smoke test check format api bench parity clean

help: ## Say what each target does
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/'

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "$(PYTHON) is $$($(PYTHON) -V 2>&1), Proa needs Python 3.11 or newer."; \
	  echo "Name another one: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

# The stamps are written last, so that an interrupted install is taken up again.
$(VENV)/stamp-runtime: pyproject.toml | $(BIN)/python
	@echo "Installing Proa into $(VENV): this takes a minute or two."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/stamp-dev: pyproject.toml | $(BIN)/python
	@echo "Installing Proa and the test tools into $(VENV): this takes a minute or two."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(VENV)/stamp-runtime $@

setup: $(VENV)/stamp-dev ## Make .venv with Proa and the development tools

tour: $(VENV)/stamp-runtime ## Carry the bundled data from its check to a verified, exported model
	$(BIN)/proa tour $(ARGS)

smoke: $(VENV)/stamp-dev ## Run the quick core of the test suite
	$(BIN)/python -m pytest -m smoke -n $(WORKERS) $(ARGS)

test: $(VENV)/stamp-dev ## Run the whole test suite
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile $(ARGS)

check: $(VENV)/stamp-dev ## Lint, format, types, house rules and the public API
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tools/check.py
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/python tools/api.py --check

format: $(VENV)/stamp-dev ## Let ruff format and mend what it can
	$(BIN)/ruff check --fix --exit-zero .
	$(BIN)/ruff format .

api: $(VENV)/stamp-dev ## Record the public API in api.txt
	$(BIN)/python tools/api.py --write

# PROA_BENCH_TORCH, PROA_BENCH_PADDLE and PROA_BENCH_KERAS name interpreters that exist.
.bench/torch/stamp: PACKAGES = torch==2.13.0 torchvision numpy pillow
.bench/paddle/stamp: PACKAGES = paddlepaddle==3.3.1 setuptools numpy pillow
.bench/keras/stamp: PACKAGES = keras jax==0.10.2 numpy
.bench/%/stamp: | $(BIN)/python
	@echo "Installing the peer $* into .bench/$*: this takes a few minutes."
	$(PYTHON) -m venv .bench/$*
	.bench/$*/bin/python -m pip install --quiet --disable-pip-version-check $(PACKAGES)
	@touch $@

BENCH_PEERS := $(if $(PROA_BENCH_TORCH),,.bench/torch/stamp) \
  $(if $(PROA_BENCH_PADDLE),,.bench/paddle/stamp) $(if $(PROA_BENCH_KERAS),,.bench/keras/stamp)

bench: $(VENV)/stamp-dev $(BENCH_PEERS) ## Measure Proa against its peers, and write bench/RESULTS.md
	$(BIN)/python -m bench.run --write $(ARGS)

# PROA_PARITY_PADDLE names another interpreter that has the real wheel.
.parity/venv/stamp: | $(BIN)/python
	@echo "Installing the real Paddle into .parity/venv: this takes a few minutes."
	$(PYTHON) -m venv .parity/venv
	.parity/venv/bin/python -m pip install --quiet --disable-pip-version-check \
	  paddlepaddle==3.3.1 setuptools
	@touch $@

parity: $(VENV)/stamp-dev $(if $(PROA_PARITY_PADDLE),,.parity/venv/stamp) ## Prove Proa against the real Paddle
	$(BIN)/python -m parity $(ARGS)
	$(BIN)/python -m parity.saved
	$(BIN)/python -m parity.reading $(if $(PHOTOS),--photos $(PHOTOS))

clean: ## Remove .venv, .parity, .bench and caches
	rm -rf $(VENV) .cache .parity .bench build dist
