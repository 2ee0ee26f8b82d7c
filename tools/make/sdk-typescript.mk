SDKS             += typescript
NEEDS_typescript := Node 20 or newer, with npm
CHECK_typescript := command -v npm && node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)'

# Packages are kept where Go does not look: some of them hold Go files.
TYPESCRIPT_SDK   := $(CACHE)/sdk-typescript
TYPESCRIPT_PROTO := $(TYPESCRIPT_SDK)/node_modules/toolgate-proto

EXECUTORS_typescript := typescript=node+$(TYPESCRIPT_SDK)/build/conformance/executor.js

# Where no framework is found: the packages as they are published, and what they depend on.
TYPESCRIPT_ALONE := $(CACHE)/sdk-typescript-alone

.PHONY: sdk-typescript
sdk-typescript: build stage executor-typescript ## Build, lint, test and package the TypeScript SDK
	cd sdk/typescript && npm run --silent lint
	cp sdk/typescript/README.md $(TYPESCRIPT_SDK)
	@rm -rf $(TYPESCRIPT_SDK)/dist && cp -R $(TYPESCRIPT_SDK)/build/src $(TYPESCRIPT_SDK)/dist
	cd sdk/typescript && TOOLGATE=$(BIN)/toolgate STAGE=$(BIN)/stage \
	  node --test --test-concurrency=2 --test-timeout=120000 --test-reporter=spec $(TYPESCRIPT_SDK)/build/tests/*.test.js
	@rm -rf $(TYPESCRIPT_SDK)/packed $(TYPESCRIPT_ALONE) && mkdir -p $(TYPESCRIPT_SDK)/packed $(TYPESCRIPT_ALONE)/node_modules
	@cd $(TYPESCRIPT_SDK) && npm pack --silent --ignore-scripts --pack-destination packed . ./node_modules/toolgate-proto
	@cd $(TYPESCRIPT_ALONE)/node_modules && for package in $(TYPESCRIPT_SDK)/packed/*.tgz; do \
	  name=$$(basename $$package | sed 's/-[0-9.]*\.tgz//'); mkdir $$name && \
	  tar -xzf $$package -C $$name --strip-components=1; \
	done; ln -s $(addprefix $(TYPESCRIPT_SDK)/node_modules/,@connectrpc @bufbuild) .
	cd $(TYPESCRIPT_ALONE) && node $(TYPESCRIPT_SDK)/build/tests/alone.js

.PHONY: adapters-typescript
adapters-typescript: stage executor-typescript ## Play the stories in every TypeScript framework, with its adapter and without
	@STAGE=$(BIN)/stage node $(TYPESCRIPT_SDK)/build/examples/all.js

.PHONY: executor-typescript
executor-typescript: $(TYPESCRIPT_PROTO)/.ready
	@cd sdk/typescript && node_modules/.bin/tsc

# The package `toolgate-proto` as it is published, in the place where npm would put it.
$(TYPESCRIPT_PROTO)/.ready: $(TYPESCRIPT_SDK)/.ready gen/typescript/package.json $(shell find gen/typescript/src -name '*.ts')
	@rm -rf $(TYPESCRIPT_PROTO) && mkdir -p $(TYPESCRIPT_PROTO)
	@cp -R gen/typescript/package.json gen/typescript/src $(TYPESCRIPT_PROTO)
	npm run --silent --prefix $(TYPESCRIPT_PROTO) build
	@touch $@

$(TYPESCRIPT_SDK)/.ready: $(addprefix sdk/typescript/,package.json package-lock.json .npmrc)
	@mkdir -p $(TYPESCRIPT_SDK) && cp $^ $(TYPESCRIPT_SDK)
	npm ci --prefix $(TYPESCRIPT_SDK) --ignore-scripts --no-audit --no-fund
	@rm -rf sdk/typescript/node_modules && ln -s $(TYPESCRIPT_SDK)/node_modules sdk/typescript/node_modules
	@touch $@
