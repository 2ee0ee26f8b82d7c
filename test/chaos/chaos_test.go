package chaos

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if IsBackend() {
		fmt.Fprintln(os.Stderr, ServeBackend())
		os.Exit(1) //nolint:forbidigo // here it is the back end
	}
	os.Exit(m.Run()) //nolint:forbidigo // as TestMain does
}

func TestNoCallIsLostOrDoubledWhileThingsBreak(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{
		Toolgate: filepath.Join(t.TempDir(), "toolgate"), Toxiproxy: filepath.Join(root, ".bin", "toxiproxy"),
		Redis: filepath.Join(root, ".bin"), Short: true, Lasts: 2 * time.Second, Mends: time.Second, Bound: 3 * time.Minute,
		Workers: 24, Rate: 150,
	}
	if !executable(o.Toxiproxy) {
		t.Fatal("toxiproxy is missing: run `make peers`")
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", o.Toolgate, "toolgate.dev/toolgate/cmd/toolgate")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	report, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	report.Print(&text)
	t.Log(text.String())
	if report.Failed() {
		t.Error("the gateway broke its word")
	}
	if report.Verdict.Calls < 500 || report.Verdict.Effects < 100 || report.Absences < replicas {
		t.Error("too little happened: this shows nothing")
	}
}
