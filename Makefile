# Everything starts here; `make help` lists the targets. `make serve` and
# `make test` fetch what is missing by themselves.
SHELL := /bin/sh
GO    ?= go
ROOT  ?=
COUNT ?= 1

# go-tree-sitter's generated parsers make the C compiler warn about bytes in
# string literals; -w keeps the build readable.
CGO_CFLAGS  ?= -O2 -g -w
CGO_ENABLED ?= 1
export CGO_CFLAGS CGO_ENABLED

# Machine paths stay out of programs. Every target says so, since what was compiled with
# other flags is compiled again, the grammars with it.
export GOFLAGS := $(filter-out -trimpath,$(GOFLAGS)) -trimpath

# The commit is stamped into the program where git lets it be read; elsewhere
# (no git, another owner's clone) the build would fail for its sake.
STAMP = $(shell git status --porcelain >/dev/null 2>&1 || echo -buildvcs=false)

.PHONY: help
help: ## list the targets
	@grep -Eh '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "%-14s %s\n", $$1, $$2 }'

include scripts/onnxruntime/onnxruntime.mk
include scripts/install/install.mk
include scripts/editors/editors.mk
include scripts/release/release.mk

.PHONY: tools
tools:
	@command -v $(GO) >/dev/null || { echo "make: Go 1.26 or newer is needed: https://go.dev/dl" >&2; exit 1; }
	@command -v $$($(GO) env CC) >/dev/null || { echo "make: a C compiler is needed ($$($(GO) env CC)), for the grammars" >&2; exit 1; }

.PHONY: build
build: tools ## build bin/quarry (the first time, a minute or two of C)
	$(GO) build $(STAMP) -o bin/quarry ./cmd/quarry

LAB := cmd/quarry-lab

.PHONY: lab
lab: tools ## build bin/quarry-lab, which measures and trains
	$(GO) build -C $(LAB) $(STAMP) -o "$(CURDIR)/bin/quarry-lab" .

# The tests import some modules that the program does not. They come with what it is built
# from, so that whoever has served can test without a network; serving does without them.
.PHONY: modules
modules: lib/.modules
lib/.modules: go.sum $(LAB)/go.sum
	@if $(GO) list -deps -test ./... >/dev/null && $(GO) list -C $(LAB) -deps -test ./... >/dev/null; then \
		mkdir -p lib && touch $@; else echo "make: the modules of the tests are not here, and cannot be fetched" >&2; fi

.PHONY: serve
serve: lib build modules ## serve ROOT (default: this folder): fetches, builds and runs what that needs
	bin/quarry serve --wait "$(or $(ROOT),.)"

# Tests hold little and allocate much: collecting less often takes a fifth to a third off them.
test race: export GOGC ?= 400

.PHONY: test
test: tools lib ## run the tests
	$(GO) test -timeout 30m ./...
	$(GO) test -C $(LAB) -timeout 30m ./...

# With the race detector a program sleeps for a second when it ends, and the tests start many.
.PHONY: race
race: export GORACE := atexit_sleep_ms=0 $(GORACE)
race: tools lib ## run the tests of what is concurrent with the race detector, those that are long with less
	all=$$(GO="$(GO)" sh scripts/concurrent.sh) && $(GO) test -race -short -timeout 30m $$all
	all=$$(GO="$(GO)" sh scripts/concurrent.sh $(LAB)) && $(GO) test -C $(LAB) -race -short -timeout 30m $$all

.PHONY: cluster-test
cluster-test: tools lib ## run workers and two gateways on PostgreSQL, and compare their answers with those of servers; REMOTES=DIR: of the repositories in a folder
	QUARRY_CLUSTER=all QUARRY_CLUSTER_REMOTES="$(REMOTES)" $(GO) test -count=1 -timeout 60m -v ./cmd/quarry/cluster

# Each fault comes so many times: three quarters of an hour in all. A store that can be killed
# is versitygw, if it is in the PATH; disks are filled where the user may mount some.
.PHONY: cluster-chaos
cluster-chaos: tools lib ## kill, cut off and fill what a cluster is made of, ROUNDS times each, while it is asked
	QUARRY_CHAOS=$(or $(ROUNDS),20) $(GO) test -count=1 -timeout 120m -v -run TestChaos ./cmd/quarry/cluster

