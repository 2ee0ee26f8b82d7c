package runner

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	conformancev1 "toolgate.dev/toolgate/gen/go/toolgate/conformance/v1"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// image is the newest published one, changed.
func image(t *testing.T, change func(set *descriptorpb.FileDescriptorSet)) []byte {
	t.Helper()
	encoded, err := os.ReadFile("../../proto/baseline/v0.2.0.binpb")
	if err != nil {
		t.Fatal(err)
	}
	set := &descriptorpb.FileDescriptorSet{}
	if err := proto.Unmarshal(encoded, set); err != nil {
		t.Fatal(err)
	}
	change(set)
	if encoded, err = proto.Marshal(set); err != nil {
		t.Fatal(err)
	}
	return encoded
}

// older did not know `note`, the class TERMINAL, and the rpc EndRun.
func older(t *testing.T) *past {
	t.Helper()
	p, err := newPast("v0.0.1", image(t, func(set *descriptorpb.FileDescriptorSet) {
		for _, file := range set.GetFile() {
			for _, message := range file.GetMessageType() {
				if message.GetName() == "ToolError" {
					message.Field = slices.DeleteFunc(message.GetField(), func(f *descriptorpb.FieldDescriptorProto) bool { return f.GetName() == "note" })
				}
			}
			for _, enum := range file.GetEnumType() {
				if enum.GetName() == "ErrorClass" {
					enum.Value = slices.DeleteFunc(enum.GetValue(), func(v *descriptorpb.EnumValueDescriptorProto) bool { return v.GetNumber() == 3 })
				}
			}
			for _, service := range file.GetService() {
				service.Method = slices.DeleteFunc(service.GetMethod(), func(m *descriptorpb.MethodDescriptorProto) bool { return m.GetName() == "EndRun" })
			}
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var newer = &conformancev1.Vector{Name: "v", Gateway: []*conformancev1.Answer{{Response: &toolgatev1.CallToolResponse{
	Outcome: &toolgatev1.CallToolResponse_Error{Error: &toolgatev1.ToolError{
		ErrorClass: toolgatev1.ErrorClass_ERROR_CLASS_TERMINAL, Code: "c", Note: "later",
	}},
}}}}

func TestTheOldestReleaseIsTheFirstOfTheNewestMajor(t *testing.T) {
	whole := &fstest.MapFile{Data: image(t, func(*descriptorpb.FileDescriptorSet) {})}
	for want, all := range map[string][]string{
		"v0.10.0": {"v0.1.0", "v0.9.0", "v0.10.0"},
		"v1.0.0":  {"v0.2.0", "v1.0.0", "v1.10.0", "v1.2.0"},
		"v2.0.1":  {"v1.0.0", "v2.1.0", "v2.0.1"},
	} {
		folder := fstest.MapFS{}
		for _, version := range all {
			folder[version+".binpb"] = whole
		}
		if got, err := oldest(folder); err != nil || got.version != want {
			t.Errorf("of %v it is %v, %v", all, got, err)
		}
	}
	for name, folder := range map[string]fstest.MapFS{
		"no v*.binpb": {}, "v1.0.0": {"v1.0.0.binpb": {Data: []byte("?")}}, "has no": {"v1.0.0.binpb": {}},
	} {
		if _, err := oldest(folder); err == nil || !strings.Contains(err.Error(), name) {
			t.Error(name, err)
		}
	}
}

func TestAnOldClientKnowsNothingOfWhatCameLater(t *testing.T) {
	target, stop, err := startFuture(newer)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	got := play(t, older(t), target)
	if got.GetErrorClass() != "terminal" || got.GetError().GetErrorClass() != 3 || got.GetError().GetNote() != "" || got.GetCode() != "c" {
		t.Error(got)
	}
}

func TestAnOldGatewaySaysNothingOfWhatCameLater(t *testing.T) {
	gateway, stop, err := startFuture(newer)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	target, stopHop, err := startHop(gateway, 0, older(t))
	if err != nil {
		t.Fatal(err)
	}
	defer stopHop()
	everything, err := oldest(os.DirFS("../../proto/baseline"))
	if err != nil {
		t.Fatal(err)
	}
	got := play(t, everything, target)
	if got.GetErrorClass() != "terminal" || got.GetError().GetErrorClass() != 0 || got.GetError().GetNote() != "" || got.GetCode() != "c" {
		t.Error(got)
	}
	response, err := (&oldClient{past: everything}).execute(t.Context(), &conformancev1.ExecuteRequest{
		Connection: &conformancev1.Connection{Target: target},
		Action:     &conformancev1.Action{Kind: &conformancev1.Action_EndRun{EndRun: &conformancev1.EndRun{}}},
	})
	if err != nil || response.GetOutcomes()[0].GetRpc().GetCode() != "UNIMPLEMENTED" {
		t.Error(response, err)
	}
}

func play(t *testing.T, p *past, target string) *conformancev1.Failed {
	t.Helper()
	response, err := (&oldClient{past: p}).execute(t.Context(), &conformancev1.ExecuteRequest{
		Connection: &conformancev1.Connection{Target: target}, RunId: "r",
		Action: &conformancev1.Action{Kind: &conformancev1.Action_Call{Call: &toolgatev1.ToolCall{Tool: "t"}}},
	})
	if err != nil || len(response.GetOutcomes()) != 1 {
		t.Fatal(response, err)
	}
	return response.GetOutcomes()[0].GetFailed()
}

// What is expected of either side is what it can know.
func TestExpectationsAreThoseOfTheSideThatKnowsLess(t *testing.T) {
	step := &conformancev1.Step{Outcomes: []*conformancev1.Expected{{
		Outcome: &conformancev1.Expected_Error{Error: newer.GetGateway()[0].GetResponse().GetError()},
	}}}
	client := (&player{past: older(t), program: &oldClient{}}).expected(step).GetOutcomes()[0].GetError()
	if client.GetNote() != "" || client.GetErrorClass() != 3 {
		t.Error("of an old client:", client)
	}
	gateway := (&player{past: older(t), program: &program{}}).expected(step).GetOutcomes()[0].GetError()
	if gateway.GetNote() != "" || gateway.GetErrorClass() != 0 {
		t.Error("of an old gateway:", gateway)
	}
	if got := (&player{program: &program{}}).expected(step); got != step {
		t.Error("where both know everything:", got)
	}
}

func TestTheVerySamplesAreSent(t *testing.T) {
	vectors, err := loadSamples(fstest.MapFS{
		"v1.0.0.samples.yaml": {Data: []byte(`samples: [
			{name: a, type: toolgate.v1.CallToolResponse, encoded: EgMSAWM=, json: '{"error":{"code":"c"}}'},
			{name: b, type: toolgate.v1.CallToolResponse, encoded: "", json: '{}'},
			{name: c, type: toolgate.v1.EndRunResponse, encoded: CgIgBw==, json: '{"run":{"calls":"7"}}'},
			{name: d, type: toolgate.v1.CallToolRequest, encoded: CgFy, json: '{"runId":"r"}'}]`)},
		"v0.2.0.samples.yaml": {Data: []byte("samples: [{name: a, type: toolgate.v1.EndRunResponse, json: '{}'}]")},
	})
	if err != nil || len(vectors) != 3 {
		t.Fatal(vectors, err)
	}
	for i, name := range []string{"v1-0-0-wrote-these-outcomes", "v1-0-0-wrote-these-summaries", "v1-0-0-wrote-these-outcomes-in-parallel-1"} {
		if vectors[i].GetName() != name || faultOf(vectors[i], map[string]bool{}) != "" {
			t.Error(vectors[i])
		}
	}
	if vectors[1].GetSteps()[0].GetCalls() != 7 || vectors[2].GetSteps()[0].GetOutcomes()[1].GetRpc() == nil {
		t.Error(vectors)
	}
	target, stop, err := startFuture(vectors[0])
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	everything, err := oldest(os.DirFS("../../proto/baseline"))
	if err != nil {
		t.Fatal(err)
	}
	if got := play(t, everything, target); got.GetCode() != "c" {
		t.Error(got)
	}
	if _, err := loadSamples(fstest.MapFS{"v1.0.0.samples.yaml": {Data: []byte("samples: [{name: a, type: toolgate.v1.CallToolResponse, json: '{'}]")}}); err == nil {
		t.Error("a sample that is no JSON")
	}
}
