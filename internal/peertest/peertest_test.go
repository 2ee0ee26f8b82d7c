package peertest

import (
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
)

func TestStripeMockAnswersAndEchoesAWrongKey(t *testing.T) {
	url := StripeMock(t) + "/v1/customers"
	for _, c := range []struct {
		key    string
		status int
		echoed bool
	}{
		{"sk_test_123", http.StatusOK, false},
		{"sk_live_0123456789", http.StatusUnauthorized, true},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+c.key)
		status, body := do(t, request)
		if status != c.status || strings.Contains(body, c.key) != c.echoed {
			t.Errorf("key %s: %d %s", c.key, status, body)
		}
	}
}

func TestHTTPBinAnswersAndCounts(t *testing.T) {
	bin := StartHTTPBin(t)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, bin.URL+"/status/418", nil)
	if err != nil {
		t.Fatal(err)
	}
	if status, body := do(t, request); status != http.StatusTeapot {
		t.Errorf("%d %s", status, body)
	}
	if bin.Requests("/status/418") != 1 || bin.Requests("/status/200") != 0 {
		t.Errorf("counted %v", bin.paths)
	}
}

func TestAMissingProgramIsNamedWithItsRemedy(t *testing.T) {
	_, err := find("no-such-program")
	if err == nil || !strings.Contains(err.Error(), "make peers") {
		t.Errorf("%v", err)
	}
}

func TestAProgramThatEndsAtOnceIsNotWaitedFor(t *testing.T) {
	program, err := find("stripe-mock")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := start(t, exec.CommandContext(t.Context(), program, "-version")); err == nil {
		t.Error("it started")
	}
}

func do(t *testing.T, request *http.Request) (int, string) {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}
