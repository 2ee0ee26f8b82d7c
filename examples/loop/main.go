// Command loop plays two stories with a plain loop of Go: with package loop in
// front of a gateway, and with a tool layer that tries everything five times.
//
//	go run ./examples/loop
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"text/tabwriter"
	"time"

	"toolgate.dev/toolgate/examples"
	"toolgate.dev/toolgate/examples/agent"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	toolgate "toolgate.dev/toolgate/sdk/go"
	"toolgate.dev/toolgate/sdk/go/loop"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	played, err := play(ctx)
	stop()
	if err == nil {
		err = printTable(os.Stdout, played)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "loop:", err)
		os.Exit(1)
	}
}

// story is a call that a model begins with.
type story struct{ name, tool, arguments string }

func stories() []story {
	return []story{
		{"invoices, format: date", "list_invoices", `{"start_date":"03/14/2026"}`},
		{"invoices, bare string", "list_invoices_untyped", `{"start_date":"03/14/2026"}`},
		{"clinic, a taken slot", "book_slot", `{"practitioner_id":"p_17","start":"2026-03-12T14:30:00Z"}`},
	}
}

// figures are what was counted of one story behind one tool layer.
type figures struct {
	Story, Layer string
	Requests     int64         // that reached the back ends
	Slept        time.Duration // on paper, where nobody waits for it
	Turns        int           // of the model
	Read         int           // bytes, by the model
	Done         bool
	Alternative  bool // the model took one
}

// play plays every story with both layers, each from the same beginning.
func play(ctx context.Context) (played []figures, err error) {
	backends, err := examples.Start(examples.FreeAddresses())
	if err != nil {
		return nil, err
	}
	defer backends.Close()
	address, stop, err := serve(ctx, backends.Catalog())
	if err != nil {
		return nil, err
	}
	defer stop()
	client, err := toolgate.Dial(address)
	if err != nil {
		return nil, err
	}
	defer client.Close()

	for _, story := range stories() {
		for _, layer := range []func(context.Context, *model) (time.Duration, error){
			gated(client), naive(backends.Addresses),
		} {
			backends.Reset()
			model := &model{call: loop.Call{ID: "call_1", Tool: story.tool, Arguments: story.arguments}}
			slept, err := layer(ctx, model)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", story.name, err)
			}
			played = append(played, figures{
				Story: story.name, Layer: model.layer, Requests: backends.Requests(), Slept: slept,
				Turns: model.turns, Read: model.read, Done: model.done, Alternative: model.alternative,
			})
		}
	}
	return played, nil
}

// gated is the loop as it should be: all there is to write is the model.
func gated(client *toolgate.Client) func(context.Context, *model) (time.Duration, error) {
	return func(ctx context.Context, model *model) (time.Duration, error) {
		model.layer = "toolgate"
		run := client.Run("")
		defer func() { _, _ = run.End(context.WithoutCancel(ctx)) }() // it would be forgotten anyway
		var within time.Duration                                      // by the gateway
		patient := &loop.Loop{Run: run, Patience: 30 * time.Second, Progress: func(_ loop.Call, told *toolgatev1.CallProgress) {
			within += time.Duration(told.GetWait() * float64(time.Second))
		}}
		err := patient.Do(ctx, model.next)
		return patient.Waited + within, err
	}
}

const mostTurns = 20

// naive is the loop as it is often written. Its sleeps are counted on paper.
func naive(at examples.Addresses) func(context.Context, *model) (time.Duration, error) {
	return func(ctx context.Context, model *model) (time.Duration, error) {
		model.layer = "five attempts"
		tools := agent.NaiveStack{Client: http.DefaultClient, Routes: map[string]agent.Route{
			"list_invoices":         {Method: http.MethodGet, URL: "http://" + at.Billing + "/invoices"},
			"list_invoices_untyped": {Method: http.MethodGet, URL: "http://" + at.Billing + "/invoices"},
			"book_slot":             {Method: http.MethodPost, URL: "http://" + at.Clinic + "/bookings"},
		}}
		var answers []loop.Answer
		for range mostTurns {
			calls, err := model.next(ctx, answers)
			if err != nil || len(calls) == 0 {
				return tools.Slept, err
			}
			answers = nil
			for _, call := range calls {
				answer := tools.Call(ctx, agent.Call{Tool: call.Tool, Arguments: call.Arguments})
				answers = append(answers, loop.Answer{ID: call.ID, Text: answer.Text})
			}
		}
		return tools.Slept, nil
	}
}

func serve(ctx context.Context, text string) (address string, stop func(), err error) {
	tools, err := catalog.Parse("catalog.yaml", []byte(text))
	if err != nil {
		return "", nil, err
	}
	gateway, err := server.New(server.Config{Catalog: tools, Listen: "127.0.0.1:0", DrainTimeout: time.Second})
	if err != nil {
		return "", nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	served := make(chan struct{})
	go func() { defer close(served); _ = gateway.Serve(ctx) }() // what it would say, the client says
	return gateway.Addr(), func() { cancel(); <-served; tools.Close() }, nil
}

func printTable(out io.Writer, played []figures) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "story\ttool layer\tupstream calls\twould sleep\tmodel turns\tbytes read\tended")
	for _, p := range played {
		ended := "not done"
		switch {
		case p.Alternative:
			ended = "done, with an alternative"
		case p.Done:
			ended = "done"
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%v\t%d\t%d\t%s\n", p.Story, p.Layer, p.Requests, p.Slept, p.Turns, p.Read, ended)
	}
	return table.Flush()
}
