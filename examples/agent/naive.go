package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	blindAttempts  = 5
	firstSleep     = time.Second // then twice as long each time: 1, 2, 4, 8 s
	genericMessage = "tool call failed, please try again"
)

// Route is how the naive stack reaches a tool: GET with the arguments in the
// query, POST with the arguments as they are. `{name}` in the URL stands for an
// argument.
type Route struct{ Method, URL string }

// NaiveStack is the tool layer that many agents have: every failure is tried
// five times with doubling sleeps, and all that comes back is that the call
// failed.
type NaiveStack struct {
	Routes map[string]Route
	Client *http.Client
	// Slept is what it would have slept: its clock is virtual, and nobody waits.
	Slept time.Duration
}

// Arguments names no arguments: the stack knows no schemas.
func (n *NaiveStack) Arguments(string) []string { return nil }

// Call tries five times.
func (n *NaiveStack) Call(ctx context.Context, call Call) Answer {
	for attempt := range blindAttempts {
		if attempt > 0 {
			n.Slept += firstSleep << (attempt - 1)
		}
		if text, ok := n.attempt(ctx, call); ok {
			return Answer{OK: true, Text: text}
		}
	}
	return Answer{Text: genericMessage}
}

func (n *NaiveStack) attempt(ctx context.Context, call Call) (string, bool) {
	request, err := n.request(ctx, call)
	if err != nil {
		return "", false
	}
	response, err := n.Client.Do(request)
	if err != nil {
		return "", false
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return strings.TrimSpace(string(body)), err == nil && response.StatusCode < 300
}

func (n *NaiveStack) request(ctx context.Context, call Call) (*http.Request, error) {
	var args map[string]any
	if err := json.Unmarshal([]byte(call.Arguments), &args); err != nil {
		return nil, err
	}
	route := n.Routes[call.Tool]
	if route.Method == http.MethodPost {
		request, err := http.NewRequestWithContext(ctx, route.Method, route.URL, bytes.NewReader([]byte(call.Arguments)))
		if err == nil {
			request.Header.Set("Content-Type", "application/json")
		}
		return request, err
	}
	query, target := url.Values{}, route.URL
	for name, value := range args {
		text, _ := value.(string)
		if filled := strings.ReplaceAll(target, "{"+name+"}", url.PathEscape(text)); filled != target {
			target = filled
			continue
		}
		query.Set(name, text)
	}
	return http.NewRequestWithContext(ctx, route.Method, target+"?"+query.Encode(), nil)
}
