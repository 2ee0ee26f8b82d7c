// Package deploy_test holds the deployment files against the program.
package deploy_test

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"toolgate.dev/toolgate/internal/cli"
	"toolgate.dev/toolgate/server/catalog"
)

var flag = regexp.MustCompile(`--[a-z][a-z-]+`)

// serveFlags asks the program itself.
func serveFlags(t *testing.T) []string {
	t.Helper()
	var out bytes.Buffer
	if code := cli.Run(context.Background(), cli.Program{Args: []string{"serve", "--help"}, Stdout: &out, Stderr: &out}); code != 0 {
		t.Fatalf("serve --help: %s", out.String())
	}
	return flag.FindAllString(out.String(), -1)
}

func TestEveryFlagThatIsDeployedExists(t *testing.T) {
	known := serveFlags(t)
	for file, line := range map[string]string{
		"systemd/toolgate.service": "ExecStart=", "container/Containerfile": "ENTRYPOINT", "kubernetes/toolgate.yaml": "args:",
	} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for text := range strings.SplitSeq(string(data), "\n") {
			if strings.HasPrefix(text, "#") || !strings.Contains(text, line) && !strings.HasPrefix(text, "CMD") {
				continue
			}
			for _, used := range flag.FindAllString(text, -1) {
				found++
				if !slices.Contains(known, used) {
					t.Errorf("%s uses %s, which serve does not know", file, used)
				}
			}
		}
		if found == 0 {
			t.Errorf("%s: no flag was found: the test proves nothing", file)
		}
	}
}

type manifest struct {
	Kind string
	Data map[string]string
	Spec struct {
		Template struct {
			Spec struct {
				TerminationGracePeriodSeconds int `yaml:"terminationGracePeriodSeconds"`
			}
		}
	}
}

func TestTheManifestsParseAndTheirCatalogueLoads(t *testing.T) {
	file, err := os.Open("kubernetes/toolgate.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	kinds := map[string]int{}
	for decoder := yaml.NewDecoder(file); ; {
		var m manifest
		if decoder.Decode(&m) != nil {
			break
		}
		kinds[m.Kind]++
		if text, ok := m.Data["catalog.yaml"]; ok {
			if _, err := catalog.Parse("catalog.yaml", []byte(text)); err != nil {
				t.Error(err)
			}
		}
		if m.Kind == "Deployment" && m.Spec.Template.Spec.TerminationGracePeriodSeconds <= 60 {
			t.Error("the pod is killed before its drain of 60 s is over")
		}
	}
	for _, kind := range []string{"ConfigMap", "Deployment", "Service", "PodDisruptionBudget"} {
		if kinds[kind] != 1 {
			t.Errorf("%d of kind %s, want one", kinds[kind], kind)
		}
	}
}
