# Every target works alone on a fresh clone: it makes .venv, installs what is needed and
# builds the extension first, and only what has changed. PYTHON=python3.12 chooses the
# interpreter; CARGO_TARGET_DIR is honoured.

.DEFAULT_GOAL := help
SHELL := /bin/sh
MAKEFLAGS += --no-builtin-rules

# Every recipe keeps all cores busy by itself, and two must not install into .venv at once.
.NOTPARALLEL:

# A shell opened before Rust was installed does not have it on its PATH.
export PATH := $(PATH):$(HOME)/.cargo/bin
export PYTHON

# Tests and measurements start Python hundreds of times: what it imports is compiled once.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
WEIR := $(BIN)/weir
MAN := crates/weir-python/data/data/share/man/man1/weir.1
# Python compiles a module at its first import; most of what is installed is never imported.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

# What the extension is made of; tests, benchmarks and examples are not part of it.
RUST := Cargo.toml Cargo.lock pyproject.toml python/weir/_core.pyi $(shell find crates -type f \
	\( -name '*.rs' -o -name '*.toml' \) ! -path '*/target/*' ! -path '*/tests/*' ! -path '*/benches/*' \
	! -path '*/examples/*')

PAGE := $(shell find studio -type f ! -path '*/node_modules/*' ! -path 'studio/dist/*' ! -path 'studio/pkg/*' \
	! -path 'studio/bindgen/*' ! -path 'studio/test*')

# Targets that measure or draw write here. `make soak` runs them shortened and into another folder.
DOCS := docs
QUICK :=
SCRATCH := target/docs

.PHONY: help demo picture test test-rust test-python studio recording studio-speed live test-studio fuzz soak lint lint-rust lint-python format wheel bench instructions \
	validate theory theory-images papers tuning scorecards schema pages docs lock clean FORCE

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/.installed ## Simulate the REM paper's wireline experiment and draw it
	$(WEIR) compare rem-wireline --replications 6 --report

picture: demo ## Draw the pictures in the README, in the tutorial and of paired differences anew
	$(WEIR) plot rem-wireline --kind lines --measure mean_queue --x users --out $(DOCS)/images/rem-queue.svg
	$(WEIR) init access --force --out results/access.toml
	$(WEIR) sweep results/access.toml --axis 'flows.download.count=1, 2, 4, 8' --replications 5 --quiet
	$(WEIR) plot access --kind lines --measure delay_mean --x count --out $(DOCS)/images/first-figure.svg
	$(BIN)/python tools/paired.py $(DOCS)/images/paired-differences.svg

test: ## Run every test
	@$(MAKE) --no-print-directory test-rust
	@$(MAKE) --no-print-directory test-python

# The profile of the extension, so that the crates are compiled once. The binding is tested from Python.
test-rust: .venv/.built ## Run the tests of the crates
	cargo test --release --workspace --exclude weir-wasm

# A file stays in one process: its tests share what they have simulated. The longest file comes first. One process more than
# cores: many a test waits for a command or the disk. The cores are taken, and tables are small: one thread for polars in each.
test-python: .venv/.installed .venv/.dev ## Run the tests of the Python package
	POLARS_MAX_THREADS=1 $(BIN)/python -m pytest --numprocesses $$(( $$($(BIN)/python -c 'import os; print(os.cpu_count() or 1)') + 1 )) --dist loadfile --no-loadscope-reorder -m "not soak and not studio"

studio: python/weir/studio/index.html ## Build the page of weir studio; needs Node, which using Weir does not

recording: studio .venv/.installed .venv/.dev ## Record the pictures of the studio in the README and on the site, in Chromium
	$(BIN)/python tools/recording.py $(DOCS)/images/studio.webp $(DOCS)/images/live-figure.webp

studio-speed: studio .venv/.installed .venv/.dev ## Measure the page of the studio in Chromium, half an hour; write docs/studio-speed.md
	PYTHONPATH=tools:tests:tests/studio $(BIN)/python tests/studio $(QUICK) --write $(DOCS)/studio-speed.md

