package cli_test

import (
	"strings"
	"testing"

	"toolgate.dev/toolgate/internal/cli"
)

func TestWhatCompletionProposes(t *testing.T) {
	address := serveGateway(t, &booking{})
	for _, tc := range []struct {
		name string
		args []string
		want string // without descriptions
	}{
		{"tools", []string{"call", ""}, "book"},
		{"tools, for one page", []string{"tools", ""}, "book"},
		{"nothing behind the page", []string{"tools", "book", ""}, ""},
		{"arguments, required ones first", []string{"call", "book", ""}, "class= day= seats= api_key= note="},
		{"arguments that are not given yet", []string{"call", "book", "class=first", "seats:=2", ""}, "day= api_key= note="},
		{"arguments behind flags", []string{"call", "--run", "r", "book", "da"}, "class= day= seats= api_key= note="},
		{"listed values", []string{"call", "book", "class="}, "class=first class=second"},
		{"no values where none are listed", []string{"call", "book", "day="}, ""},
		{"nothing of an unknown tool", []string{"call", "bok", ""}, ""},
		{"tools for a flag", []string{"report", "--tool", ""}, "book"},
		{"classes for a flag", []string{"tail", "--class", ""}, "result transient invalid_request terminal abandoned"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := run(t, cli.Program{}, append([]string{"__complete", "--gateway", address}, tc.args...)...)
			var proposed []string
			for line := range strings.Lines(got.out) {
				word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
				if word != "" && !strings.HasPrefix(word, ":") {
					proposed = append(proposed, word)
				}
			}
			if all := strings.Join(proposed, " "); all != tc.want || got.code != 0 {
				t.Errorf("got %q of %+v, want %q", all, got, tc.want)
			}
		})
	}
}

func TestCompletionWithoutAGatewayIsSilent(t *testing.T) {
	got := run(t, cli.Program{}, "__complete", "--gateway", "127.0.0.1:1", "call", "")
	if got.code != 0 || !strings.HasPrefix(got.out, ":4\n") {
		t.Errorf("got %+v", got)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if got := run(t, cli.Program{}, "completion", shell); got.code != 0 || !strings.Contains(got.out, "toolgate") {
			t.Errorf("%s: got %.200s", shell, got.out)
		}
	}
}
