##@ SDKs

EXECUTORS_go := go=$(BIN)/executor-go

.PHONY: sdk-go
sdk-go: $(BIN)/golangci-lint ## Build, lint and test the Go SDK (its package is this module)
	go build ./sdk/go/...
	$(BIN)/golangci-lint run --allow-parallel-runners ./sdk/go/...
	go test -race ./sdk/go/...

.PHONY: executor-go
executor-go:
	@go build -o $(BIN)/executor-go ./sdk/go/conformance