live: .venv/.installed .venv/.dev ## Measure weir live with real packets, half an hour on an idle machine; write docs/live.md
	PYTHONPATH=tests:tests/live $(BIN)/python tests/live $(QUICK) --write $(DOCS)/live.md

test-studio: studio .venv/.installed .venv/.dev ## Run the tests of the studio: module, page, and page in a real browser
	cd studio && npm run --silent check && npm run --silent test
	$(BIN)/python -m pytest tests/studio -m "studio and not soak"
	cd studio && npm run --silent test:browser

fuzz: .venv/.built ## Give ten million hostile packets to the reader of weir live
	cargo test --release --package weir-live -- --ignored --nocapture

# It measures times: nothing runs beside it.
ALONE := tests/studio/test_page_promises.py

MEASURED := picture theory-images recording studio-speed live bench tuning papers papers-again papers-archive scorecards theory validate

# What writes into the tree runs in a clone of its last commit, which is fresh, too.
CLONE := target/clone
IN_CLONE := cd $(CLONE) && $(MAKE) --no-print-directory

soak: studio .venv/.installed .venv/.dev ## Run what takes longer: overflow checks, kills, fuzzing, a wheel, all seeds of the validation, every target that .ci/run leaves out
	cargo test --workspace --exclude weir-wasm
	RUSTDOCFLAGS='-D warnings' cargo doc --release --workspace --no-deps
	@$(MAKE) --no-print-directory fuzz
	PYTHONPATH=tests $(BIN)/python -m soak
	$(BIN)/python tools/train.py
	rm -rf dist
	@$(MAKE) --no-print-directory wheel
	WEIR_WHEEL=dist $(BIN)/python -m pytest tests/test_package.py
	$(BIN)/python -m pytest -m soak $(ALONE)
	$(BIN)/python -m pytest --numprocesses logical -m soak --ignore $(ALONE)
	$(BIN)/python tests/tuning/prior.py
	cd studio && WEIR_HOURS=2 npm run --silent test -- endless
	cd studio && WEIR_TRIES=500 npm run --silent test:browser -- random
	cd studio && WEIR_SOAK=1 npm run --silent test:browser -- --grep @soak
	mkdir -p $(SCRATCH)/images $(SCRATCH)/papers
	@$(MAKE) --no-print-directory QUICK=--quick DOCS=$(SCRATCH) DISCIPLINES=codel $(MEASURED)
	rm -rf $(CLONE)
	git clone --quiet . $(CLONE)
	$(IN_CLONE) format schema pages
	git -C $(CLONE) diff --exit-code
	cd $(CLONE) && .venv/bin/python -m pip install --quiet --no-deps --target target/installed .
	cd $(CLONE) && cargo package --quiet --workspace --exclude weir-python --exclude weir-wasm --no-verify
	$(IN_CLONE) lock clean

lint: ## Check formatting, lints and types
	@$(MAKE) --no-print-directory lint-python
	@$(MAKE) --no-print-directory lint-rust

lint-python: .venv/.dev
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	PYTHONPATH=python $(BIN)/lint-imports --no-cache --no-logo
	PYRIGHT_PYTHON_GLOBAL_NODE=1 PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright

lint-rust: .venv/.made
	cargo fmt --all --check
	$(BIN)/python tools/circles.py crates
	PYO3_PYTHON='$(CURDIR)/$(BIN)/python' cargo clippy --release --workspace --all-targets -- -D warnings
	cp Cargo.lock tools/without_std
	cargo check --quiet --offline --manifest-path tools/without_std/Cargo.toml --target-dir target/without_std

format: .venv/.dev ## Format the sources and mend what can be mended by machine
	cargo fmt --all
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

wheel: .venv/.run studio ## Build a wheel for every Python from 3.11 on, into dist/
	tools/wheel.sh

bench: .venv/.installed ## Measure the speed and write docs/performance.md
	PYTHONPATH=tools $(BIN)/python -m bench $(if $(QUICK),--repeat 1) --write $(DOCS)/performance.md

