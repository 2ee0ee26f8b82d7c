package runner

import (
	"context"
	"fmt"
	"io"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	conformancev1 "toolgate.dev/toolgate/gen/go/toolgate/conformance/v1"
)

const seesLeavingWithin = 5 * time.Second

// player plays one vector through one executor.
type player struct {
	stage   *stage
	program mover
	past    *past     // what one side knows; nil: both know everything
	show    io.Writer // nil: nothing is shown
}

// mover makes moves: an executor, or a client of our own.
type mover interface {
	execute(ctx context.Context, request *conformancev1.ExecuteRequest) (*conformancev1.ExecuteResponse, error)
	stop()
}

// play tells what differs from the vector.
func (p *player) play(ctx context.Context) (faults []string) {
	for i, step := range p.stage.vector.GetSteps() {
		began := time.Now()
		response, err := p.program.execute(ctx, &conformancev1.ExecuteRequest{
			Connection: p.stage.connection, RunId: p.stage.vector.GetName(), Action: step.GetAction(),
		})
		if err != nil {
			return append(faults, fmt.Sprintf("step %d: %v", i, err))
		}
		if p.show != nil {
			text, _ := protojson.Marshal(response)
			fmt.Fprintf(p.show, "%s %d %s\n", p.stage.vector.GetName(), i, text)
		}
		took := time.Since(began)
		for _, fault := range append(faultsOf(p.expected(step), response), timeFaults(step, took)...) {
			faults = append(faults, fmt.Sprintf("step %d: %s", i, fault))
		}
	}
	return append(faults, p.upstream()...)
}

// expected is what must come of a step where one side knows only the past.
func (p *player) expected(step *conformancev1.Step) *conformancev1.Step {
	if p.past == nil {
		return step
	}
	write := p.past.wouldRead
	_, client := p.program.(*oldClient)
	if !client {
		write = p.past.wouldWrite
	}
	step = proto.CloneOf(step)
	for _, want := range step.GetOutcomes() {
		switch outcome := want.GetOutcome().(type) {
		case *conformancev1.Expected_Result:
			outcome.Result = known(p.past, outcome.Result, write)
		case *conformancev1.Expected_Error:
			outcome.Error = known(p.past, outcome.Error, write)
		}
		for i, progress := range want.GetProgress() {
			want.Progress[i] = known(p.past, progress, write)
		}
		if client {
			want.Text = "" // an SDK's
		}
	}
	if client {
		step.Shapes = nil
	}
	return step
}

func timeFaults(step *conformancev1.Step, took time.Duration) (faults []string) {
	if s := took.Seconds(); s < step.GetAtLeast() || (step.GetLessThan() > 0 && s >= step.GetLessThan()) {
		faults = append(faults, fmt.Sprintf("it took %.2f s", s))
	}
	return faults
}

// upstream compares what the back end saw.
func (p *player) upstream() (faults []string) {
	if p.stage.backend == nil {
		return nil
	}
	vector := p.stage.vector
	if vector.GetBackendAbandoned() {
		select {
		case <-p.stage.backend.abandons:
		case <-time.After(seesLeavingWithin):
			faults = append(faults, "the back end did not see its caller leave")
		}
	}
	seen := p.stage.backend.seen()
	if p.show != nil {
		for _, request := range seen {
			text, _ := protojson.Marshal(request)
			fmt.Fprintf(p.show, "%s request %s\n", vector.GetName(), text)
		}
	}
	if vector.GetAnyRequests() {
		return faults
	}
	if len(seen) != len(vector.GetRequests()) {
		return append(faults, fmt.Sprintf("%d requests reached the back end, want %d", len(seen), len(vector.GetRequests())))
	}
	for i, want := range vector.GetRequests() {
		for _, fault := range differ(want, seen[i]) {
			faults = append(faults, fmt.Sprintf("request %d: %s", i, fault))
		}
	}
	return faults
}
