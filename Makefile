# Targets are described by `make help`: a target's text is the comment after "##".

# Where rustup puts cargo, even if the caller's PATH does not have it.
export PATH := $(HOME)/.cargo/bin:$(PATH)
SHELL := bash
# What `plimsoll --version` says of its origin.
export PLIMSOLL_COMMIT ?= $(shell tools/commit.sh)

.DEFAULT_GOAL := help
.PHONY: help setup build dist check-dist companion demo tune-demo test house test-live test-unit check-image bench bench-jmeter bench-groovy bench-account bench-watch bench-watch-sources bench-fleet bench-honesty compare-proof fuzz fmt lint web report-script workbench-demo \
	schema lab-list lab-up lab-down lab-prove lab-cases lab-score lab-compose lab-fixtures \
	jmeter-suite jmeter-coverage jmeter-strangers jmeter-golden jmeter-diff clean-runs

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | awk -F '\t' '{ printf "  make %-15s %s\n", $$1, $$2 }'

setup: ## install what building, testing and measuring need (as root on Debian or Ubuntu)
	tools/setup.sh

build: ## target/release/plimsoll
	@tools/setup.sh build
	cargo build --release --locked -p plimsoll-cli

dist: ## target/dist: static binary, tar, .deb, .rpm, bill of materials, licences, checksums (10 min)
	@tools/setup.sh dist
	tools/dist.sh

check-dist: ## what target/dist holds, tried: in an empty root, in a Debian root, twice the same bytes (as root)
	@tools/setup.sh dist
	deploy/packages/check.sh target/dist

companion: ## target/companion: what runs Groovy and other Java parts of JMeter plans
	@tools/setup.sh lab
	companion/build.sh

# For a first look, what is quick to build, unless there is the other one already.
demo: demo_profile := $(if $(wildcard target/release/plimsoll),release,demo)
demo: ## load a real Tomcat, see what limits it, lift it (about 3 min after the build)
	@tools/setup.sh build lab
	cargo build --profile $(demo_profile) --locked -p plimsoll-cli
	lab/start.sh --build-only
	PLIMSOLL="$${PLIMSOLL:-target/$(demo_profile)/plimsoll}" demo/run.sh

tune-demo: ## three faults at once in a real Tomcat, found and mended by plimsoll tune (at most 17 min after the build)
	@tools/setup.sh build lab
	cargo build --release --locked -p plimsoll-cli
	lab/start.sh --build-only
	demo/tune.sh

lab-list: ## the lab's cases: real systems with a fault, and whether they run here
	@lab/plimsoll-lab list

lab-up: ## CASE=F01: start the systems of a case (as root: in shares of the CPUs, namespaces)
	@tools/setup.sh cases
	lab/plimsoll-lab up $(CASE) $(LAB)

lab-down: ## end all that lab-up started
	lab/plimsoll-lab down --all

lab-prove: build ## CASE=F01: what the case's fault costs, measured faulty and cured
	@tools/setup.sh cases
	lab/plimsoll-lab prove $(CASE) $(LAB)

lab-cases: ## make lab/CASES.md again from the case files
	lab/plimsoll-lab list --markdown > lab/CASES.md

# A seed that nobody chose, unless some are given.
lab-score: SEEDS := $(or $(SEEDS),$(shell shuf -n 1 -i 1-2147483647))
lab-score: build ## SEEDS="1 2 3": record all cases, score the diagnosis (50 min a seed); writes bench/LAB-SCORE.md
	@tools/setup.sh cases
	rm -rf target/lab-score
	for seed in $(SEEDS); do lab/plimsoll-lab evidence --all --seed $$seed --out target/lab-score $(LAB) || true; done
	lab/plimsoll-lab score target/lab-score --markdown bench/LAB-SCORE.md

lab-compose: build ## SEEDS=1-20 OUT=DIR: draw systems, record what limits each, score the diagnosis (90 s each); writes bench/ACCOUNT.md
	@tools/setup.sh compose
	lab/plimsoll-lab compose --seeds $(or $(SEEDS),1-20) --out $(or $(OUT),target/lab-compose) $(LAB) || true
	lab/plimsoll-lab compose-score $(or $(OUT),target/lab-compose) --markdown bench/ACCOUNT.md

lab-fixtures: build ## DIR=target/lab-score: turn recorded cases into the fixtures in tests/diagnose
	lab/plimsoll-lab fixtures $(or $(DIR),target/lab-score)

web: ## web/dist: the workbench's pages; the next build puts them into the binary
	@command -v npm >/dev/null || { echo "make web: npm is missing (apt-get install nodejs npm)" >&2; exit 2; }
	cd web && npm ci --no-audit --no-fund && npm run build
	touch crates/server/build.rs

report-script: ## the HTML report's script from web/src/report; it is kept in crates/report/assets
	cd web && npm ci --no-audit --no-fund && npm run report

workbench-demo: web ## the workbench beside a real Tomcat with a run going on (Ctrl-C ends it)
	@tools/setup.sh build lab
	cargo build --release --locked -p plimsoll-cli
	lab/start.sh --build-only
	demo/workbench.sh