# A minute for each target, one after the other. FUZZ chooses some of them by a regular
# expression for "package Target", FUZZTIME is the time for each, PARALLEL the workers.
.PHONY: fuzz
fuzz: tools ## fuzz every parser of what comes from outside: FUZZTIME=1m [FUZZ=FuzzLine] [PARALLEL=2]
	GO="$(GO)" FUZZTIME="$(or $(FUZZTIME),1m)" PARALLEL="$(PARALLEL)" sh scripts/fuzz/fuzz.sh '$(or $(FUZZ),.)'

# An hour for all languages together. LANGUAGES chooses some of them by a regular expression.
.PHONY: fuzz-c
fuzz-c: tools ## fuzz the parser in C under sanitizers, over all grammars: FUZZTIME=1h [LANGUAGES='ruby|bash']
	sh scripts/debian.sh clang 'clang libclang-rt-dev' llvm-symbolizer llvm
	GO="$(GO)" FUZZTIME="$(or $(FUZZTIME),1h)" sh scripts/fuzz/parser.sh '^($(or $(LANGUAGES),.*)) '

.PHONY: lint
lint: tools ## gofmt -s, go vet and staticcheck; anything they say is an error
	@bad=$$(gofmt -s -l *.go api client cmd docs embed index watcher web) && test -z "$$bad" || { echo "gofmt -s -w: $$bad" >&2; exit 1; }
	$(GO) vet ./...
	$(GO) vet -C $(LAB) ./...
	$(GO) tool -modfile=tools.mod staticcheck ./...
	cd $(LAB) && $(GO) tool -modfile=../../tools.mod staticcheck ./...

.PHONY: check
check: lint race ## all that a change must pass: lint and race

.PHONY: generate
generate: tools ## refresh what is generated: the TypeScript client's types if make client-ts was run once
	test ! -d $(CLIENT_TS)/node_modules || npm --prefix $(CLIENT_TS) run --silent generate

CLIENT_TS := client/typescript

# npm writes the hidden lock file last, and again when the other has changed.
$(CLIENT_TS)/node_modules/.package-lock.json: $(CLIENT_TS)/package-lock.json
	@command -v npm >/dev/null || { echo "make: npm is needed for the TypeScript client" >&2; exit 1; }
	npm --prefix $(CLIENT_TS) ci --ignore-scripts
	@touch $@

.PHONY: client-ts
client-ts: build $(CLIENT_TS)/node_modules/.package-lock.json ## check and test the TypeScript client against bin/quarry
	npm --prefix $(CLIENT_TS) run --silent check
	npm --prefix $(CLIENT_TS) test

# The page needs npm for what it is made with; the bundle is in git, so building the program does not.
web/node_modules/.package-lock.json: web/package-lock.json
	@command -v npm >/dev/null || { echo "make: npm is needed for the page" >&2; exit 1; }
	npm --prefix web ci --ignore-scripts
	@touch $@

.PHONY: web
web: tools web/node_modules/.package-lock.json ## make the bundle of the page, web/dist, and say what it weighs
	GO="$(GO)" npm --prefix web run --silent build

.PHONY: check-web
check-web: build web/node_modules/.package-lock.json ## check the bundle, the types and the units of the page, and its journeys in Chromium
	GO="$(GO)" npm --prefix web run --silent check
	npm --prefix web run --silent journeys

.PHONY: check-web-large
check-web-large: build web/node_modules/.package-lock.json ## the journeys within a copy of Go's own sources, of 10,000 files, which takes some minutes
	npm --prefix web run --silent journeys -- --within "$$($(GO) env GOROOT)/src"

.PHONY: readme
readme: tools ## run the examples of the README and docs and put their output into them
	$(GO) test ./cmd/quarry/command -run 'TestReadme$$' -count 1 -update

.PHONY: site
site: tools ## make static pages of the README and docs, in dist/site, and follow their links
	$(GO) run ./cmd/quarry-site -version "$$(sed -n 's/^const Release = "\(.*\)"$$/\1/p' cmd/quarry/version/version.go)" -out dist/site

