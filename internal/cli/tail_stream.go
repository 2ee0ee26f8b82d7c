package cli

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"toolgate.dev/toolgate/internal/evidence"
)

// reconnectAfter is how long a gateway that went away is left alone.
const reconnectAfter = time.Second

// tailGateway follows a running gateway until ctx ends. One that goes away is
// waited for; one that was never there is an error.
func (s *session) tailGateway(ctx context.Context, flags tailFlags, show func(*evidence.Call)) error {
	if !hostAndPort(flags.admin) {
		return usage(flags.admin+" is no address", "--admin takes host:port, as `serve --admin-listen` was given it")
	}
	query := url.Values{"tool": {flags.filter.Tool}, "class": {flags.filter.Class}, "run": {flags.filter.Run}, "code": {flags.filter.Code}}
	target := "http://" + flags.admin + "/calls?" + query.Encode()
	if err := s.streamCalls(ctx, target, flags.admin, show); err != nil {
		return err
	}
	for ctx.Err() == nil {
		s.notef("the gateway went away; waiting for it, Ctrl-C ends that")
		for pause(ctx, reconnectAfter) && s.streamCalls(ctx, target, flags.admin, show) != nil {
		}
	}
	return nil
}

// pause waits; false where ctx ended.
func pause(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// streamCalls shows calls until the stream or ctx ends. The error says that no
// stream began.
func (s *session) streamCalls(ctx context.Context, target, admin string, show func(*evidence.Call)) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return usage("no gateway's admin address answers at "+admin, "`toolgate serve --admin-listen HOST:PORT` opens it; name another with --admin, or follow a log with --from FILE")
	}
	defer func() { _ = response.Body.Close() }() // nothing is left to lose
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusForbidden:
		return usage("the gateway at "+admin+" tells of its calls to its own machine alone",
			"run this there (or through kubectl port-forward, ssh -L), or start it with `serve --calls-to-all`")
	case http.StatusServiceUnavailable:
		return usage("as many follow the gateway's calls as may", "end one of them, or follow its log with --from FILE")
	default:
		return usage(fmt.Sprintf("what answers at %s does not tell of calls (HTTP %d)", admin, response.StatusCode), "--admin takes the address that `serve --admin-listen` was given")
	}
	s.readEvents(bufio.NewReader(response.Body), show)
	return nil
}

// readEvents reads server-sent events to their end.
func (s *session) readEvents(events *bufio.Reader, show func(*evidence.Call)) {
	kind := ""
	for {
		line, err := events.ReadString('\n')
		line = strings.TrimRight(line, "\r\n")
		data, isData := strings.CutPrefix(line, "data: ")
		switch {
		case line == "":
			kind = ""
		case strings.HasPrefix(line, "event: "):
			kind = strings.TrimPrefix(line, "event: ")
		case isData && kind == "missed":
			s.notef("%s calls came faster than they could be shown", data)
		case isData:
			if call, found := evidence.Line([]byte(data)); found {
				show(&call)
			}
		}
		if err != nil {
			return
		}
	}
}
