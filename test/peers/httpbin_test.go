package peers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/peertest"
)

const (
	transient = toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT
	invalid   = toolgatev1.ErrorClass_ERROR_CLASS_INVALID_REQUEST
	terminal  = toolgatev1.ErrorClass_ERROR_CLASS_TERMINAL

	plantedToken = "planted-token-Zk41mXw8"
	plantedKey   = "planted-key-91hQpTz3"
)

func startHTTPBin(t *testing.T) (*gateway, *peertest.HTTPBin) {
	t.Helper()
	peertest.Count(t, "go-httpbin")
	t.Setenv("PEER_HTTPBIN_TOKEN", plantedToken)
	t.Setenv("PEER_HTTPBIN_KEY", plantedKey)
	bin := peertest.StartHTTPBin(t)
	return start(t, "httpbin.yaml", "http://httpbin.invalid", bin.URL), bin
}

// A bare status is all there is to go by. Of some it depends on who built the
// request, or on how long a lock stands: one of two classes is right.
func TestEveryStatusHasItsClass(t *testing.T) {
	g, bin := startHTTPBin(t)
	for _, group := range []struct {
		classes []toolgatev1.ErrorClass
		codes   []int
	}{
		{
			[]toolgatev1.ErrorClass{transient},
			[]int{408, 421, 425, 429, 500, 502, 503, 504, 509, 520, 521, 522, 523, 524, 525, 526, 527, 529, 530, 598, 599},
		},
		{[]toolgatev1.ErrorClass{invalid}, []int{400, 404, 409, 410, 412, 413, 414, 418, 422, 428, 431}},
		{[]toolgatev1.ErrorClass{terminal}, []int{401, 402, 403, 407, 424, 426, 451, 501, 505, 507, 508, 511}},
		{[]toolgatev1.ErrorClass{invalid, terminal}, []int{405, 406, 415}},
		{[]toolgatev1.ErrorClass{transient, terminal}, []int{423}},
	} {
		for _, code := range group.codes {
			peertest.Check(t, "go-httpbin", fmt.Sprint(code), func(t *testing.T) {
				failed := g.fails(t, "get_status", fmt.Sprintf(`{"code": %d}`, code))
				if !slices.Contains(group.classes, failed.GetErrorClass()) || failed.GetUpstreamStatus() != uint32(code) {
					t.Errorf("want one of %v: %v", group.classes, failed)
				}
				requests := bin.Requests(fmt.Sprintf("/status/%d", code))
				again := failed.GetErrorClass() == transient
				if uint32(requests) != failed.GetAttempts() || (requests > 1) != again || failed.GetExhausted() != again {
					t.Errorf("%d requests, attempts %d, exhausted %v", requests, failed.GetAttempts(), failed.GetExhausted())
				}
			})
		}
	}
}

func TestEverySuccessIsAResult(t *testing.T) {
	g, _ := startHTTPBin(t)
	for _, code := range []int{200, 201, 202, 203, 204, 206} {
		result := g.succeeds(t, "get_status", fmt.Sprintf(`{"code": %d}`, code))
		if result.GetAttempts() != 1 {
			t.Errorf("%d: %d attempts", code, result.GetAttempts())
		}
	}
}

// What a write did when the answer is a status alone.
func TestAWriteIsRepeatedOnlyWhereItDidNotHappen(t *testing.T) {
	g, bin := startHTTPBin(t)
	for _, c := range []struct {
		status   int
		class    toolgatev1.ErrorClass
		maybe    bool
		requests int
	}{
		{500, terminal, true, 1}, {502, terminal, true, 1}, {504, terminal, true, 1}, {520, terminal, true, 1}, {524, terminal, true, 1},
		{503, transient, false, 2}, {429, transient, false, 2}, {408, transient, false, 2}, {521, transient, false, 2}, {529, transient, false, 2},
		{400, invalid, false, 1}, {403, terminal, false, 1},
	} {
		peertest.Check(t, "go-httpbin", fmt.Sprint(c.status), func(t *testing.T) {
			failed := g.fails(t, "post_status", fmt.Sprintf(`{"code": %d}`, c.status))
			wantClass(t, failed, c.class)
			if failed.GetMaybeExecuted() != c.maybe || (failed.GetCode() == "outcome_unknown") != c.maybe {
				t.Errorf("maybe_executed %v, code %s", failed.GetMaybeExecuted(), failed.GetCode())
			}
			if got := bin.Requests(fmt.Sprintf("/status/%d", c.status)); got != c.requests {
				t.Errorf("%d requests, want %d", got, c.requests)
			}
		})
	}
}