instructions: .venv/.installed ## Fail if a bench case takes 3% more or fewer instructions than tools/instructions.json says
	$(BIN)/python tools/instructions.py

validate: .venv/.installed .venv/.dev ## Compare with ns-2 and with calculation; write docs/validation.md
	PYTHONPATH=tests $(BIN)/python -m validation --write $(DOCS)/validation.md

theory: theory-images ## Compare the fluid model with packets; write docs/theory-agreement.md
	PYTHONPATH=tests/theory $(BIN)/python tests/theory --write $(DOCS)/theory-agreement.md

theory-images: .venv/.installed .venv/.dev ## Draw RED as a map, and a region of stability, for the docs
	$(WEIR) theory bifurcation --packets 9 -o $(DOCS)/images/red-bifurcation.png
	$(WEIR) theory map rem-wireline --variant rem-mark --at 60 --x N=5..300 --y R=0.02..0.5 -o $(DOCS)/images/theory-region.png
	$(BIN)/python tools/smaller.py $(DOCS)/images/red-bifurcation.png $(DOCS)/images/theory-region.png

AGAIN := $(if $(QUICK),$(SCRATCH),results)/papers-again.json

papers: .venv/.installed ## Reproduce the five papers and write docs/papers
	$(WEIR) reproduce all $(or $(QUICK),--pages $(DOCS)/papers $(if $(wildcard $(AGAIN)),--against $(AGAIN)))

papers-again: .venv/.installed ## Reproduce the five papers with other seeds; make papers then counts what differs
	mkdir -p $(dir $(AGAIN))
	$(WEIR) reproduce all --seed 1 --no-report --json $(QUICK) > $(AGAIN).part
	mv $(AGAIN).part $(AGAIN)

ARCHIVE := $(if $(QUICK),$(SCRATCH),results)/papers.zip

papers-archive: .venv/.installed ## Write the full set of the five papers to results/papers.zip, claims, rows and scenarios
	mkdir -p $(dir $(ARCHIVE))
	$(WEIR) reproduce $(if $(QUICK),ofc-1999,all) --no-report --archive $(ARCHIVE)

# All that the core has, unless DISCIPLINES names some.
DISCIPLINES = $$($(BIN)/python -c 'from weir import _core; print(*sorted(set(_core.disciplines()) - {"python"}))')

scorecards: .venv/.installed ## Examine every discipline in all cells, hours; write docs/scorecards
	@mkdir -p $(DOCS)/scorecards
	@for name in $(DISCIPLINES); do \
		$(WEIR) evaluate $$name --suite all $(QUICK) --quiet --out results/scorecards/$$name > $(DOCS)/scorecards/$$name.txt; \
		code=$$?; test $$code -eq 0 -o $$code -eq 1 -o $$code -eq 3 || exit $$code; \
	done

tuning: .venv/.installed ## Answer twelve targets, beside Optuna, and write docs/tuning-targets.md
	PYTHONPATH=tests/tuning $(BIN)/python tests/tuning --write $(DOCS)/tuning-targets.md

schema: .venv/.installed ## Write schema/scenario.schema.json and docs/reference/keys.md
	$(WEIR) schema > schema/scenario.schema.json.new
	mv schema/scenario.schema.json.new schema/scenario.schema.json
	$(BIN)/python tools/keys.py schema/scenario.schema.json > docs/reference/keys.md

pages: .venv/.installed ## Write docs/disciplines, a page and a figure for each, docs/congestion, the topologies of the templates, the cells of weir evaluate, and the manual page weir.1
	$(BIN)/python -m weir.report.disciplines docs
	$(BIN)/python tools/topology.py docs/images
	$(BIN)/python tools/evaluation.py > docs/reference/evaluation.md.new
	mv docs/reference/evaluation.md.new docs/reference/evaluation.md
	$(BIN)/python tools/man.py > $(MAN).new
	mv $(MAN).new $(MAN)

docs: .venv/.installed .venv/.docs ## Write the documentation as a site, docs/_build/html/index.html; with live figures after make studio
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet -c docs . docs/_build/html

