# toolgate: what there is to run. `make help` lists it.
#
# `build`, `demo` and `check` need Go alone; `test` also a C compiler (for the race
# detector), Python, Node, a JDK with Maven, and Cargo (for the SDKs, and for `lint`
# and `generate`). Whatever else they need they install at the versions below,
# into .bin, .cache and tools/node_modules.

# The versions of the tools. buf's is in tools/package.json (and the same in
# tools/buf/go.mod), the protobuf plugins' are in go.mod and tools.
GOLANGCI_LINT_VERSION := v2.15.0
STRIPE_MOCK_VERSION   := v0.203.0
TOXIPROXY_VERSION     := v2.5.0
GITHUB_OPENAPI_VERSION := 23.0.2
FIGMA_OPENAPI_VERSION  := 0.43.0
OPENFGA_VERSION       := v1.22.1

BIN   := $(CURDIR)/.bin
CACHE := $(CURDIR)/.cache
BUF   := $(CURDIR)/tools/node_modules/.bin/buf

FUZZTIME  ?= 10s
BENCHTIME ?= 1s

export GOLANGCI_LINT_CACHE := $(CACHE)/golangci-lint

# A tree whose git history can't be read is built all the same, unstamped.
ifneq ($(shell git rev-parse --verify --quiet HEAD >/dev/null 2>&1 && echo stamped),stamped)
export GOFLAGS := $(GOFLAGS) -buildvcs=false
endif

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