# Ratios over ROOT (default: the Go distribution): the cold build against parsing and
# querying its files with the same library alone, a query against the bare products and
# postings, HTTP against the call in process, an edit against the debounce.
.PHONY: bench
bench: lab ## measure ROOT into bench/new.txt, and print the ratios
	@mkdir -p bench
	@root=$(if $(ROOT),$$(cd "$(ROOT)" && pwd),$$($(GO) env GOROOT)) && \
	export QUARRY_BENCH_ROOT="$$root" && echo "measuring $$root" && \
	{ $(GO) test -run '^$$' -bench '^BenchmarkColdBuild$$' -benchtime 1x -count $(COUNT) -timeout 60m ./index && \
	$(GO) test -run '^$$' -bench '^BenchmarkSearch$$' -benchtime 2000x -count $(COUNT) -timeout 60m ./index && \
	$(GO) test -run '^$$' -bench '^BenchmarkQuery$$' -benchtime 1x -count $(COUNT) -timeout 60m ./index && \
	$(GO) test -run '^$$' -bench '^Benchmark(HTTP|Edit)$$' -benchtime 1x -count $(COUNT) -timeout 60m ./cmd/quarry/command; } >bench/new.txt 2>&1; \
	code=$$?; cat bench/new.txt; test $$code -eq 0 || exit $$code
	@bin/quarry-lab ratios bench/new.txt

# The peers are looked for in the folders of BIN, then on the PATH; docs/benchmarks.md
# says how to install them. Go's own package net is indexed by default.
comma := ,
space := $(subst ,, )
.PHONY: bench-peers
bench-peers: build lab ## measure quarry alongside its peers into docs/benchmarks.md: REPOS="DIR DIR" [BIN="DIR DIR"] [SUITE=FILE CORPUS=DIR]
	bin/quarry-lab peers --quarry bin/quarry --out docs/benchmarks.md \
		--repos "$(subst $(space),$(comma),$(strip $(or $(REPOS),$(shell $(GO) env GOROOT)/src/net)))" \
		$(if $(BIN),--bin "$(subst $(space),$(comma),$(strip $(BIN)))") \
		$(if $(SUITE),--suite "$(SUITE)" --corpus "$(CORPUS)")

.PHONY: bench-compare
bench-compare: tools ## measure commit REF and this tree, six times each, and compare
	@test -n "$(REF)" || { echo "usage: make bench-compare REF=main [ROOT=...]" >&2; exit 1; }
	@tree=$$(mktemp -d) && trap 'git worktree remove --force "$$tree/ref"; rm -rf "$$tree"' EXIT && trap 'exit 1' INT TERM && \
	git worktree add --quiet --detach "$$tree/ref" "$(REF)" && mkdir -p bench && \
	$(MAKE) -C "$$tree/ref" bench COUNT=6 ROOT="$(if $(ROOT),$$(cd "$(ROOT)" && pwd))" && cp "$$tree/ref/bench/new.txt" bench/old.txt && \
	$(MAKE) bench COUNT=6 ROOT="$(ROOT)"
	$(GO) tool -modfile=tools.mod benchstat bench/old.txt bench/new.txt

.PHONY: eval eval-usage
eval-usage:
	@test -n "$(SUITE)" && test -n "$(CORPUS)" || { echo "usage: make eval SUITE=dev.json CORPUS=~/corpus" >&2; exit 1; }
eval: eval-usage lib build ## measure retrieval: SUITE=questions.json CORPUS=folder-of-repositories
	bin/quarry eval --suite "$(SUITE)" --corpus "$(CORPUS)"

# The test fails when a figure has changed; this says that it is meant.
.PHONY: stats
stats: tools ## rewrite the ranking's figures that are kept in git, and show what changed
	@$(GO) test ./index -run 'TestRankStats$$' -count 1 -v -update; code=$$?; \
	git --no-pager diff --stat --patch -- index/testdata/rank; exit $$code

.PHONY: train train-usage
train-usage:
	@test -n "$(CLONES)" || { echo "usage: make train CLONES=folder-of-clones [CACHE=folder-for-the-pairs] [WORDS=folder-of-a-sentence-transformer]" >&2; exit 1; }
train: train-usage lab ## train the built-in model: CLONES=folder-of-clones
	bin/quarry-lab train model --clones "$(CLONES)" --out embed/model $(if $(CACHE),--cache "$(CACHE)") $(if $(WORDS),--words "$(WORDS)")

# The built-in model was trained on most of the repositories that the questions are
# about. A ranking fitted with it would trust its vectors too much on code that it
# has not seen, so MODEL is trained without them, fitted with, and not shipped.
# The score is fitted by a second build, since it depends on the ranking that the
# weights of the first fit give.
QUESTIONS ?= cmd/quarry-lab/fitting/suites/questions-1.json
FUNCTIONS ?= cmd/quarry-lab/fitting/suites/functions-1.json
L2        ?= 0.0003
# What defines a name that was asked for comes first.
NAMED     := --fix definition=8 --fix chunk.definition=4 --fix sentence.definition=8 --fix sentence.chunk.definition=4
MODEL     ?= bench/unseen-model

