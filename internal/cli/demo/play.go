package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tiktoken-go/tokenizer/codec"

	"toolgate.dev/toolgate/examples"
	"toolgate.dev/toolgate/examples/agent"
	toolgate "toolgate.dev/toolgate/sdk/go"
)

// Demo is how the stories are played.
type Demo struct {
	Out io.Writer
	// Start serves a catalogue on loopback and tells where. Required.
	Start func(catalog string) (address string, stop func() error, err error)
	// Client adds options to the agent's client; nil: none.
	Client []toolgate.Option
	Style  Style
}

// Style marks up text for whoever reads; a nil function leaves it as it is.
type Style struct{ Bold, Dim, Good, Bad func(string) string }

// Played is one story behind one tool layer, as it was counted.
type Played struct {
	Run      agent.Run
	Requests int64         // that reached the back ends
	Slept    time.Duration // by the tool layer and the harness
	Bytes    int           // that the calls and their answers added to the transcript
	Tokens   int           // the same in o200k tokens
}

// Pair is one story behind both layers.
type Pair struct {
	Story    string
	Naive    Played
	Toolgate Played
	Wrong    error // what did not end as it must; nil: nothing
}

// Play plays every story, prints a transcript and a table, and returns what it
// counted. The error says what could not be played, or which story did not end
// as it must. Nothing is left running.
func (d Demo) Play(ctx context.Context) (pairs []Pair, err error) {
	stage, err := d.stage()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stage.close()) }()

	tokens := codec.NewO200kBase()
	for i, story := range stories() {
		d.opening(i+1, story)
		gateway, err := agent.NewGateway(ctx, stage.client, fmt.Sprintf("demo-%d", i+1))
		if err != nil {
			return pairs, err
		}
		pair := Pair{Story: story.name}
		pair.Toolgate = play(ctx, story.task, gateway, stage.behindToolgate)
		pair.Toolgate.Slept += gateway.Slept
		naive := stage.naiveStack()
		pair.Naive = play(ctx, story.task, naive, stage.behindNaive)
		pair.Naive.Slept += naive.Slept
		for _, played := range []*Played{&pair.Toolgate, &pair.Naive} {
			if err := played.weigh(tokens); err != nil {
				return pairs, err
			}
		}
		pair.Wrong = story.must.check(pair.Toolgate)
		d.transcript(pair)
		pairs = append(pairs, pair)
	}
	d.table(pairs)
	return pairs, errors.Join(ctx.Err(), wrong(pairs))
}

func play(ctx context.Context, task agent.Task, tools agent.Tools, backends *examples.Backends) Played {
	before := backends.Requests()
	run := (&agent.Agent{Tools: tools, Patience: patience}).Do(ctx, task)
	return Played{Run: run, Requests: backends.Requests() - before, Slept: run.Waited}
}

// patience is how long the agent's harness waits out transient failures.
const patience = 5 * time.Second

// weigh counts what the model has to read again on every later turn: its calls
// and their answers.
func (p *Played) weigh(tokens *codec.Codec) error {
	for _, step := range p.Run.Steps {
		for _, text := range []string{step.Call.Tool, step.Call.Arguments, step.Answer.Text} {
			n, err := tokens.Count(text)
			if err != nil {
				return fmt.Errorf("count tokens: %w", err)
			}
			p.Bytes += len(text)
			p.Tokens += n
		}
	}
	return nil
}

func wrong(pairs []Pair) error {
	var all []error
	for _, pair := range pairs {
		if pair.Wrong != nil {
			all = append(all, fmt.Errorf("%s: %w", pair.Story, pair.Wrong))
		}
	}
	return errors.Join(all...)
}
