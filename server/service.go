package server

import (
	"context"
	"fmt"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/observe"
	"toolgate.dev/toolgate/server/tracing"
)

const (
	maxIDBytes    = 128
	maxBatchCalls = 64
)

// service implements the contract's rpcs over the chain. It translates, calls,
// translates back; every decision is a room's.
type service struct {
	toolgatev1.UnimplementedToolGatewayServiceServer

	chain    interceptors.Next
	seal     func(ctx context.Context, call *interceptors.Call, panicked any) *interceptors.Outcome
	ledger   interceptors.Ledger
	observer *observe.Room
	tracer   *tracing.Tracer
	listing  func(principal string) *toolgatev1.ListToolsResponse
	capOf    func(tool string) uint32
	ended    func(run interceptors.RunKey, summary *toolgatev1.RunSummary)
	// reportScope tells the tools that a principal's failure report is on, nil for
	// all; its error is the status of whom it is not for.
	reportScope func(principal string) (visible func(tool string) bool, err error)
}

// ListTools names the tools that this caller may use.
func (s *service) ListTools(ctx context.Context, _ *toolgatev1.ListToolsRequest) (*toolgatev1.ListToolsResponse, error) {
	return s.listing(interceptors.PrincipalFrom(ctx)), nil
}

// CallTool runs one call.
func (s *service) CallTool(ctx context.Context, req *toolgatev1.CallToolRequest) (*toolgatev1.CallToolResponse, error) {
	return s.callTool(ctx, req, nil)
}

// run sends one call through the chain and accounts for it. Every door ends
// here.
func (s *service) run(ctx context.Context, call *interceptors.Call) (response *toolgatev1.CallToolResponse, err error) {
	// Loggers, tracers and keepers may be the embedding program's, and a batch's
	// calls are beyond the reach of recovery.
	defer func() {
		if value := recover(); value != nil {
			response, err = s.seal(ctx, call, value).Response(), nil
		}
	}()
	ctx, span := s.tracer.Call(ctx, call)
	outcome, err := s.chain(ctx, call)
	s.observer.Finished(ctx, call, outcome, err)
	span.End(call, outcome, err)
	if err != nil {
		return nil, err
	}
	tally := interceptors.Tally{
		Tool: call.Tool.Name, Class: outcome.Error.GetErrorClass(), Attempts: call.Trace.Attempts, Failed: outcome.Error != nil,
	}
	_ = s.ledger.Tally(context.WithoutCancel(ctx), call.Run, tally) // a keeper that is gone loses a statistic
	if ctx.Err() != nil {
		return nil, interceptors.StatusDone(ctx) // what happened stands in the ledger
	}
	return outcome.Response(), nil
}

// arrive marks the arrival of calls with these ids; without a keeper nothing is
// remembered.
func (s *service) arrive(ctx context.Context, run interceptors.RunKey, callIDs ...string) (context.Context, interceptors.Snapshot) {
	if keeper, ok := s.ledger.(interceptors.Arrivals); ok {
		known, snapshot, err := keeper.Arrive(ctx, run, callIDs...)
		if err != nil {
			return ctx, interceptors.Snapshot{}
		}
		return known, snapshot
	}
	snapshot, err := s.ledger.Snapshot(ctx, run)
	if err != nil {
		return ctx, interceptors.Snapshot{}
	}
	return ctx, snapshot
}

// GetRun tells what the gateway remembers of a run.
func (s *service) GetRun(ctx context.Context, req *toolgatev1.GetRunRequest) (*toolgatev1.GetRunResponse, error) {
	run, err := runOf(ctx, req.GetRunId())
	if err != nil {
		return nil, err
	}
	summary, found, err := s.ledger.Run(ctx, run)
	if err != nil {
		return nil, interceptors.StatusInternal(err)
	}
	return &toolgatev1.GetRunResponse{Run: s.summarised(run, summary, found)}, nil
}

// EndRun forgets a run and sums it up.
func (s *service) EndRun(ctx context.Context, req *toolgatev1.EndRunRequest) (*toolgatev1.EndRunResponse, error) {
	run, err := runOf(ctx, req.GetRunId())
	if err != nil {
		return nil, err
	}
	summary, found, err := s.ledger.EndRun(ctx, run)
	if err != nil {
		return nil, interceptors.StatusInternal(err)
	}
	if found {
		s.ended(run, summary)
	}
	return &toolgatev1.EndRunResponse{Run: s.summarised(run, summary, found)}, nil
}

func (s *service) summarised(run interceptors.RunKey, summary *toolgatev1.RunSummary, found bool) *toolgatev1.RunSummary {
	if !found {
		return &toolgatev1.RunSummary{RunId: run.ID}
	}
	summary.RunId = run.ID
	for _, tool := range summary.GetTools() {
		tool.RejectionCap = s.capOf(tool.GetTool())
	}
	return summary
}

// GetFailureReport counts failures since the gateway started.
func (s *service) GetFailureReport(ctx context.Context, req *toolgatev1.GetFailureReportRequest) (*toolgatev1.GetFailureReportResponse, error) {
	visible, err := s.reportScope(interceptors.PrincipalFrom(ctx))
	if err != nil {
		return nil, err
	}
	return s.observer.ReportOn(req, visible), nil
}

func runOf(ctx context.Context, id string) (interceptors.RunKey, error) {
	if id == "" {
		return interceptors.RunKey{}, interceptors.StatusInvalid("RUN_ID_MISSING", "run_id",
			"a run id of 1 to 128 bytes is required: counts and memory belong to a run")
	}
	if len(id) > maxIDBytes {
		return interceptors.RunKey{}, interceptors.StatusInvalid("RUN_ID_TOO_LONG", "run_id",
			fmt.Sprintf("%d bytes; at most %d are accepted", len(id), maxIDBytes))
	}
	return interceptors.RunKey{Principal: interceptors.PrincipalFrom(ctx), ID: id}, nil
}

func checkCall(call *toolgatev1.ToolCall, field string) error {
	if call == nil {
		return interceptors.StatusInvalid("CALL_MISSING", field, "a call is required")
	}
	if len(call.GetCallId()) > maxIDBytes {
		return interceptors.StatusInvalid("CALL_ID_TOO_LONG", field+".call_id",
			fmt.Sprintf("%d bytes; at most %d are accepted", len(call.GetCallId()), maxIDBytes))
	}
	return nil
}
