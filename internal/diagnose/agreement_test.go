package diagnose_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"toolgate.dev/toolgate/interceptors"
)

// TestAgreementWithTheServiceModelsOfAWS plays every error shape of AWS's
// published service models (code, status, who is to blame, protocol) without a
// message, and compares what a wait cures. docs/judgement.md discusses the
// disagreements.
func TestAgreementWithTheServiceModelsOfAWS(t *testing.T) {
	text, err := os.ReadFile("testdata/aws-errors.tsv")
	if err != nil {
		t.Fatal(err)
	}
	e := engine(t)
	agree, all := map[string]int{}, map[string]int{}
	for line := range strings.Lines(string(text)) {
		row := strings.Split(strings.TrimSpace(line), "\t")
		code, label := row[0], row[2]
		status, err := strconv.Atoi(row[1])
		if err != nil {
			t.Fatal(err)
		}
		body := `{"__type":"` + code + `","message":""}`
		if row[3] == "xml" {
			body = "<ErrorResponse><Error><Code>" + code + "</Code></Error></ErrorResponse>"
		}
		got, _ := e.Diagnose(httpInput("service.us-east-1.amazonaws.com", status, "text/plain", body))
		all[label]++
		if (got.GetErrorClass() == interceptors.Transient) == (label != "client") {
			agree[label]++
		}
	}
	for label, least := range map[string]float64{"client": 0.95, "server": 0.89, "retry": 0.66} {
		if share := float64(agree[label]) / float64(all[label]); share < least {
			t.Errorf("%s: %d of %d agree, under %.0f %%", label, agree[label], all[label], least*100)
		}
	}
	t.Logf("agreement %v of %v", agree, all)
}
