package mcp

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// maxUntold is how much progress waits for a client that reads slowly; more is
// dropped. Nothing may depend on it.
const maxUntold = 16

// report tells the client what the gateway does, where it asked for that with a
// token. tell is nil where it did not. told must be called before the call's
// result is sent; nothing follows it.
func report(ctx context.Context, req *sdk.CallToolRequest) (tell func(*toolgatev1.CallProgress), told func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return nil, func() {}
	}
	events, over, ended := make(chan *toolgatev1.CallProgress, maxUntold), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		follow(events, over, func(step int, text string) {
			// A client that is gone has lost its result, too.
			_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
				ProgressToken: token, Progress: float64(step), Message: text,
			})
		})
	}()
	tell = func(event *toolgatev1.CallProgress) {
		select {
		case events <- event: // the chain doesn't wait for a client
		default:
		}
	}
	return tell, func() {
		close(over)
		<-ended
	}
}

// follow counts the steps, as the protocol wants. Between two of them it says
// every five seconds that the last one goes on: clients and proxies give up on
// silence.
func follow(events <-chan *toolgatev1.CallProgress, over <-chan struct{}, say func(step int, text string)) {
	silence := time.NewTicker(progressEvery)
	defer silence.Stop()
	text, since := "calling the tool", time.Now()
	for step := 1; ; step++ {
		select {
		case <-over:
			for ; len(events) > 0; step++ { // what is left
				say(step, phrase(<-events))
			}
			return
		case event := <-events:
			text, since = phrase(event), time.Now()
			silence.Reset(progressEvery)
			say(step, text)
		case <-silence.C:
			say(step, fmt.Sprintf("%s, for %.0f s now", text, time.Since(since).Seconds()))
		}
	}
}

// phrase is for people.
func phrase(event *toolgatev1.CallProgress) string {
	switch event.GetPhase() {
	case toolgatev1.CallProgress_PHASE_WAIT:
		text := fmt.Sprintf("attempt %d of %d in %s s", event.GetAttempt()+1, event.GetMaxAttempts(), seconds(event.GetWait()))
		if code := event.GetCode(); code != "" {
			text = code + ": " + text
		}
		return text
	case toolgatev1.CallProgress_PHASE_QUEUED:
		return "waiting for a turn"
	case toolgatev1.CallProgress_PHASE_WORKING:
		return working(event)
	}
	return fmt.Sprintf("attempt %d of %d", event.GetAttempt(), event.GetMaxAttempts())
}

// working is what the tool tells of itself: `3 of 10: reading pages`.
func working(event *toolgatev1.CallProgress) string {
	text := ""
	switch {
	case event.GetTotal() > 0:
		text = fmt.Sprintf("%.4g of %.4g", event.GetProgress(), event.GetTotal())
	case event.GetProgress() > 0:
		text = fmt.Sprintf("%.4g", event.GetProgress())
	}
	if message := event.GetMessage(); message != "" {
		return strings.TrimPrefix(text+": "+message, ": ")
	}
	return cmp.Or(text, "working")
}

func seconds(wait float64) string {
	if wait < 10 {
		return strconv.FormatFloat(wait, 'f', 1, 64)
	}
	return strconv.FormatFloat(wait, 'f', 0, 64)
}
