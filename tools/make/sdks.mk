# What is common to the SDKs. Each has a file of its own, sdk-NAME.mk, with
#
#   SDKS += NAME               once `make test` runs it (Go's is in the module)
#   NEEDS_NAME := ...          its runtime, for people
#   CHECK_NAME := ...          a command that succeeds where the runtime is there
#   EXECUTORS_NAME := ...      `NAME=command` for each way in which it is used, + for blanks
#
# and the targets sdk-NAME (build, lint, test, package) and executor-NAME (what
# the commands need).

ALL_SDKS   := go python typescript java rust
WITH_TESTS := $(filter $(SDKS),$(ALL_SDKS))
PLAYED     := $(foreach sdk,$(ALL_SDKS),$(if $(EXECUTORS_$(sdk)),$(sdk)))

# Commands have quotes of their own: the shell reads them from its environment.
export $(ALL_SDKS:%=CHECK_%)

# Says what `make test` needs, and fails before any work where something is missing.
.PHONY: runtimes
runtimes:
	@missing=0; \
	find() { if sh -c "$$2" >/dev/null 2>&1; then echo "found: $$1"; else echo "MISSING: $$1" >&2; missing=1; fi; }; \
	echo 'make test needs:'; \
	find 'Go' 'go version'; \
	find 'a C compiler, for the race detector' 'command -v $${CC:-cc}'; \
	$(foreach sdk,$(filter-out go,$(filter $(SDKS) $(PLAYED),$(ALL_SDKS))),find '$(NEEDS_$(sdk))' "$$CHECK_$(sdk)";) \
	exit $$missing

.PHONY: conformance
conformance: build $(PLAYED:%=executor-%) ## Play every vector through every SDK against the gateway; the last line counts
	@$(BIN)/toolgate-conformance -gateway $(BIN)/toolgate \
	  $(foreach sdk,$(PLAYED),$(foreach command,$(EXECUTORS_$(sdk)),-executor '$(subst +, ,$(command))'))
