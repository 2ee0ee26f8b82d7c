package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"buf.build/go/protoyaml"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	conformancev1 "toolgate.dev/toolgate/gen/go/toolgate/conformance/v1"
)

// Every release leaves messages as it wrote them, in bytes and in ProtoJSON. This
// code reads them alike; `make conformance` has every SDK read them.
func TestWhatEveryReleaseWroteIsReadAlike(t *testing.T) {
	if publishes(t, ".samples.yaml", samplesFile(t)) {
		return
	}
	kept := 0
	for _, version := range versions(t) {
		if version == withoutTables {
			continue
		}
		samples := readSamples(t, version)
		kept += len(samples)
		for _, sample := range samples {
			if fault := sampleFault(sample); fault != "" {
				t.Errorf("%s: %s of %s: %s", version, sample.GetName(), sample.GetType(), fault)
			}
		}
	}
	if kept == 0 {
		t.Error("no release left any message")
	}
}

func readSamples(t *testing.T, version string) []*conformancev1.Sample {
	t.Helper()
	file := filepath.Join(baselines, version+".samples.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var read conformancev1.Samples
	if err := (protoyaml.UnmarshalOptions{Path: file}).Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	return read.GetSamples()
}

// sampleFault tells what became of a message that was written once.
func sampleFault(sample *conformancev1.Sample) string {
	kind, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(sample.GetType()))
	if err != nil {
		return "its type is gone"
	}
	decoded, parsed := kind.New().Interface(), kind.New().Interface()
	if err := proto.Unmarshal(sample.GetEncoded(), decoded); err != nil {
		return "its bytes are not read: " + err.Error()
	}
	if err := protojson.Unmarshal([]byte(sample.GetJson()), parsed); err != nil {
		return "its ProtoJSON is not read: " + err.Error()
	}
	if !proto.Equal(decoded, parsed) {
		return fmt.Sprintf("its bytes are %v, and its ProtoJSON is %v", decoded, parsed)
	}
	again, err := protojson.Marshal(decoded)
	if err != nil {
		return err.Error()
	}
	var was, is any
	if err := json.Unmarshal([]byte(sample.GetJson()), &was); err != nil {
		return err.Error()
	}
	if err := json.Unmarshal(again, &is); err != nil {
		return err.Error()
	}
	if !reflect.DeepEqual(was, is) { // a name that is still read and no longer written
		return fmt.Sprintf("it is written otherwise now: %s", again)
	}
	return ""
}

func TestEachChangeOfASampleIsSeen(t *testing.T) {
	good := func() *conformancev1.Sample {
		return &conformancev1.Sample{
			Type: "toolgate.v1.ToolError", Encoded: []byte("\x08\x01\x12\x04busy"), Json: `{"class":"ERROR_CLASS_TRANSIENT","code":"busy"}`,
		}
	}
	if fault := sampleFault(good()); fault != "" {
		t.Error(fault)
	}
	for name, change := range map[string]func(*conformancev1.Sample){
		"a type that is gone":       func(s *conformancev1.Sample) { s.Type = "toolgate.v1.ToolFailure" },
		"a number that moved":       func(s *conformancev1.Sample) { s.Encoded[2] = '\x1a' },
		"a number that is gone":     func(s *conformancev1.Sample) { s.Encoded = append(s.Encoded, "\xd2\x3e\x01x"...) },
		"a type of another wire":    func(s *conformancev1.Sample) { s.Encoded = append(s.Encoded, "\x8d\x01\x01\x02\x03\x04"...) },
		"a JSON name that is gone":  func(s *conformancev1.Sample) { s.Json = `{"kind":"ERROR_CLASS_TRANSIENT","code":"busy"}` },
		"a JSON name that is alias": func(s *conformancev1.Sample) { s.Json = `{"error_class":"ERROR_CLASS_TRANSIENT","code":"busy"}` },
		"a value that is gone":      func(s *conformancev1.Sample) { s.Json = `{"class":"ERROR_CLASS_LATER","code":"busy"}` },
		"bytes that are cut":        func(s *conformancev1.Sample) { s.Encoded = s.Encoded[:5] },
	} {
		sample := good()
		change(sample)
		if sampleFault(sample) == "" {
			t.Errorf("%s: nothing is said", name)
		}
	}
}

// samplesFile is what this code writes, as a file of samples.
func samplesFile(t *testing.T) string {
	t.Helper()
	file := &conformancev1.Samples{}
	taken := map[string]bool{}
	for _, one := range slices.Concat(toldInVectors(t), everyMember()) {
		encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(one.message)
		if err != nil {
			t.Fatal(err)
		}
		text, err := protojson.Marshal(one.message)
		if err != nil {
			t.Fatal(err)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, text); err != nil {
			t.Fatal(err)
		}
		kind := string(one.message.ProtoReflect().Descriptor().FullName())
		if taken[kind+one.name] {
			t.Fatalf("two samples of %s are called %s", kind, one.name)
		}
		taken[kind+one.name] = true
		file.Samples = append(file.Samples, &conformancev1.Sample{Name: one.name, Type: kind, Encoded: encoded, Json: compact.String()})
	}
	text, err := protoyaml.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheSamplesOfTodayCoverTheContract(t *testing.T) {
	var today conformancev1.Samples
	if err := protoyaml.Unmarshal([]byte(samplesFile(t)), &today); err != nil {
		t.Fatal(err)
	}
	seen := map[protoreflect.FullName]bool{}
	for _, sample := range today.GetSamples() {
		if fault := sampleFault(sample); fault != "" {
			t.Errorf("%s of %s: %s", sample.GetName(), sample.GetType(), fault)
			continue
		}
		kind, _ := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(sample.GetType()))
		message := kind.New().Interface()
		if err := proto.Unmarshal(sample.GetEncoded(), message); err != nil {
			t.Fatal(err)
		}
		note(message.ProtoReflect(), seen)
	}
	for _, e := range allElements(t) {
		if e.kind != "field" && e.kind != "value" {
			continue
		}
		if name := protoreflect.FullName(e.name); !seen[name] {
			t.Errorf("no sample has %s", name)
		}
	}
}

func allElements(t *testing.T) []element {
	t.Helper()
	elements, err := readElements("../../proto/toolgate/v1")
	if err != nil {
		t.Fatal(err)
	}
	return elements
}

// note tells which fields and values a message holds.
func note(message protoreflect.Message, seen map[protoreflect.FullName]bool) {
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		seen[field.FullName()] = true
		switch {
		case field.IsList() && field.Message() != nil:
			for i := range value.List().Len() {
				note(value.List().Get(i).Message(), seen)
			}
		case field.IsList():
		case field.Message() != nil:
			note(value.Message(), seen)
		case field.Enum() != nil:
			if named := field.Enum().Values().ByNumber(value.Enum()); named != nil {
				seen[field.Enum().FullName()+"."+protoreflect.FullName(named.Name())] = true
			}
		}
		return true
	})
	for i := range message.Descriptor().Fields().Len() { // a zero is written as nothing
		if field := message.Descriptor().Fields().Get(i); field.Enum() != nil && !field.IsList() && !message.Has(field) {
			seen[field.Enum().FullName()+"."+protoreflect.FullName(field.Enum().Values().Get(0).Name())] = true
		}
	}
}
