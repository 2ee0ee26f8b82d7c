package cases

import (
	"bufio"
	"bytes"
	"flag"
	"os"
	"testing"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/diagnose"
	"toolgate.dev/toolgate/internal/observation"
)

var (
	casesFile   = flag.String("cases", "", "recorded failures to answer, JSON lines")
	answersFile = flag.String("answers", "", "where to write the answers")
)

// It is a tool for whoever judges the judgement, and needs a file of cases:
//
//	go test ./internal/diagnose/cases -run AnswersToAFile -cases FILE -answers FILE
func TestAnswersToAFile(t *testing.T) {
	if *casesFile == "" || *answersFile == "" {
		t.Skip("it answers recorded failures, run it with -cases FILE -answers FILE")
	}
	text, err := os.ReadFile(*casesFile)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := diagnose.New()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		c, err := Read(lines.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		e, _ := engine.Diagnose(c.Input())
		if e != nil {
			if e.GetErrorClass() == interceptors.Transient && e.RetryAfter == nil {
				step := 1.0
				e.RetryAfter = &step
			}
			observation.Finish("tool", e)
		}
		line, err := Answer(c.ID, e)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(line, '\n'))
	}
	if err := os.WriteFile(*answersFile, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
