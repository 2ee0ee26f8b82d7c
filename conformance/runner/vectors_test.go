package runner

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

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

// frozenNames are the names that the newest release of the contract promises: those
// that begin with `code ` or `observation `.
func frozenNames(t *testing.T, kind string) (names []string) {
	t.Helper()
	tables, err := filepath.Glob("../../proto/baseline/v*.names")
	if err != nil || len(tables) == 0 {
		t.Fatal("no tables of names", err)
	}
	newest := slices.MaxFunc(tables, func(a, b string) int {
		return slices.Compare(numbersOf(filepath.Base(a)), numbersOf(filepath.Base(b)))
	})
	table, err := os.ReadFile(newest)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), kind+" "); ok {
			names = append(names, name)
		}
	}
	return names
}

// expectedOf lists the errors that vectors expect of the gateway itself, not of one
// that answers from the vector.
func expectedOf(t *testing.T) (errors []*toolgatev1.ToolError) {
	t.Helper()
	for _, vector := range load(t) {
		for _, step := range vector.GetSteps() {
			for _, want := range step.GetOutcomes() {
				if want.GetError() != nil && vector.GetCatalog() != "" {
					errors = append(errors, want.GetError())
				}
			}
		}
	}
	return errors
}

func TestTheVectorsProvokeEveryClassAndEveryCodeOfTheGateway(t *testing.T) {
	classes, codes := map[toolgatev1.ErrorClass]bool{}, map[string]bool{}
	for _, e := range expectedOf(t) {
		classes[e.GetErrorClass()], codes[e.GetCode()] = true, true
	}
	for number, name := range toolgatev1.ErrorClass_name {
		if !classes[toolgatev1.ErrorClass(number)] && number != 0 { // which the gateway never sends on purpose
			t.Error("no vector ends in", name)
		}
	}
	promised := frozenNames(t, "code")
	if len(promised) < 16 {
		t.Error("the table of names has only", promised)
	}
	for _, code := range promised {
		if !codes[code] {
			t.Error("no vector provokes", code)
		}
	}
}

func TestTheVectorsShowEveryKeyOfTheObservation(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range expectedOf(t) {
		var observation any
		if err := json.Unmarshal([]byte(e.GetObservation()), &observation); err != nil {
			t.Errorf("%s: %v", e.GetObservation(), err)
		}
		noteKeys("", observation, seen)
	}
	for _, key := range frozenNames(t, "observation") {
		if !seen[key] {
			t.Error("no vector shows", key)
		}
	}
}

func noteKeys(prefix string, value any, seen map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			seen[prefix+key] = true
			noteKeys(prefix+key+".", inner, seen)
		}
	case []any:
		for _, inner := range value {
			noteKeys(strings.TrimSuffix(prefix, ".")+"[].", inner, seen)
		}
	}
}

// Whatever a violation and an alternative may hold is in some vector of the gateway's.
func TestTheVectorsShowEveryShapeOfAViolationAndAnAlternative(t *testing.T) {
	seen := map[string]bool{}
	note := func(message proto.Message) {
		message.ProtoReflect().Range(func(field protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
			seen[string(field.FullName())] = true
			return true
		})
	}
	for _, e := range expectedOf(t) {
		note(e)
		for _, violation := range e.GetViolations() {
			note(violation)
		}
		for _, alternative := range e.GetAlternatives() {
			note(alternative)
		}
	}
	for _, message := range []proto.Message{&toolgatev1.ToolError{}, &toolgatev1.Violation{}, &toolgatev1.Alternative{}} {
		fields := message.ProtoReflect().Descriptor().Fields()
		for i := range fields.Len() {
			// A correlation id is another in each call.
			if name := string(fields.Get(i).FullName()); !seen[name] && fields.Get(i).Name() != "correlation_id" {
				t.Error("no vector shows", name)
			}
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
