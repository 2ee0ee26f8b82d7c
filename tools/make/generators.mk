# What `make generate` runs, at the versions that stand in tools/: protoc-gen-es
# comes with buf (tools/package.json), the Go plugins with go.mod.

GENERATORS := $(BUF) $(BIN)/python/.ready $(BIN)/java/.ready $(BIN)/protoc-gen-toolgate-rust

$(BIN)/python/.ready: tools/python/requirements.txt
	@rm -rf $(BIN)/python && python3 -m venv $(BIN)/python
	$(BIN)/python/bin/pip install --quiet --disable-pip-version-check -r tools/python/requirements.txt
	@touch $@

JAVA_PLATFORM = $(subst Darwin,osx,$(subst Linux,linux,$(shell uname -s)))-$(subst arm64,aarch_64,$(subst aarch64,aarch_64,$(shell uname -m)))

$(BIN)/java/.ready: tools/java/pom.xml
	@rm -rf $(BIN)/java
	mvn --quiet --batch-mode -Dstyle.color=never -f tools/java dependency:copy -Dplatform=$(JAVA_PLATFORM) -Dout=$(BIN)/java
	@chmod +x $(BIN)/java/*.exe && touch $@

$(BIN)/protoc-gen-toolgate-rust: $(wildcard tools/rust/Cargo.* tools/rust/src/*)
	@mkdir -p $(BIN)
	cargo build --quiet --locked --manifest-path tools/rust/Cargo.toml --target-dir $(CACHE)/cargo/tools
	@cp $(CACHE)/cargo/tools/debug/protoc-gen-toolgate-rust $@
