package runner

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"buf.build/go/protoyaml"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	conformancev1 "toolgate.dev/toolgate/gen/go/toolgate/conformance/v1"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

const mostCalls = 64 // in a CallTools rpc

// loadSamples makes vectors of what the releases of the newest major wrote: a
// gateway answers with their very bytes, and every client reads what they meant.
func loadSamples(baselines fs.FS) (vectors []*conformancev1.Vector, err error) {
	files, err := fs.Glob(baselines, "v*.samples.yaml")
	if err != nil {
		return nil, err
	}
	newest := 0
	for _, file := range files {
		newest = max(newest, numbersOf(file)[0])
	}
	for _, file := range files {
		if numbersOf(file)[0] != newest {
			continue
		}
		text, err := fs.ReadFile(baselines, file)
		if err != nil {
			return nil, err
		}
		var read conformancev1.Samples
		if err := (protoyaml.UnmarshalOptions{Path: file}).Unmarshal(text, &read); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		release := strings.ReplaceAll(strings.TrimSuffix(file, ".samples.yaml"), ".", "-")
		more, err := replayed(release, read.GetSamples())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		vectors = append(vectors, more...)
	}
	return vectors, nil
}

// replayed are the vectors of one release.
func replayed(release string, samples []*conformancev1.Sample) (vectors []*conformancev1.Vector, err error) {
	calls := &conformancev1.Vector{Name: release + "-wrote-these-outcomes"}
	runs := &conformancev1.Vector{Name: release + "-wrote-these-summaries"}
	tools := &conformancev1.Vector{Name: release + "-wrote-these-tools"}
	for _, sample := range samples {
		var step *conformancev1.Step
		into := calls
		switch sample.GetType() {
		case "toolgate.v1.CallToolResponse":
			step, err = callStep(sample)
		case "toolgate.v1.EndRunResponse":
			into = runs
			step, err = runStep(sample)
		case "toolgate.v1.ListToolsResponse":
			into = tools
			step = &conformancev1.Step{Action: &conformancev1.Action{Kind: &conformancev1.Action_ListTools{ListTools: &conformancev1.ListTools{}}}}
		default:
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", sample.GetName(), err)
		}
		into.Steps = append(into.Steps, step)
		into.Gateway = append(into.Gateway, &conformancev1.Answer{Encoded: sample.GetEncoded()})
	}
	vectors = slices.DeleteFunc([]*conformancev1.Vector{calls, runs, tools}, func(v *conformancev1.Vector) bool { return len(v.GetSteps()) == 0 })
	return append(vectors, inParallel(calls)...), nil
}

func callStep(sample *conformancev1.Sample) (*conformancev1.Step, error) {
	var response toolgatev1.CallToolResponse
	if err := protojson.Unmarshal([]byte(sample.GetJson()), &response); err != nil {
		return nil, err
	}
	want := &conformancev1.Expected{Outcome: &conformancev1.Expected_Rpc{Rpc: &conformancev1.RpcFailure{Code: "UNKNOWN"}}}
	switch {
	case response.GetError() != nil:
		want.Outcome = &conformancev1.Expected_Error{Error: response.GetError()}
	case response.GetResult() != nil:
		want.Outcome = &conformancev1.Expected_Result{Result: response.GetResult()}
	}
	call := &toolgatev1.ToolCall{Tool: sample.GetName()}
	return &conformancev1.Step{
		Action: &conformancev1.Action{Kind: &conformancev1.Action_Call{Call: call}}, Outcomes: []*conformancev1.Expected{want},
	}, nil
}

func runStep(sample *conformancev1.Sample) (*conformancev1.Step, error) {
	var response toolgatev1.EndRunResponse
	if err := protojson.Unmarshal([]byte(sample.GetJson()), &response); err != nil {
		return nil, err
	}
	return &conformancev1.Step{
		Action: &conformancev1.Action{Kind: &conformancev1.Action_EndRun{EndRun: &conformancev1.EndRun{}}}, Calls: response.GetRun().GetCalls(),
	}, nil
}

// inParallel makes batches of single calls: a batch has another message around each
// outcome.
func inParallel(single *conformancev1.Vector) (vectors []*conformancev1.Vector) {
	for start := 0; start < len(single.GetSteps()); start += mostCalls {
		end := min(start+mostCalls, len(single.GetSteps()))
		calls := &conformancev1.Calls{}
		step := &conformancev1.Step{Action: &conformancev1.Action{Kind: &conformancev1.Action_CallMany{CallMany: calls}}}
		for i, one := range single.GetSteps()[start:end] {
			calls.Calls = append(calls.Calls, one.GetAction().GetCall())
			want := proto.CloneOf(one.GetOutcomes()[0])
			want.Index = uint32(i)
			step.Outcomes = append(step.Outcomes, want)
		}
		vectors = append(vectors, &conformancev1.Vector{
			Name:    fmt.Sprintf("%s-in-parallel-%d", single.GetName(), len(vectors)+1),
			Gateway: single.GetGateway()[start:end], Steps: []*conformancev1.Step{step},
		})
	}
	return vectors
}