lock: .venv/.made ## Choose the newest allowed Python packages and pin them in requirements/
	tools/lock.sh

clean: ## Remove everything that was built; keep results/
	rm -rf target .venv dist studio/dist studio/pkg studio/node_modules python/weir/studio/index.html docs/_build .pytest_cache .ruff_cache .hypothesis python/weir/_core.*.so
	find python tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The virtual environment. Looked at afresh when it is broken, was made in another folder
# (the tree has been copied or moved), or an interpreter is asked for by name. Only then are
# the tools looked for, here and not in a recipe, so that what is missing is said in one line.
ifneq ($(shell test -x $(BIN)/python && cat .venv/.made 2>/dev/null)$(PYTHON),$(CURDIR))
ifneq ($(filter-out help clean,$(MAKECMDGOALS)),)
MISSING := $(shell PYTHON='$(PYTHON)' tools/check-tools.sh 2>&1 >/dev/null)
ifneq ($(MISSING),)
$(error $(MISSING))
endif
endif
.venv/.made: FORCE
endif
.venv/.made: tools/check-tools.sh tools/make-venv.sh
	@tools/make-venv.sh

# What Weir needs to be built and to run.
.venv/.run: requirements/run.txt .venv/.made
	@echo '==> Installing Python packages into .venv'
	@$(PIP) -r $<
	@touch $@

# What the site of the documentation needs besides.
.venv/.docs: requirements/docs.txt .venv/.run
	@echo '==> Installing the tools for the documentation into .venv'
	@$(PIP) -r $<
	@touch $@

# What its developers need besides: the tests build the site.
.venv/.dev: requirements/dev.txt .venv/.docs
	@echo '==> Installing the tools for tests and lints into .venv'
	@$(PIP) -r $<
	@touch $@

# The extension, in place: the package is imported from python/weir.
ifeq ($(wildcard python/weir/_core.*.so),)
.venv/.built: FORCE
endif
.venv/.built: $(RUST) .venv/.run
	@tools/check-tools.sh > /dev/null
	@echo '==> Building the extension (release)'
	@VIRTUAL_ENV='$(CURDIR)/.venv' $(BIN)/maturin develop --release --skip-install
	@touch $@

# The package and its command, as links into this tree.
.venv/.installed: pyproject.toml .venv/.built
	@test $@ -nt pyproject.toml || { \
		echo '==> Installing weir into .venv'; \
		PATH="$$PWD/$(BIN):$$PATH" $(PIP) --no-deps --no-build-isolation --editable .; \
	}
	@touch $@

# The WebAssembly module, with what JavaScript needs to call it. A folder of its own: it is built beside the tests of the crates.
studio/pkg/weir_wasm.js: $(RUST) studio/bindgen/Cargo.lock $(wildcard studio/bindgen/src/*.rs)
	@tools/check-studio-tools.sh
	@echo '==> Building the WebAssembly module (release)'
	@cargo build --release --package weir-wasm --target wasm32-unknown-unknown --target-dir target/wasm
	@cargo run --quiet --manifest-path studio/bindgen/Cargo.toml --target-dir target/bindgen \
		target/wasm/wasm32-unknown-unknown/release/weir_wasm.wasm studio/pkg
	@touch $@

studio/node_modules/.installed: studio/package-lock.json
	@tools/check-studio-tools.sh
	@echo '==> Installing what the studio is built with into studio/node_modules'
	@cd studio && npm ci --no-audit --no-fund --loglevel error
	@touch $@

# The templates and bundled scenarios are part of the page, and titles of the reference.
python/weir/studio/index.html: studio/pkg/weir_wasm.js studio/node_modules/.installed $(PAGE) \
		$(wildcard python/weir/templates/*.toml python/weir/scenarios/*.toml) \
		$(wildcard python/weir/disciplines/*.toml python/weir/disciplines/congestion/*.toml)
	@echo '==> Building the page of the studio'
	@cd studio && npm run --silent build
	@cp studio/dist/index.html $@

FORCE:
