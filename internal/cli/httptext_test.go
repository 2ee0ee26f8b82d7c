package cli

import (
	"testing"
)

func TestCurlOutputIsRead(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		status     int
		retryAfter string
		body       string
	}{
		{"HTTP/1.1 with CRLF", "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\n\r\n{\"a\":1}\n", 429, "7", "{\"a\":1}\n"},
		{"HTTP/2 without a reason, line feeds alone", "HTTP/2 503\nretry-after: 3\n\nbusy", 503, "3", "busy"},
		{"the last of several", "HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/2 404 \r\ncontent-type: text/plain\r\n\r\nno", 404, "", "no"},
		{"no body", "HTTP/1.1 502 Bad Gateway\r\n\r\n", 502, "", ""},
		{"no empty line", "HTTP/1.1 502 Bad Gateway\r\nRetry-After: 1", 502, "1", ""},
		{"a body that starts alike", "HTTP/1.1 400 Bad Request\r\n\r\nHTTP/x is not supported", 400, "", "HTTP/x is not supported"},
		{"a body with empty lines", "HTTP/1.1 500 X\r\n\r\none\r\n\r\ntwo", 500, "", "one\r\n\r\ntwo"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := parseHTTPText([]byte(tc.text))
			if err != nil {
				t.Fatal(err)
			}
			retryAfter := ""
			if values := got.header["Retry-After"]; len(values) > 0 {
				retryAfter = values[0]
			}
			if got.status != tc.status || retryAfter != tc.retryAfter || string(got.body) != tc.body {
				t.Errorf("got %d %q %q", got.status, retryAfter, got.body)
			}
		})
	}
}

func TestWhatIsNoResponseIsRefused(t *testing.T) {
	for _, text := range []string{"", `{"error":"x"}`, "HTTP/1.1", "HTTP/1.1 OK", "HTTP/1.1 200 OK\r\nno header line\r\n\r\n"} {
		if got, err := parseHTTPText([]byte(text)); err == nil {
			t.Errorf("%q was read as %+v", text, got)
		}
	}
}

func FuzzHTTPTextIsReadWithoutHarm(f *testing.F) {
	f.Add([]byte("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\n\r\n{}"))
	f.Add([]byte("HTTP/2 200\n\nHTTP/2 503\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := parseHTTPText(text)
		if err == nil && (got.status < 100 || got.status > 999 || len(got.body) > len(text)) {
			t.Errorf("%q became %+v", text, got)
		}
	})
}
