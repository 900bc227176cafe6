# The front door: `make demo` and `make test` set everything up and run.
SHELL := bash
PROGRAM := build/release/xylem
PYTHON := .deps/python/bin/python
PROMPT ?= Write three sentences about how trees carry water.
FORMATTED = $(shell git ls-files '*.cc' '*.h' '*.inc')

.PHONY: help demo build build-tests configure setup test test-fast test-python-setup bench asan \
        tsan fuzz format format-check lint clean

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 16

demo: build  ## set up, build, and let a real model answer (PROMPT="...")
	@echo "demo: $(PROGRAM) generate smollm2 -p \"$(PROMPT)\""
	@$(PROGRAM) generate smollm2 --temperature 0 --max-tokens 160 -p "$(PROMPT)"

setup:  ## install packages and fetch pinned archives (does nothing when all is there)
	@scripts/setup.sh

build: configure  ## the program, at build/release/xylem
	@cmake --build build/release --target xylem_program

build-tests: configure
	@cmake --build build/release

configure: setup
	@mkdir -p build
	@cmake --preset release >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }

test-python-setup: setup
	@scripts/setup_python.sh

test: build-tests test-python-setup format-check  ## set up, build and run every test
	@ctest --test-dir build/release --output-on-failure
	@$(PYTHON) -m pytest tests/python -q

test-fast: build-tests test-python-setup  ## the tests that take seconds
	@ctest --test-dir build/release --output-on-failure -LE slow
	@$(PYTHON) -m pytest tests/python -q -m "not slow"

bench: build-tests test-python-setup  ## compare with the peers; results in build/bench/*.json
	@scripts/setup_python.sh bench
	@$(PYTHON) benchmarks/run.py

asan: setup  ## the C++ tests under AddressSanitizer and UBSan
	@mkdir -p build
	@cmake --preset asan >build/asan.log && cmake --build build/asan && \
	  ctest --test-dir build/asan --output-on-failure

tsan: setup  ## the C++ tests under ThreadSanitizer
	@mkdir -p build
	@cmake --preset tsan >build/tsan.log && cmake --build build/tsan && \
	  TSAN_OPTIONS="suppressions=$(CURDIR)/tests/tsan.supp report_mutex_bugs=0" \
	  ctest --test-dir build/tsan --output-on-failure

SECONDS_EACH ?= 60
fuzz: setup  ## every fuzz target for 60 seconds (SECONDS_EACH=60)
	@mkdir -p build
	@cmake --preset fuzz >build/fuzz.log && cmake --build build/fuzz
	@scripts/fuzz.sh $(SECONDS_EACH)

format:  ## clang-format over the sources
	@clang-format -i $(FORMATTED)

format-check:
	@clang-format --dry-run --Werror $(FORMATTED) || \
	  { echo "Run 'make format'."; exit 1; }

lint: build-tests  ## clang-tidy over the sources
	@run-clang-tidy -quiet -p build/release 'xylem/.*\.cc$$'

clean:  ## remove what was built; .deps stays
	@rm -rf build