func TestAnAnswerThatComesTooLate(t *testing.T) {
	g, bin := startHTTPBin(t)
	peertest.Check(t, "go-httpbin", "a read is tried again, then exhausted", func(t *testing.T) {
		failed := g.fails(t, "delay", `{"seconds": 1}`)
		wantClass(t, failed, transient)
		if failed.GetCode() != "timeout" || !failed.GetExhausted() || failed.GetAttempts() != 2 || bin.Requests("/delay/1") != 2 {
			t.Errorf("%s, exhausted %v, attempts %d, requests %d", failed.GetCode(), failed.GetExhausted(), failed.GetAttempts(), bin.Requests("/delay/1"))
		}
	})
	peertest.Check(t, "go-httpbin", "a write is not", func(t *testing.T) {
		failed := g.fails(t, "post_delay", `{"seconds": 2}`)
		wantClass(t, failed, terminal)
		if failed.GetCode() != "outcome_unknown" || !failed.GetMaybeExecuted() || bin.Requests("/delay/2") != 1 {
			t.Errorf("%s, maybe_executed %v, requests %d", failed.GetCode(), failed.GetMaybeExecuted(), bin.Requests("/delay/2"))
		}
	})
	peertest.Check(t, "go-httpbin", "a body that drips past the timeout", func(t *testing.T) {
		failed := g.fails(t, "drip", `{"numbytes": 10, "duration": 1, "delay": 0}`)
		wantClass(t, failed, transient)
		if bin.Requests("/drip") != 2 {
			t.Errorf("%d requests", bin.Requests("/drip"))
		}
	})
	peertest.Check(t, "go-httpbin", "a body that drips in time", func(t *testing.T) {
		result := g.succeeds(t, "drip", `{"numbytes": 10, "duration": 0.1, "delay": 0}`)
		if result.GetAttempts() != 1 {
			t.Errorf("%d attempts", result.GetAttempts())
		}
	})
}

func TestAToolThatFailsNowAndThen(t *testing.T) {
	g, bin := startHTTPBin(t)
	// Ten attempts all fail once in fifty million runs of this test.
	result := g.succeeds(t, "unstable", `{"failure_rate": 0.17}`)
	if uint32(bin.Requests("/unstable")) != result.GetAttempts() {
		t.Errorf("%d requests, %d attempts", bin.Requests("/unstable"), result.GetAttempts())
	}
	failed := g.fails(t, "unstable", `{"failure_rate": 1}`)
	wantClass(t, failed, transient)
	if !failed.GetExhausted() {
		t.Error("ten failures are not exhausted")
	}
}

func TestAnswersOfManyForms(t *testing.T) {
	g, bin := startHTTPBin(t)
	peertest.Check(t, "go-httpbin", "compressed", func(t *testing.T) {
		result := g.succeeds(t, "gzip", `{}`)
		if !strings.Contains(result.GetStructuredJson(), `"gzipped"`) {
			t.Errorf("%.200s", result.GetStructuredJson())
		}
	})
	peertest.Check(t, "go-httpbin", "in many scripts", func(t *testing.T) {
		text := textOf(g.succeeds(t, "utf8", `{}`))
		for _, part := range []string{"∮ E⋅da = Q", "Οὐχὶ ταὐτὰ", "สิบสองกษัตริย์", "⡌⠁⠧⠑"} {
			if !strings.Contains(text, part) {
				t.Errorf("lost %s", part)
			}
		}
	})
	peertest.Check(t, "go-httpbin", "redirected on the same host", func(t *testing.T) {
		result := g.succeeds(t, "redirect", `{"n": 3}`)
		if result.GetAttempts() != 1 || bin.Requests("/redirect/3") != 1 || bin.Requests("/get") != 1 {
			t.Errorf("attempts %d, requests %d, then %d", result.GetAttempts(), bin.Requests("/redirect/3"), bin.Requests("/get"))
		}
	})
	peertest.Check(t, "go-httpbin", "redirected for ever", func(t *testing.T) {
		if failed := g.fails(t, "redirect", `{"n": 50}`); failed.GetErrorClass() == transient {
			t.Errorf("a loop of redirects is cured by no time: %s", failed.GetObservation())
		}
	})
	peertest.Check(t, "go-httpbin", "bytes within the limit", func(t *testing.T) {
		if result := g.succeeds(t, "bytes", `{"n": 1000}`); result.GetTruncated() {
			t.Error("truncated")
		}
	})
	peertest.Check(t, "go-httpbin", "bytes beyond the limit are cut, and said to be", func(t *testing.T) {
		response := g.call(t, "bytes", `{"n": 100000}`)
		if result := response.GetResult(); result != nil && (!result.GetTruncated() || sizeOf(result) > 10_000) {
			t.Errorf("truncated %v, %d bytes", result.GetTruncated(), sizeOf(result))
		}
	})
}

// A redirect to another host would carry the secrets there.
func TestARedirectToAnotherHostIsNotFollowedWithSecrets(t *testing.T) {
	g, _ := startHTTPBin(t)
	other := peertest.StartHTTPBin(t)
	response := g.call(t, "redirect_to", fmt.Sprintf(`{"url": %q}`, other.URL+"/headers"))
	wantNowhere(t, g, response, plantedToken, plantedKey)
	if other.Requests("/headers") != 0 && response.GetResult() == nil {
		t.Error("followed for nothing")
	}
}

func TestAnEchoOfTheRequestShowsNoSecret(t *testing.T) {
	g, _ := startHTTPBin(t)
	for _, tool := range []string{"headers", "echo"} {
		result := g.succeeds(t, tool, `{}`)
		if !strings.Contains(result.GetStructuredJson(), "X-Api-Key") {
			t.Errorf("%s echoes no header, so this test shows nothing: %.300s", tool, result.GetStructuredJson())
		}
		wantNowhere(t, g, result, plantedToken, plantedKey)
	}
}
