.DEFAULT_GOAL := help
.PHONY: help run demo test web api accuracy soak bench fmt lint setup agents clean
.NOTPARALLEL:

# The Python that the tests run their HTTP, WebSocket and gRPC clients with; scripts/setup makes it.
export COOP_TEST_PYTHON := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/coop/python/bin/python

# Where scripts/agents puts the agents that tests run.
export COOP_TEST_AGENTS := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/coop/agents

# Prints a command, then runs it. A failing step ends the target.
step = @printf '\n==> %s\n' '$(1)'; $(1)

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The dev profile builds in a fraction of the time, and its terminal engine is optimised as in a release.
run: app ## build coop, start a hub and one session: the first agent that is installed, else your shell
	@cargo build --package coop
	@agent=$$(command -v claude || command -v codex || command -v gemini || printf %s "$${SHELL:-/bin/sh}"); \
	exec "$${CARGO_TARGET_DIR:-target}/debug/coop" run --welcome -- "$$agent"

demo: ## see the real Claude Code under coop: a permission, a question, a plan; no key, no network, two minutes
	@scripts/agents
	@cargo build --quiet --package coop --package coop-testkit
	@exec "$${CARGO_TARGET_DIR:-target}/debug/demo"

test: setup agents web lint ## install what is missing, check everything, run all tests
	$(call step,npm --prefix web run --silent check)
	$(call step,npm --prefix web run --silent test)
	$(call step,cargo test --workspace --no-fail-fast)

# The web app is a part of the program, and is built again when something of it is newer.
built := web/dist/app/index.html
modules := web/node_modules/.package-lock.json

web: $(built) ## build the web app, which the next build of coop takes in

$(built): $(modules) web/index.html web/vite.config.ts web/tsconfig.json $(shell find web/src web/public -type f)
	@npm --prefix web run --silent build

# Not `ci`, which wants the binaries of all systems in the lock, and registries do not have all of them at once.
$(modules): web/package.json web/package-lock.json
	@npm --prefix web install --no-save --no-audit --no-fund --loglevel=error
	@touch $@

# Without npm there is a coop all the same; its page says what is missing.
.PHONY: app
app:
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory web; else echo 'npm was not found: coop is built without its web app'; fi

api: $(modules) ## write down what is served, for the types of the web app
	@COOP_BLESS=1 cargo test --quiet --workspace --test documents
	@npm --prefix web run --silent api

# The programs of the tests, built as `make test` does: by themselves they would have other features, and most of what
# they use would be built once more.
tools = cargo test --quiet --workspace --no-run --test hook --test claude

accuracy: agents ## how right coop is about the real agents, and how soon, with sources switched off
	@$(tools)
	@exec "$${CARGO_TARGET_DIR:-target}/debug/accuracy"

COUNT := 1000

soak: agents ## say a thousand messages (COUNT=n: so many) to the real Claude Code, from eight callers at once
	@$(tools)
	@exec "$${CARGO_TARGET_DIR:-target}/debug/soak" $(COUNT)

bench: ## measure speed, memory and latency
	@cargo xtask bench

fmt: ## format the code
	@cargo fmt --all

lint: ## check format, lints, the project's own rules, and licences of dependencies
	$(call step,cargo fmt --all --check)
	$(call step,cargo clippy --workspace --all-targets -- -D warnings)
	$(call step,cargo xtask tidy)
	$(call step,cargo deny check --hide-inclusion-graph licenses bans sources)

setup: ## install the tools that tests need and that are missing
	$(call step,scripts/setup)

agents: ## install the pinned agents that tests run and that are missing
	$(call step,scripts/agents)

clean: ## remove what was built
	@cargo clean