test: ## everything: set up, formats, lints, all tests, a short fuzz run
	tools/test.sh

house: ## count lines, circles, long files and functions, names used twice
	@tools/house.py

test-unit: ## the tests of the crates' libraries only (no servers, no set-up)
	cargo test --locked --workspace --lib

test-live: ## LIVE_SEED=N: four cases of the lab and two drawn systems on the diagnosis (8 min; as root)
	tools/test.sh live

bench: ## measure side by side with other tools; writes bench/RESULTS.md
	@tools/setup.sh build bench
	cargo build --release --locked -p plimsoll-cli
	bench/peers.sh
	python3 bench/run.py

bench-jmeter: ## the same .jmx on JMeter and on plimsoll; writes bench/JMETER.md
	@tools/setup.sh build bench
	cargo build --release --locked -p plimsoll-cli
	bench/peers.sh apt jmeter
	python3 bench/run.py --only login --out bench/JMETER.md

bench-fleet: ## what merging and keeping the reports of 1,000 workers costs; writes bench/FLEET.md
	@tools/setup.sh build bench
	cargo build --release --locked -p plimsoll-cli --example fleet_cost
	bench/peers.sh apt
	python3 bench/run.py --only fleet --out bench/FLEET.md

bench-groovy: companion ## what a Groovy expression costs in the companion; writes bench/GROOVY.md
	@tools/setup.sh build bench
	cargo build --release --locked -p plimsoll-cli
	cargo build --release --locked -p plimsoll-companion --example groovy_cost
	bench/peers.sh apt
	python3 bench/run.py --only groovy --out bench/GROOVY.md

bench-account: ## what the account of the response time costs nginx, Tomcat, PHP-FPM and Node; writes bench/ACCOUNT-COST.md
	@tools/setup.sh build bench lab
	cargo build --release --locked -p plimsoll-cli
	lab/start.sh --build-only
	python3 bench/run.py --only watch-account --pairs 15 --out bench/ACCOUNT-COST.md

bench-watch: ## what watching and captures cost nginx and Tomcat, and the agent itself; writes bench/WATCH.md
	@tools/setup.sh build bench lab
	cargo build --release --locked -p plimsoll-cli
	lab/start.sh --build-only
	python3 bench/run.py --only watch,watch-jvm,watch-captures,watch-stacks --pairs 25 --out bench/WATCH.md

bench-watch-sources: ## the same for each source alone; printed
	@tools/setup.sh build bench lab
	cargo build --release --locked -p plimsoll-cli
	lab/start.sh --build-only
	python3 bench/run.py --only watch-sources --pairs 25

jmeter-suite: build companion ## SUITE=DIR: plans of JMeter's own suite, row by row (as root)
	python3 tests/jmeter/suite.py $(SUITE)

jmeter-golden: ## what JMeter 5.6.3 makes of our own plans, recorded again
	@tools/setup.sh lab test
	tests/jmeter/peer/get.sh
	python3 tests/jmeter/differential.py --update

jmeter-diff: build companion ## our own plans on JMeter and on plimsoll, side by side
	@tools/setup.sh lab test
	tests/jmeter/peer/get.sh
	python3 tests/jmeter/differential.py --live

jmeter-coverage: ## DIR=DIR: how many .jmx plans of a folder are supported, and what they lack
	cargo run --release --locked -q -p plimsoll-jmx --example coverage -- $(DIR)

jmeter-strangers: build companion ## DIR=DIR: run each plan of a folder against stand-ins of its hosts (as root); how many run
	python3 tests/jmeter/strangers.py $(DIR)

bench-honesty: ## starved and fair runs: does the verdict say whose time it is? writes bench/HONESTY.md; needs root
	@tools/setup.sh build bench
	cargo build --release --locked -p plimsoll-cli
	python3 bench/honesty.py

compare-proof: ## false alarms and slowdowns found by compare; writes bench/COMPARE.md
	@tools/setup.sh build lab
	cargo build --release --locked -p plimsoll-cli
	python3 bench/compare_proof.py

check-image: ## build the container image without a registry, look into it and run it (as root)
	@tools/setup.sh build test
	deploy/check.sh --install --image

fuzz: ## fuzz each target for a minute
	fuzz/run.sh 60

fmt: ## format the code
	cargo fmt --all

lint: ## formats and lints, as in make test
	cargo fmt --all -- --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	shellcheck -x -P SCRIPTDIR -S warning $$(git ls-files '*.sh' .ci/run)

schema: ## make generated files again: the plan schema and reference, the pages on errors, JMeter and knobs
	tools/troubleshooting.sh
	UPDATE_EXPECTED=1 cargo test --locked -p plimsoll-plan --test schema
	UPDATE_EXPECTED=1 cargo test --locked -p plimsoll-jmx --test reference --test properties
	UPDATE_EXPECTED=1 cargo test --locked -p plimsoll-watch --test reference
	UPDATE_EXPECTED=1 cargo test --locked -p plimsoll-knobs --test reference

clean-runs: ## delete ./plimsoll-runs
	rm -rf plimsoll-runs