.PHONY: fit fit-usage
fit-usage:
	@test -n "$(CLONES)" && test -n "$(CORPUS)" || { echo "usage: make fit CLONES=folder-of-clones CORPUS=folder-for-their-revisions [CACHE=folder-for-the-pairs] [MODEL=folder-for-the-model] [WORDS=folder-of-a-sentence-transformer]" >&2; exit 1; }
fit: fit-usage lab ## fit the ranking and the score: CLONES=folder-of-clones CORPUS=folder
	bin/quarry-lab train model --clones "$(CLONES)" --leave-out "$(QUESTIONS)" --out "$(MODEL)" $(if $(CACHE),--cache "$(CACHE)") $(if $(WORDS),--words "$(WORDS)")
	bin/quarry-lab train checkout --suite "$(QUESTIONS)" --suite "$(FUNCTIONS)" --clones "$(CLONES)" --corpus "$(CORPUS)"
	bin/quarry-lab train rank --suite "$(QUESTIONS)" --suite "$(FUNCTIONS)" --corpus "$(CORPUS)" --model "$(MODEL)" --l2 $(L2) --weight functions-1=1.93 --candidates 120 $(NAMED) --out index/internal/rank/weights.txt
	bin/quarry-lab train score --suite "$(QUESTIONS)" --suite "$(FUNCTIONS)" --weight functions-1=1.93 --corpus "$(CORPUS)" --model "$(MODEL)" --out index/internal/rank/weights.txt

lib/promtool:
	sh scripts/promtool.sh lib

# The test asks a real server: its metrics go through promtool, too, and so do the
# dashboard's queries. What reads the chart and the compose file is left out where it is not
# there; HELM=build builds helm, once.
.PHONY: check-deploy
check-deploy: tools lib/promtool ## check the dashboard, the alerts, the service unit, the chart and the compose file in deploy/
	lib/promtool check rules deploy/prometheus/quarry-alerts.yaml deploy/prometheus/quarry-repositories-alerts.yaml
	lib/promtool test rules deploy/prometheus/quarry-alerts-test.yaml deploy/prometheus/quarry-repositories-alerts-test.yaml
	lib/promtool check config --syntax-only deploy/prometheus/prometheus.yaml
	HELM="$(HELM)" sh scripts/deploy.sh lib
	PATH="$(CURDIR)/lib:$$PATH" $(GO) test ./cmd/quarry/command -run '^TestDeploy' -count 1 -timeout 5m
	@! command -v systemd-analyze >/dev/null || sh deploy/systemd/check.sh

.PHONY: hostile
hostile: tools ## make each hostile repository in each kind of place, and have the whole program read it
	$(GO) test ./index/internal/source -run '^TestHostile' -count 1 -timeout 30m -everywhere
	$(GO) test ./cmd/quarry/command -run '^TestHostileProgram$$' -count 1 -timeout 30m -everywhere

# Of each repository, bare or not, commits are drawn from all of its history. A seed that
# is not given is drawn, too, and said.
.PHONY: checkouts
checkouts: tools ## verify the index after random checkouts: REPOS="DIR DIR" [ROUNDS=50] [SEED=N]
	@test -n "$(REPOS)" || { echo 'usage: make checkouts REPOS="DIR DIR" [ROUNDS=50] [SEED=N]' >&2; exit 1; }
	QUARRY_CHECKOUTS="$(subst $(space),:,$(strip $(REPOS)))" QUARRY_ROUNDS="$(ROUNDS)" QUARRY_SEED="$(SEED)" \
		$(GO) test ./index -run '^TestCheckouts$$' -count 1 -v -timeout 0

.PHONY: load
load: lab ## measure the server at URL with 2,000 queries made from ROOT
	bin/quarry-lab load --url "$(or $(URL),http://localhost:3456)" --from-root "$(or $(ROOT),.)"

.PHONY: docker
docker: ## build the container image quarry
	docker build -t quarry .

.PHONY: clean
clean: ## remove what was built, fetched and measured
	rm -rf bin lib bench dist scripts/onnxruntime/node_modules client/typescript/node_modules client/typescript/dist client/typescript/build web/node_modules web/build
