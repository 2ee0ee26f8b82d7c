package methods

import (
	"encoding/json"
	"testing"
)

// No description of a stranger does more than fail.
func FuzzDescription(f *testing.F) {
	f.Add(shopSet)
	f.Add([]byte("\x0a\x03\x0a\x01a"))
	f.Fuzz(func(t *testing.T, set []byte) {
		services, err := Parse(set)
		if err != nil {
			return
		}
		for _, method := range services.Methods() {
			if method.Missing() {
				continue
			}
			_, _ = method.Description(), method.Effect()
			if schema := method.Schema(); !json.Valid([]byte(schema)) {
				t.Errorf("%s: %s", method.Name(), schema)
			}
			if encoded, err := method.Encode([]byte(`{}`), "", ""); err == nil {
				_, _, _ = method.Render(nil, encoded, 1000)
			}
		}
	})
}
