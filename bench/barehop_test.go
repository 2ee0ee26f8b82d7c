package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"
)

// frozen is the SHA-256 of the bare hop's source.
const frozen = "5f0e233ce560b35946b654c913a197d19ef921923f8ae7a3423c72f7e4b5cfda"

// Figures are comparable over time only against the same bare hop. Whoever
// changes it on purpose writes the new sum here, and in docs/performance.md that
// older figures are of another one.
func TestTheBareHopIsFrozen(t *testing.T) {
	source, err := os.ReadFile("barehop/main.go")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(source)
	if got := hex.EncodeToString(sum[:]); got != frozen {
		t.Errorf("the sum is %s: the bare hop has changed", got)
	}
}
