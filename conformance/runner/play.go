package runner

import (
	"context"
	"fmt"
	"io"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	conformancev1 "toolgate.dev/toolgate/gen/go/toolgate/conformance/v1"
)

const seesLeavingWithin = 5 * time.Second

// player plays one vector through one executor.
type player struct {
	stage   *stage
	program *program
	show    io.Writer // nil: nothing is shown
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
		for _, fault := range append(faultsOf(step, response), timeFaults(step, time.Since(began))...) {
			faults = append(faults, fmt.Sprintf("step %d: %s", i, fault))
		}
	}
	return append(faults, p.upstream()...)
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
