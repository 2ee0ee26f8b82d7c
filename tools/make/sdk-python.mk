SDKS         += python
NEEDS_python := Python 3.10 or newer, with venv
CHECK_python := python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))'

PYTHON_SDK := $(CACHE)/sdk-python
PYTHON     := $(PYTHON_SDK)/venv/bin/python

EXECUTORS_python := python=env+GRPC_VERBOSITY=NONE+$(PYTHON)+sdk/python/conformance/executor.py python=env+GRPC_VERBOSITY=NONE+$(PYTHON)+sdk/python/conformance/executor.py+--async

.PHONY: sdk-python
sdk-python: build executor-python ## Build, lint, test and package the Python SDK
	cd sdk/python && $(PYTHON) -m ruff format --check --quiet && $(PYTHON) -m ruff check --quiet && $(PYTHON) -m mypy
	cd sdk/python && TOOLGATE=$(BIN)/toolgate $(PYTHON) -m pytest
	@rm -rf $(PYTHON_SDK)/dist $(PYTHON_SDK)/installed
	$(PYTHON) -m build --no-isolation --outdir $(PYTHON_SDK)/dist gen/python >$(PYTHON_SDK)/build.log 2>&1
	$(PYTHON) -m build --no-isolation --outdir $(PYTHON_SDK)/dist sdk/python >>$(PYTHON_SDK)/build.log 2>&1
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps --target $(PYTHON_SDK)/installed $(PYTHON_SDK)/dist/*.whl
	@cd $(PYTHON_SDK)/installed && ls toolgate_sdk/py.typed toolgate/v1/py.typed toolgate/v1/gateway_pb2_grpc.py

.PHONY: executor-python
executor-python: $(PYTHON_SDK)/.ready

$(PYTHON_SDK)/.ready: sdk/python/pyproject.toml gen/python/pyproject.toml
	@mkdir -p $(PYTHON_SDK) && python3 -m venv --clear $(PYTHON_SDK)/venv
	$(PYTHON) -m pip install --quiet --disable-pip-version-check -e gen/python -e 'sdk/python[dev]'
	@touch $@
