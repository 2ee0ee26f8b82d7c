SDKS       += rust
NEEDS_rust := Rust 1.88 or newer, with Cargo, rustfmt and Clippy
CHECK_rust := cargo fmt --version && cargo clippy --version && [ "$$(rustc --version | sed 's/^rustc 1[.]\([0-9]*\).*/\1/')" -ge 88 ]

# The target folder stands in sdk/rust/.cargo/config.toml. All commands name the
# same features, so that what the SDK needs is built once.
RUST_SDK   := $(CACHE)/sdk-rust/target
RUST_BUILT := --quiet --locked --workspace --all-features

EXECUTORS_rust := rust=$(RUST_SDK)/debug/executor-rust

.PHONY: sdk-rust
sdk-rust: build ## Build, lint, test and package the Rust SDK
	cd sdk/rust && cargo fmt --all --check
	cd sdk/rust && cargo clippy $(RUST_BUILT) --all-targets -- -D warnings
	cd sdk/rust && cargo clippy --quiet --locked -p toolgate-sdk --no-default-features -- -D warnings
	cd sdk/rust && cargo test $(RUST_BUILT)
	cd sdk/rust && RUSTDOCFLAGS='-D warnings' cargo doc $(RUST_BUILT) --no-deps --lib
	@# toolgate-proto is not yet where cargo would look for it.
	cd sdk/rust && cargo package --quiet --allow-dirty --offline -p toolgate-sdk --all-features \
	  --config 'patch.crates-io.toolgate-proto.path="../../gen/rust"'

.PHONY: executor-rust
executor-rust:
	@cd sdk/rust && cargo build $(RUST_BUILT)
