package openapi

import (
	"os"
	"testing"

	"toolgate.dev/toolgate/internal/arguments"
	"toolgate.dev/toolgate/internal/openapi"
	"toolgate.dev/toolgate/internal/peertest"
)

// A schema that was cut must take whatever the whole one takes.
func TestWhatIsCutTakesWhateverTheWholeTakes(t *testing.T) {
	for peer, file := range map[string]string{"stripe": "stripe.json", "github": "github.json", "figma": "figma.yaml"} {
		peertest.Check(t, peer, file, func(t *testing.T) {
			data, err := os.ReadFile(document(t, file))
			if err != nil {
				t.Fatal(err)
			}
			d, err := openapi.Read(data)
			if err != nil {
				t.Fatal(err)
			}
			whole := described(t, d, 1<<20)
			refuses(t, smallLimit, whole, described(t, d, smallLimit))
		})
	}
}

// smallLimit cuts several hundred schemas.
const smallLimit = 600

func described(t *testing.T, d *openapi.Document, limit int) map[string]openapi.Described {
	t.Helper()
	found, err := d.Describe(openapi.Settings{MaxSchemaBytes: limit})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]openapi.Described{}
	for _, one := range found.Tools {
		all[one.Tool.GetName()] = one
	}
	return all
}

func refuses(t *testing.T, limit int, whole, cut map[string]openapi.Described) {
	t.Helper()
	tried := 0
	for name, one := range cut {
		if !one.Cut {
			continue
		}
		schema, err := arguments.Compile(name, []byte(one.Tool.GetInputSchema()))
		if err != nil {
			t.Errorf("%s, limit %d: %v", name, limit, err)
			continue
		}
		tried++
		for _, all := range []bool{false, true} {
			text := sample(whole[name].Tool.GetInputSchema(), all)
			if checked := schema.Check(text); checked.Fault != nil || len(checked.Coercions) > 0 {
				t.Errorf("%s, limit %d: %v %v\n%s", name, limit, checked.Fault.GetMessage(), checked.Coercions, text)
			}
		}
	}
	t.Logf("limit %d: %d of %d schemas were cut", limit, tried, len(cut))
}
