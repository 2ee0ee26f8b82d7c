package once

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"testing"

	"toolgate.dev/toolgate/interceptors"
)

// The sum is the same in every process: replicas compare theirs.
func TestSamenessIsASumOfToolAndText(t *testing.T) {
	var d digests
	for _, text := range []string{"", "{}", strings.Repeat("a", 1024), strings.Repeat("é", 5000)} {
		want := sha256.Sum256(append(append(binary.BigEndian.AppendUint64(nil, 4), "tool"...), text...))
		for range 2 {
			if got := d.sameness(&interceptors.Call{Name: "tool", Text: text}); got != want {
				t.Errorf("%d bytes: %x, want %x", len(text), got, want)
			}
		}
	}
	if d.sameness(&interceptors.Call{Name: "ab", Text: "c"}) == d.sameness(&interceptors.Call{Name: "a", Text: "bc"}) {
		t.Error("name and text run into one another")
	}
}
