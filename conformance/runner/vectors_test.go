package runner

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	conformancev1 "toolgate.dev/toolgate/gen/go/toolgate/conformance/v1"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

func load(t *testing.T) []*conformancev1.Vector {
	t.Helper()
	vectors, err := Load(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	return vectors
}

// The vectors cover the contract: every class, and every code that is the
// gateway's own.
func TestTheVectorsCoverEveryClassAndEveryCodeOfTheGateway(t *testing.T) {
	classes, codes := map[toolgatev1.ErrorClass]bool{}, map[string]bool{}
	for _, vector := range load(t) {
		for _, step := range vector.GetSteps() {
			for _, want := range step.GetOutcomes() {
				classes[want.GetError().GetErrorClass()] = true
				codes[want.GetError().GetCode()] = true
			}
		}
	}
	for number, name := range toolgatev1.ErrorClass_name {
		if !classes[toolgatev1.ErrorClass(number)] {
			t.Error("no vector ends in", name)
		}
	}
	for code := range strings.FieldsSeq(`unknown_tool malformed_json invalid_arguments arguments_too_large rejection_cap
		outcome_unknown already_executed circuit_open cooling_down busy run_budget deadline_too_short call_id_reused
		timeout unreachable internal`) {
		if !codes[code] {
			t.Error("no vector ends in", code)
		}
	}
}

func TestAVectorThatCanNotBePlayedIsRefused(t *testing.T) {
	const steps = "steps: [{action: {end_run: {}}}]"
	for name, text := range map[string]string{
		"words of a-z":      "vectors: [{name: Not This, catalog: c, " + steps + "}]",
		"another vector":    "vectors: [{name: a, catalog: c, " + steps + "}, {name: a, catalog: c, " + steps + "}]",
		"it has no steps":   "vectors: [{name: a, catalog: c}]",
		"either a catalog":  "vectors: [{name: a, " + steps + "}]",
		"without an action": "vectors: [{name: a, catalog: c, steps: [{}]}]",
		"unknown field":     "vectors: [{name: a, catalogue: c}]",
		"file.yaml:1":       "vectors: 1",
	} {
		_, err := Load(fstest.MapFS{"file.yaml": {Data: []byte(text)}})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAFileSharesItsCatalogue(t *testing.T) {
	vectors, err := Load(fstest.MapFS{"file.yaml": {Data: []byte(
		"catalog: shared\nvectors: [{name: a, steps: [{action: {end_run: {}}}]}, {name: b, catalog: own, steps: [{action: {end_run: {}}}]}]")}})
	if err != nil || vectors[0].GetCatalog() != "shared" || vectors[1].GetCatalog() != "own" {
		t.Error(vectors, err)
	}
}
