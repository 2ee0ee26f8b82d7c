SDKS         += python
NEEDS_python := Python 3.11 or newer, with venv
CHECK_python := python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))'

# Two environments: one as the SDK's users have it, one with the frameworks of its
# adapters, which are many packages.
PYTHON_SDK      := $(CACHE)/sdk-python
PYTHON          := $(PYTHON_SDK)/venv/bin/python
PYTHON_ADAPTERS := $(PYTHON_SDK)/adapters/bin/python
PYTHON_EXTRAS   := dev,openai-agents,langchain,pydantic-ai,google-adk,anthropic

EXECUTORS_python := python=env+GRPC_VERBOSITY=NONE+$(PYTHON)+sdk/python/conformance/executor.py python=env+GRPC_VERBOSITY=NONE+$(PYTHON)+sdk/python/conformance/executor.py+--async

.PHONY: sdk-python
sdk-python: build stage executor-python $(PYTHON_SDK)/.adapters ## Build, lint, test and package the Python SDK
	cd sdk/python && $(PYTHON_ADAPTERS) -m ruff format --check --quiet && $(PYTHON_ADAPTERS) -m ruff check --quiet && $(PYTHON_ADAPTERS) -m mypy
	cd sdk/python && TOOLGATE=$(BIN)/toolgate $(PYTHON) -m pytest --ignore tests/adapters
	cd sdk/python && TOOLGATE=$(BIN)/toolgate STAGE=$(BIN)/stage $(PYTHON_ADAPTERS) -m pytest tests/adapters tests/test_readme.py
	@rm -rf $(PYTHON_SDK)/dist $(PYTHON_SDK)/installed
	$(PYTHON) -m build --no-isolation --outdir $(PYTHON_SDK)/dist gen/python >$(PYTHON_SDK)/build.log 2>&1
	$(PYTHON) -m build --no-isolation --outdir $(PYTHON_SDK)/dist sdk/python >>$(PYTHON_SDK)/build.log 2>&1
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps --target $(PYTHON_SDK)/installed $(PYTHON_SDK)/dist/*.whl
	@cd $(PYTHON_SDK)/installed && ls toolgate_sdk/py.typed toolgate_sdk/adapters/langchain.py toolgate/v1/py.typed toolgate/v1/gateway_pb2_grpc.py

.PHONY: adapters-python
adapters-python: stage $(PYTHON_SDK)/.adapters ## Play the stories in every Python framework, with its adapter and without
	@STAGE=$(BIN)/stage $(PYTHON_ADAPTERS) sdk/python/examples/all_stories.py

# One of them: make example-python-langgraph
example-python-%: stage $(PYTHON_SDK)/.adapters
	@STAGE=$(BIN)/stage $(PYTHON_ADAPTERS) sdk/python/examples/with_$*.py

.PHONY: executor-python
executor-python: $(PYTHON_SDK)/.ready

$(PYTHON_SDK)/.ready: sdk/python/pyproject.toml gen/python/pyproject.toml
	@mkdir -p $(PYTHON_SDK) && python3 -m venv --clear $(PYTHON_SDK)/venv
	$(PYTHON) -m pip install --quiet --disable-pip-version-check -e gen/python -e 'sdk/python[dev]'
	@touch $@

$(PYTHON_SDK)/.adapters: sdk/python/pyproject.toml sdk/python/adapters.lock gen/python/pyproject.toml
	@mkdir -p $(PYTHON_SDK) && python3 -m venv --clear $(PYTHON_SDK)/adapters
	$(PYTHON_ADAPTERS) -m pip install --quiet --disable-pip-version-check --constraint sdk/python/adapters.lock \
	  -e gen/python -e 'sdk/python[$(PYTHON_EXTRAS)]'
	@touch $@
