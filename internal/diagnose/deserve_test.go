package diagnose

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"toolgate.dev/toolgate/interceptors"
)

// Whatever a success looks like at a glance, the whole reading agrees that it is
// one: the glance only saves the reading.
func TestNoFailedEntryIsOverlooked(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11)) //nolint:gosec // no secret
	names := []string{"status", "statusCode", "status_code", "code", "httpStatus", "ok", "success", "succeeded"}
	others := []string{"id", "name", "url", "body", "error", "message", "headers"}
	values := []string{"200", "400", `"404"`, "503", "true", "false", `"x"`, "null", `{"code":"E1","message":"no"}`, "40.5"}
	wraps := []string{"%s", `{"items":%s}`, `{"results": %s,"n":1}`, "{\n \"responses\" : %s}", `{"took":3,"items":%s}`}
	spaces := []string{"", " ", "\n\t"}
	failed := 0
	for range 10_000 {
		entries := make([]string, 1+random.IntN(3))
		for i := range entries {
			said, other := pick(random, names), pick(random, others)
			entries[i] = fmt.Sprintf(`{%q%s:%s%s,%q:%s}`, said, pick(random, spaces), pick(random, spaces), pick(random, values), other, pick(random, values))
			if random.IntN(4) == 0 {
				entries[i] = `{"create":` + entries[i] + "}"
			}
		}
		body := fmt.Sprintf(pick(random, wraps), "["+strings.Join(entries, ",")+"]")
		if !failsWhole(t, body) {
			continue
		}
		failed++
		if !glanced(t, body) {
			t.Fatalf("the glance overlooked %s", body)
		}
	}
	if failed < 200 {
		t.Errorf("only %d bodies failed: the test tries nothing", failed)
	}
}

func TestOrdinaryListsAreNotRead(t *testing.T) {
	for _, body := range []string{
		`[]`, `[{"id":1,"status":"open"},{"id":2,"status":"paid","url":"https://x.test:443/a"}]`,
		`{"items":[{"id":4,"code":"EUR","total":400},{"id":5,"ok":true}],"next":null}`,
		`{"results":[{"name":"a: 4","success":true}]}`, `{"responses":[]}`,
	} {
		if glanced(t, body) {
			t.Errorf("%s is read whole", body)
		}
	}
}

func pick(random *rand.Rand, from []string) string { return from[random.IntN(len(from))] }

var wholeEngine = sync.OnceValues(func() (*Engine, error) { return New() })

func success(t *testing.T, body string) *diagnosis {
	t.Helper()
	engine, err := wholeEngine()
	if err != nil {
		t.Fatal(err)
	}
	reply := &interceptors.Reply{Status: 200, Body: []byte(body), Header: map[string][]string{"Content-Type": {"application/json"}}}
	return engine.begin(Input{Tool: &interceptors.Tool{}, Reply: reply})
}

func glanced(t *testing.T, body string) bool {
	t.Helper()
	d := success(t, body)
	return worthALook(d.in.Reply.Body) && d.deserves()
}

func failsWhole(t *testing.T, body string) bool {
	t.Helper()
	d := success(t, body)
	d.prepare()
	return d.hiddenFailure()
}
