package diagnose_test

import (
	"testing"

	"toolgate.dev/toolgate/internal/diagnose"
)

// A tool's own body may say an alternative in several spellings, or be the bare
// arguments of the tool that failed.
func TestTheAlternativesOfATool(t *testing.T) {
	const none = "-"
	tool := toolOf(reads)
	tool.Diagnosis.SpeaksToolgate = true
	for written, want := range map[string][3]string{
		`{"tool":"book","arguments":{"a":1},"label":"l"}`:           {"book", `{"a":1}`, "l"},
		`{"tool":"book","arguments":{"a":1},"note":"new"}`:          {"book", `{"a":1}`, ""},
		`{"tool":"book","argumentsJson":"{\"a\":1.10}","label":""}`: {"book", `{"a":1.10}`, ""},
		`{"tool":"book","arguments_json":"","label":""}`:            {"book", "", ""},
		`{"tool":"book","argumentsJson":"","label":"l"}`:            {"book", "", "l"},
		`{"tool":"book","arguments":{}}`:                            {"book", "{}", ""},
		`{"tool":"book","arguments":null,"label":"l"}`:              {"book", "", "l"},
		`{"tool":"book","label":"l"}`:                               {"book", "", "l"},
		`{"tool":"book"}`:                                           {"book", "", ""},
		`{"arguments":{"a":1},"label":"l"}`:                         {"", `{"a":1}`, "l"},
		`{"arguments":{},"label":"l"}`:                              {"", "{}", "l"},
		`{"a":1}`:                                                   {"", `{"a":1}`, ""},
		`{"tool":7,"label":"bare"}`:                                 {"", `{"tool":7,"label":"bare"}`, ""},
		`{"tool":"hammer","size":3}`:                                {"", `{"tool":"hammer","size":3}`, ""},
		`{"arguments":null,"label":"bug"}`:                          {"", `{"arguments":null,"label":"bug"}`, ""},
		`{"arguments":[],"label":"x"}`:                              {"", `{"arguments":[],"label":"x"}`, ""},
		`"a text"`:                                                  {none},
		`null`:                                                      {none},
	} {
		body := `{"error":"taken","class":"terminal","message":"Taken.","alternatives":[` + written + `]}`
		e, _ := engine(t).Diagnose(diagnose.Input{Tool: tool, Reply: answered(422, body)})
		got := [3]string{none}
		if all := e.GetAlternatives(); len(all) > 0 {
			got = [3]string{all[0].GetTool(), all[0].GetArgumentsJson(), all[0].GetLabel()}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", written, got, want)
		}
	}
}