include $(sort $(wildcard tools/make/*.mk))

##@ Use

.PHONY: demo
demo: build ## Play the four stories against real back ends, beside a naive stack
	@$(BIN)/toolgate demo

.PHONY: build
build: ## Build the programs into .bin
	@mkdir -p $(BIN)
	go build -o $(BIN)/ ./cmd/...

# What the examples of other languages play on: back ends and a gateway.
.PHONY: stage
stage:
	@mkdir -p $(BIN)
	go build -o $(BIN)/ ./examples/stage

##@ Check

.PHONY: test
test: runtimes test-go $(WITH_TESTS:%=sdk-%) conformance ## Run every test of every language, but test-peers

# The chaos trial runs alone: its processes listen on ports that it found free.
# What drives the peers is test-peers'.
.PHONY: test-go
test-go: peers $(BUF) # the Go tests, under the race detector
	go test -race -timeout 20m $$(go list ./... | grep -v -e '/test/chaos$$' -e '/test/peers\(/\|$$\)')
	go test -race -timeout 20m ./test/chaos

# What it needs beside `peers` stands here, one name a line. A check is what a test
# counts with peertest.Check or peertest.Count; the last line sums them up.
PEER_PROGRAMS := \
  $(BIN)/stripe-mock \
  $(BIN)/openfga $(BIN)/etcd $(BIN)/etcd.binpb \
  tools/mcp-servers/node_modules/.package-lock.json \
  tools/mcp-clients/node_modules/.package-lock.json $(CACHE)/mcp-python/.installed \
  tools/web-client/node_modules/.package-lock.json \
  $(BIN)/openapi/stripe.json $(BIN)/openapi/github.json $(BIN)/openapi/figma.yaml \

.PHONY: test-peers
test-peers: $(PEER_PROGRAMS) ## Drive real servers and clients of others: the last line counts the checks
	@mkdir -p $(CACHE) && rm -f $(CACHE)/peers.report
	@status=0; PEERS_REPORT=$(CACHE)/peers.report go test -race -count=1 -timeout 20m ./test/peers/... || status=$$?; \
	touch $(CACHE)/peers.report; awk -F '\t' '$$2 == "failed"' $(CACHE)/peers.report; \
	awk -F '\t' '{ all[$$1]++; if ($$2 == "passed") good[$$1]++ } \
	  END { for (name in all) printf "%s %d/%d\n", name, good[name], all[name] }' $(CACHE)/peers.report | \
	  LC_ALL=C sort | paste -sd ' ' | sed 's/^/peers: /'; \
	exit $$status

.PHONY: check
check: $(BIN)/stripe-mock ## Build, vet and run the short tests: the quick look before a commit
	go build ./...
	go vet ./...
	go test -short -vet=off -ldflags='-s -w' ./...

.PHONY: lint
lint: lint-format lint-vet lint-go lint-proto lint-breaking lint-generated lint-modules ## Check everything that needs no test run

.PHONY: lint-format
lint-format: # Go sources are formatted
	@test -z "$$(gofmt -l $(GO_FOLDERS) | tee /dev/stderr)" || { echo 'run: make fmt' >&2; exit 1; }

.PHONY: lint-vet
lint-vet: # go vet
	go vet ./...

.PHONY: lint-go
lint-go: $(BIN)/golangci-lint # the linters of .golangci.yml
	$(BIN)/golangci-lint run --allow-parallel-runners

.PHONY: lint-proto
lint-proto: $(BUF) # the protos' style and comments
	$(BUF) lint
	$(BUF) format --diff --exit-code

.PHONY: lint-breaking
lint-breaking: $(BUF) # the promises of the published baselines
	tools/breaking/check $(BUF)

.PHONY: lint-generated
lint-generated: $(GENERATORS) # gen is what `make generate` writes, no more and no less
	@rm -rf $(CACHE)/generated && mkdir -p $(CACHE)/generated
	$(BUF) generate --output $(CACHE)/generated
	@cd gen && for out in $$(sed -n 's|^ *out: gen/||p' ../buf.gen.yaml | sort -u); do \
	  diff -r -x __pycache__ $$out $(CACHE)/generated/gen/$$out || { echo 'run: make generate' >&2; exit 1; }; \
	done

.PHONY: lint-modules
lint-modules: # go.mod and go.sum are tidy
	go mod tidy -diff

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME (10s)
	@go list ./... | while read -r package; do \
	  for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
	    echo "$$package $$target"; \
	    go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package || exit 1; \
	  done; \
	done

.PHONY: bench
bench: build ## Measure against a direct call and a bare hop; the last line is for scripts
	go build -o $(BIN)/ ./bench/...
	@go test -count=1 -v -run '^TestARoomAllocatesWhatTheFileSays$$' ./server
	@$(BIN)/throughput -toolgate $(BIN)/toolgate -barehop $(BIN)/barehop -backend $(BIN)/backend

.PHONY: microbench
microbench: ## Run every Go benchmark, with allocations, for BENCHTIME (1s)
	go test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) ./...

.PHONY: load
load: build ## Ramp to saturation against a slow back end: overload is refused early, latency kept
	@mkdir -p $(CACHE)
	go run ./test/load -toolgate $(BIN)/toolgate -out $(CACHE)/load.json

.PHONY: chaos
chaos: build peers ## Break everything around three replicas for some minutes: no call lost, none doubled
	@go build -o $(CACHE)/chaos ./test/chaos/run
	@$(CACHE)/chaos -toolgate $(BIN)/toolgate -toxiproxy $(BIN)/toxiproxy -out $(CACHE)/chaos.json

##@ Change

.PHONY: fmt
fmt: $(BUF) ## Format Go and protos
	gofmt -w $(GO_FOLDERS)
	$(BUF) format --write

.PHONY: generate
generate: $(GENERATORS) ## Write gen, and the catalogue's JSON Schema, from the protos
	$(BUF) generate
	go test ./server/catalog/schema -run Committed -update

.PHONY: baseline
baseline: $(BUF) ## Publish the contract as VERSION (v1.1.0): see docs/contract.md
	tools/breaking/publish $(BUF) '$(VERSION)'

.PHONY: clean
clean: ## Remove what the other targets made
	rm -rf $(BIN) $(CACHE) tools/node_modules tools/mcp-servers/node_modules tools/mcp-clients/node_modules tools/web-client/node_modules gen/java/target sdk/java/*/target

##@ Tools

.PHONY: peers
peers: $(BIN)/stripe-mock $(BIN)/toxiproxy $(BIN)/promcheck redis ## Get the servers of others that the tests run against

# The program of a Redis server, without the service. On Debian it is in
# redis-tools, under another name; elsewhere it comes with redis or valkey.
.PHONY: redis
redis:
	@command -v redis-server >/dev/null || command -v valkey-server >/dev/null || [ -x $(BIN)/redis-server ] || { \
	  [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null || \
	    { echo 'the tests of the Redis ledger run redis-server (or valkey-server): install it' >&2; exit 1; }; \
	  apt-get update -qq && apt-get install -qq -y --no-install-recommends redis-tools && \
	  mkdir -p $(BIN) && ln -sf /usr/bin/redis-check-rdb $(BIN)/redis-server; \
	}

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} \
	  /^##@ / {printf "\n%s\n", substr($$0, 5)} \
	  /^[a-z-]+:.*## / {sub(/:.*/, "", $$1); printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Everything but what is generated or fetched.
GO_FOLDERS = $(shell find . -mindepth 1 -maxdepth 1 -type d -not -name '.*' -not -name gen -not -name tools)

# A Go program at a version, built outside of this module: $(1) its name,
# $(2) its package, $(3) its version. The stamp's name makes a new version a
# new target.
define go_program
$(BIN)/$(1): $(BIN)/.$(1)@$(3)
$(BIN)/.$(1)@$(3):
	@mkdir -p $(BIN) && rm -f $(BIN)/.$(1)@*
	GOBIN=$(BIN) go install $(2)@$(3)
	@touch $$@
endef

$(eval $(call go_program,golangci-lint,github.com/golangci/golangci-lint/v2/cmd/golangci-lint,$(GOLANGCI_LINT_VERSION)))
$(eval $(call go_program,stripe-mock,github.com/stripe/stripe-mock,$(STRIPE_MOCK_VERSION)))

# OpenFGA brings its databases along: some minutes, once.
$(eval $(call go_program,openfga,github.com/openfga/openfga/cmd/openfga,$(OPENFGA_VERSION)))

# etcd's module can't be installed by its path. It does not tell what its services
# are, so that their descriptors are written out.
$(BIN)/etcd: tools/etcd/go.mod tools/etcd/go.sum
	@mkdir -p $(BIN)
	go -C tools/etcd build -o $@ go.etcd.io/etcd/server/v3
	@touch $@
$(BIN)/etcd.binpb: tools/etcd/main.go tools/etcd/go.mod tools/etcd/go.sum
	@mkdir -p $(BIN)
	go -C tools/etcd run . > $@

# The reference servers of MCP, which test/peers/mcpservers starts. They need Node.
tools/mcp-servers/node_modules/.package-lock.json: tools/mcp-servers/package-lock.json
	npm ci --prefix tools/mcp-servers --ignore-scripts --no-audit --no-fund
	@touch $@

# The clients of MCP, which test/peers/mcpclients drives. They need Node and Python.
# vite, which none of them uses there, is held back: newer ones want a package for
# Windows that not every mirror has.
tools/mcp-clients/node_modules/.package-lock.json: tools/mcp-clients/package-lock.json
	npm ci --prefix tools/mcp-clients --ignore-scripts --no-audit --no-fund
	@touch $@

$(CACHE)/mcp-python/.installed: tools/mcp-clients/requirements.txt
	python3 -m venv --clear $(CACHE)/mcp-python
	$(CACHE)/mcp-python/bin/pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

# The documents that test/peers/openapi imports. Stripe's is the one that stripe-mock
# holds requests against.
$(BIN)/openapi/stripe.json: $(BIN)/openapi/.stripe.json@$(STRIPE_MOCK_VERSION)
$(BIN)/openapi/.stripe.json@$(STRIPE_MOCK_VERSION):
	@mkdir -p $(BIN)/openapi && rm -f $(BIN)/openapi/.stripe.json@*
	@folder=$$(cd / && go mod download -json github.com/stripe/stripe-mock@$(STRIPE_MOCK_VERSION) | sed -n 's/.*"Dir": "\(.*\)".*/\1/p') && \
	  install -m 644 "$$folder/embedded/openapi/spec3.json" $(BIN)/openapi/stripe.json
	@touch $@

# A document out of an npm package: $(1) its name, $(2) the package, $(3) its version,
# $(4) the file in it.
define npm_document
$(BIN)/openapi/$(1): $(BIN)/openapi/.$(1)@$(3)
$(BIN)/openapi/.$(1)@$(3):
	@mkdir -p $(BIN)/openapi && rm -rf $(BIN)/openapi/.$(1)@* $(CACHE)/openapi/$(1) && mkdir -p $(CACHE)/openapi/$(1)
	@cd $(CACHE)/openapi/$(1) && npm pack --silent $(2)@$(3) > /dev/null && tar -xzmf *.tgz package/$(4)
	@mv $(CACHE)/openapi/$(1)/package/$(4) $(BIN)/openapi/$(1) && rm -rf $(CACHE)/openapi/$(1) && touch $$@
endef

$(eval $(call npm_document,github.json,@octokit/openapi,$(GITHUB_OPENAPI_VERSION),generated/api.github.com.json))
$(eval $(call npm_document,figma.yaml,@figma/rest-api-spec,$(FIGMA_OPENAPI_VERSION),openapi/openapi.yaml))

# The clients of web pages, which test/peers/webclients runs. They need Node.
tools/web-client/node_modules/.package-lock.json: tools/web-client/package-lock.json
	npm ci --prefix tools/web-client --ignore-scripts --no-audit --no-fund
	@touch $@

# Prometheus' engine, for the dashboard and the alerts.
$(BIN)/promcheck: $(wildcard tools/promcheck/*)
	@mkdir -p $(BIN)
	go -C tools/promcheck build -o $@ .
	@touch $@

# Its package is called server, and so would be the program.
$(BIN)/toxiproxy: $(BIN)/.toxiproxy@$(TOXIPROXY_VERSION)
$(BIN)/.toxiproxy@$(TOXIPROXY_VERSION):
	@mkdir -p $(CACHE)/toxiproxy $(BIN) && rm -f $(BIN)/.toxiproxy@*
	GOBIN=$(CACHE)/toxiproxy go install github.com/Shopify/toxiproxy/v2/cmd/server@$(TOXIPROXY_VERSION)
	@mv $(CACHE)/toxiproxy/server $(BIN)/toxiproxy && touch $@

# The packages need no scripts at install: buf's binary is in the package. On a
# machine without npm the same version is built from its Go module, which takes
# some minutes.
$(BUF): tools/package-lock.json tools/buf/go.mod
	@if command -v npm >/dev/null; then \
	  npm ci --prefix tools --ignore-scripts --no-audit --no-fund; \
	else \
	  mkdir -p $(dir $(BUF)) && go -C tools/buf build -o $(BUF) github.com/bufbuild/buf/cmd/buf; \
	fi
	@touch $(BUF)
