package expression_test

import (
	"strings"
	"testing"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/expression"
)

func TestALookupAsksAndReadsWithoutLosingADigit(t *testing.T) {
	lookup, err := compiler(t).Lookup("book_slot", &catalogv1.AlternativesLookup{
		Tool:      "find_slots",
		Arguments: `{"service": arguments.service, "around": arguments.start, "id": arguments.id, "max": arguments.max, "code": error.code}`,
		Items: `result.slots.filter(s, s.start != arguments.start).sortBy(s, s.distance).map(s, {
			"arguments": {"start": s.start, "price": s.price, "extra": s.extra, "a": 1, "when": timestamp(s.start)},
			"label": s.start + " with " + s.who, "tool": s.?tool.orValue("")})`,
	})
	if err != nil {
		t.Fatal(err)
	}
	if lookup.Tool != "find_slots" {
		t.Errorf("tool %s", lookup.Tool)
	}
	arguments := []byte(`{"service":"s1","start":"2026-03-12T14:30:00Z","id":12345678901234567890123,"max":150.00}`)
	failed := &toolgatev1.ToolError{Code: "slot_unavailable"}
	asked, err := lookup.Arguments(arguments, failed)
	want := `{"service":"s1","around":"2026-03-12T14:30:00Z","id":12345678901234567890123,"max":150.00,"code":"slot_unavailable"}`
	if err != nil || string(asked) != want {
		t.Errorf("asked %s (%v), want %s", asked, err, want)
	}
	result := &toolgatev1.ToolResult{StructuredJson: `{"slots":[
		{"start":"2026-03-12T16:00:00Z","distance":2,"price":20,"who":"p_17","extra":{"z": 1.50, "b": [ 1 ]}},
		{"start":"2026-03-12T14:30:00Z","distance":0,"price":20,"who":"p_17","extra":null},
		{"start":"2026-03-12T14:45:00Z","distance":1,"price":19.90,"who":"p_9","extra":"<&>","tool":"book_other"}]}`}
	items, err := lookup.Items(result, arguments, failed)
	if err != nil || len(items) != 2 {
		t.Fatalf("got %v (%v)", items, err)
	}
	if got := items[0]; got.GetTool() != "book_other" || got.GetLabel() != "2026-03-12T14:45:00Z with p_9" ||
		got.GetArgumentsJson() != `{"start":"2026-03-12T14:45:00Z","price":19.90,"extra":"<&>","a":1,"when":"2026-03-12T14:45:00Z"}` {
		t.Errorf("got %v", got)
	}
	if got := items[1]; got.GetTool() != "book_slot" || !strings.Contains(got.GetArgumentsJson(), `"extra":{"z":1.50,"b":[1]}`) {
		t.Errorf("got %v", got)
	}
}

func TestALookupThatFailsSaysSo(t *testing.T) {
	failures := 0
	lookup, err := compiler(t, expression.WithFailureHook(func(expression.Failure) { failures++ })).
		Lookup("a", &catalogv1.AlternativesLookup{Tool: "b", Arguments: `arguments.who`, Items: `result.rows`})
	if err != nil {
		t.Fatal(err)
	}
	for name, arguments := range map[string]string{"missing": `{}`, "no map": `{"who":"x"}`} {
		if got, err := lookup.Arguments([]byte(arguments), nil); err == nil {
			t.Errorf("%s: got %s", name, got)
		}
	}
	text := &toolgatev1.ToolResult{Content: []*toolgatev1.ContentBlock{{Block: &toolgatev1.ContentBlock_Text{Text: &toolgatev1.TextBlock{Text: "no rows"}}}}}
	if got, err := lookup.Items(text, nil, nil); err == nil {
		t.Errorf("text: got %v", got)
	}
	odd := &toolgatev1.ToolResult{StructuredJson: `{"rows":[1,{"label":"x"},{"arguments":7},{"arguments":{"ok":true},"label":5}]}`}
	got, err := lookup.Items(odd, nil, nil)
	if err != nil || len(got) != 1 || got[0].GetArgumentsJson() != `{"ok":true}` || got[0].GetLabel() != "" {
		t.Errorf("odd items: got %v (%v)", got, err)
	}
	if failures != 6 {
		t.Errorf("%d failures were counted, want 6", failures)
	}
}

func TestALookupIsCheckedWhenItLoads(t *testing.T) {
	_, err := compiler(t).Lookup("a", &catalogv1.AlternativesLookup{Tool: "b", Arguments: `"x"`, Items: `status`})
	faults, ok := err.(expression.Faults)
	if !ok || len(faults) != 2 || faults[0].Path != "arguments" || faults[1].Path != "items" || faults[0].Accepted == "" {
		t.Errorf("got %v", err)
	}
}
