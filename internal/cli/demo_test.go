package cli

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tiktoken-go/tokenizer/codec"
	"google.golang.org/grpc"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/cli/demo"
	toolgate "toolgate.dev/toolgate/sdk/go"
)

func play(t *testing.T, options ...toolgate.Option) ([]demo.Pair, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out bytes.Buffer
	pairs, err := demo.Demo{Out: &out, Start: startGateway, Client: options}.Play(ctx)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return pairs, out.String()
}

func TestTheFourStoriesEndAsTheyMust(t *testing.T) {
	pairs, out := play(t)
	if len(pairs) != 5 { // the invoices twice
		t.Fatalf("%d stories", len(pairs))
	}
	for _, pair := range pairs {
		naive := pair.Naive
		if naive.Run.Done || len(naive.Run.Steps) != 20 || naive.Requests != 100 || naive.Slept != 300*time.Second {
			t.Errorf("%s: the naive stack made %d steps, %d requests, slept %v", pair.Story, len(naive.Run.Steps), naive.Requests, naive.Slept)
		}
		if pair.Toolgate.Slept != 0 || !pair.Toolgate.Run.Done {
			t.Errorf("%s: slept %v, done %v", pair.Story, pair.Toolgate.Slept, pair.Toolgate.Run.Done)
		}
		for _, counted := range []string{pair.Story, fmt.Sprint(pair.Toolgate.Tokens), fmt.Sprint(naive.Bytes)} {
			if !strings.Contains(out, counted) {
				t.Errorf("the table lacks %s", counted)
			}
		}
	}
}

// The observations that the contract shows, from the back ends to the model.
func TestTheObservationsReadAsTheContractShowsThem(t *testing.T) {
	pairs, _ := play(t)
	tokens := codec.NewO200kBase()
	for story, want := range map[int]string{
		1: `{"error":"invalid_argument","class":"invalid_request","retryable":false,"message":"invalid date format","field":"start_date","expected":"YYYY-MM-DD"}`,
		2: `{"error":"slot_unavailable","class":"terminal","retryable":false,"message":"2026-03-12 14:30 with p_17 was booked 2 seconds ago and cannot be reserved.","requested":{"practitioner_id":"p_17","start":"2026-03-12T14:30:00Z"},"alternatives":[{"practitioner_id":"p_17","start":"2026-03-12T14:45:00Z"},{"practitioner_id":"p_17","start":"2026-03-12T16:00:00Z"},{"practitioner_id":"p_22","start":"2026-03-12T14:30:00Z"}],"alternatives_truncated":true,"note":"find_slots has more"}`,
		3: `{"error":"insufficient_funds","class":"terminal","retryable":false,"message":"Balance 42.10 below requested 150.00","facts":{"balance":42.10,"requested":150.00},"blocked_by":"balance","unblock_with":"request_deposit"}`,
	} {
		got := pairs[story].Toolgate.Run.Steps[0].Answer.Text
		if n, err := tokens.Count(got); err != nil || n > 200 || n > 70 && story != 2 {
			t.Errorf("%s: %d tokens, %v", pairs[story].Story, n, err)
		}
		got = seconds.ReplaceAllString(got, "booked 2 seconds ago") // how long the demo took so far
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", pairs[story].Story, got, want)
		}
	}
}

// The branch is a field, never prose: with every text rewritten on its way to
// the agent, it makes the same moves with the same arguments.
func TestWhoRewritesEveryMessageSeesTheSameMoves(t *testing.T) {
	plain, _ := play(t)
	rewritten, _ := play(t, toolgate.WithDialOptions(grpc.WithStreamInterceptor(rewriting)))
	for i := range plain {
		if a, b := moves(plain[i]), moves(rewritten[i]); !slices.Equal(a, b) {
			t.Errorf("%s: %v, and rewritten %v", plain[i].Story, a, b)
		}
		for _, step := range rewritten[i].Toolgate.Run.Steps {
			if failed := step.Answer.Failure; failed != nil && failed.Message != gibberish {
				t.Errorf("%s: a message came through: %s", plain[i].Story, failed.Message)
			}
		}
	}
}

func moves(pair demo.Pair) (all []string) {
	for _, step := range pair.Toolgate.Run.Steps {
		all = append(all, string(step.Move)+" "+step.Call.Tool+" "+step.Call.Arguments)
	}
	return all
}

var seconds = regexp.MustCompile(`booked \d+ seconds ago`)

const gibberish = "succeeded; transient, terminal or invalid_request: retry, do not retry, 2026-01-01"

func rewriting(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	stream, err := streamer(ctx, desc, cc, method, opts...)
	return rewriter{stream}, err
}

type rewriter struct{ grpc.ClientStream }

func (r rewriter) RecvMsg(m any) error {
	err := r.ClientStream.RecvMsg(m)
	if event, ok := m.(*toolgatev1.CallToolsResponse); ok && err == nil && event.GetDone().GetError() != nil {
		e := event.GetDone().GetError()
		e.Message, e.Note, e.Observation = gibberish, gibberish, gibberish
		for _, violation := range e.GetViolations() {
			violation.Problem = gibberish
		}
		for _, alternative := range e.GetAlternatives() {
			alternative.Label = gibberish
		}
	}
	return err
}

func TestADemoLeavesNothingRunning(t *testing.T) {
	var address string
	var out bytes.Buffer
	_, err := demo.Demo{Out: &out, Start: func(text string) (string, func() error, error) {
		at, stop, err := startGateway(text)
		address = at
		return at, stop, err
	}}.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	client, err := toolgate.Dial(address)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.ListTools(t.Context()); err == nil {
		t.Error("the gateway still answers")
	}
}
