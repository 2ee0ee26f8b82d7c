package server_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/servertest"
)

func TestACallerIsHeldToItsRateAndItsPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ann, bob, eve := newHolder(), newHolder(), newHolder()
		up := servertest.NewUpstream(t)
		g := servertest.Start(t, servertest.Load(t, capCatalogue, up), with(accessTo(t, `
principals:
  ann: {keys: [%s], rights: {tools: ["*"], limits: {per_second: 2, burst: 3}}}
  bob: {keys: [%s], rights: {tools: ["*"], limits: {in_flight: 1}}}
  eve: {keys: [%s], rights: {tools: ["*"]}}`, ann.line, bob.line, eve.line)))
		call := func(who holder, i int) error {
			_, err := g.Try(who.as(t.Context()), "r", "lookup", id(i))
			return err
		}
		for i := range 3 {
			if err := call(ann, i); err != nil {
				t.Fatal(err)
			}
		}
		err := call(ann, 4)
		if status.Code(err) != codes.ResourceExhausted || reasonOf(err) != "CALLER_RATE" || retryOf(err) != 500*time.Millisecond {
			t.Errorf("%v (%s), again in %s", err, reasonOf(err), retryOf(err))
		}
		if err := call(eve, 1); err != nil {
			t.Errorf("another caller: %v", err)
		}
		wantRequests(t, up, 4) // what is refused asks no tool
		time.Sleep(500 * time.Millisecond)
		if err := call(ann, 4); err != nil {
			t.Errorf("after the wait: %v", err)
		}

		up.Script(servertest.After(10*time.Second, okay))
		done := make(chan error, 1)
		go func() { done <- call(bob, 1) }()
		synctest.Wait()
		if err := call(bob, 2); status.Code(err) != codes.ResourceExhausted || reasonOf(err) != "CALLER_IN_FLIGHT" || retryOf(err) <= 0 {
			t.Errorf("a second at a time: %v (%s)", err, reasonOf(err))
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		up.Script(okay)
		if err := call(bob, 2); err != nil {
			t.Errorf("behind the first: %v", err)
		}
	})
}

func TestTheFailureReportIsForThoseWhoMay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ann, bob, eve := newHolder(), newHolder(), newHolder()
		g := servertest.Start(t, servertest.Load(t, capCatalogue, servertest.NewUpstream(t, rejected)), with(accessTo(t, `
principals:
  ann: {keys: [%s], rights: {tools: ["*"]}}
  bob: {keys: [%s], rights: {tools: [lookup], report: true}}
  eve: {keys: [%s], rights: {tools: ["*"], report: true}}`, ann.line, bob.line, eve.line)))
		for i, tool := range []string{"lookup", "book", "create", "no_such_tool"} {
			_, err := g.Try(ann.as(t.Context()), fmt.Sprint(i), tool, `{"id":"1","slot":"1","name":"1"}`)
			if err != nil {
				t.Fatal(err)
			}
		}
		report := func(who holder) (tools []string, failures uint64, err error) {
			resp, err := g.Client.GetFailureReport(who.as(t.Context()), &toolgatev1.GetFailureReportRequest{})
			for _, row := range resp.GetFailures() {
				tools = append(tools, row.GetTool())
			}
			return slices.Compact(tools), resp.GetFailuresTotal(), err
		}
		if _, _, err := report(ann); status.Code(err) != codes.PermissionDenied || reasonOf(err) != "REPORT_NOT_ALLOWED" {
			t.Errorf("without the right: %v", err)
		}
		if tools, failures, err := report(bob); err != nil || !slices.Equal(tools, []string{"lookup"}) || failures != 1 {
			t.Errorf("on one tool: %v, %d, %v", tools, failures, err)
		}
		if tools, failures, err := report(eve); err != nil || len(tools) != 4 || failures != 4 {
			t.Errorf("on all: %v, %d, %v", tools, failures, err)
		}
	})
}
