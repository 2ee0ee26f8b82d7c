package cli_test

import (
	"testing"

	"toolgate.dev/toolgate/internal/cli"
)

func TestTheSchemaThatIsPrintedIsTheOneThatEditorsFind(t *testing.T) {
	got := run(t, cli.Program{Terminal: true}, "schema")
	if want := readFile(t, "../../docs/catalog.schema.json"); got.code != 0 || got.out != want || got.err != "" {
		t.Errorf("got %+v", got)
	}
	if got := run(t, cli.Program{}, "schema", "x"); got.code != 1 {
		t.Errorf("got %+v", got)
	}
}
