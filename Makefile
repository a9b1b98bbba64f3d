# Two commands matter: `make run` and `make test`. Each is complete on a machine with rustup's stable Rust,
# Node 20 or newer and Debian's apt, and skips what is done already.

SHELL := bash
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup run build test test-differential test-faults fuzz lint bench clean

help: ## say what there is
	@sed -n 's/^\([a-z%-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 20

run: ## set up, build, and serve the demo chat client
	@tools/setup.sh build
	@tools/build.sh || test $$? -eq 3 # over the size budget is no reason not to show it
	@exec node www/serve.mjs

test: setup ## everything: lint, native, build, types, wasm, node, browser, packaging
	@tools/test.sh

test-%: setup ## one part of it, as in `make test-native`
	@tools/test.sh $*

test-faults: setup ## build, and run the long fault campaign; goes on where an earlier run ended
	@tools/build.sh
	@node tests/faults/campaign.mjs
	@TURNLOG_STREAM_MS=60000 node --test --test-name-pattern='pieces a second' tests/browser/drafts.test.mjs
	@cargo test --locked --release --test transcript_limits -- --ignored

test-differential: setup ## build, and run many random programs on our session and on the npm package's
	@tools/build.sh
	@TURNLOG_SESSION_PROGRAMS=20000 node --test tests/node/session-differential.test.mjs

fuzz: ## look for texts that break a reader, for TURNLOG_FUZZ_SECONDS (600); brings nightly Rust and cargo-fuzz
	@tools/setup.sh fuzz
	@tools/fuzz.sh

lint: setup ## formatting, clippy on both targets, and tsc
	@tools/test.sh lint build types

build: ## fill pkg/ with the npm package, print its sizes, hold them to budget.json
	@tools/setup.sh build
	@tools/build.sh

bench: setup ## build, and run the benchmarks
	@tools/build.sh
	@node benches/run.mjs

setup: ## install what building and testing need
	@tools/setup.sh test

clean: ## delete what was built; npm packages and the tool cache stay
	rm -rf target pkg
