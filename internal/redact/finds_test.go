package redact_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"toolgate.dev/toolgate/internal/redact"
)

func TestWhatWentFromOneTextSurvivesInNoOther(t *testing.T) {
	r := redact.New(nil)
	for kind, secret := range plantedSecrets() {
		keep := redact.KeepFrom(nil)
		r.Text("it was "+secret.text+" there", keep)
		bare := "bare " + secret.core + " here"
		if strings.Contains(keep.Sweep(bare), secret.core) && kind != "a file" && kind != "an identity" {
			t.Errorf("%s: %s", kind, keep.Sweep(bare))
		}
		if later := r.Text(bare, keep); strings.Contains(later, secret.core) {
			t.Errorf("%s in a later text: %s", kind, later)
		}
	}
}

func TestASweepLeavesOrdinaryWordsAndJSONAlone(t *testing.T) {
	keep := redact.KeepFrom(nil)
	redact.New(nil).Text(`password "letter" and password=hunter-2x and user ID 90210077`, keep)
	if got, want := keep.Sweep("a letter to hunter-2x of 90210077x"), "a letter to [secret] of 90210077x"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := keep.SweepJSON(`{"a":90210077,"b":["hunter-2x",1.50]}`), `{"a":"[secret]","b":["[secret]",1.50]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if in := `{"a": 1}`; keep.SweepJSON(in) != in {
		t.Error("JSON without anything to remove was written anew")
	}
}

func TestAKeepMayBeShared(t *testing.T) {
	keep, r := redact.KeepFrom([]byte(`{"password":"hunter-2x"}`)), redact.New(nil)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 50 {
				if out := r.Text(fmt.Sprintf("token=a1b2c3d4%d%d hunter-2x", i, j), keep); strings.Contains(keep.Sweep(out), "hunter") {
					t.Error(out)
				}
			}
		})
	}
	all.Wait()
}
