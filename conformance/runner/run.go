package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	conformancev1 "toolgate.dev/toolgate/gen/go/toolgate/conformance/v1"
)

// Options say what is played. All but Only and Show are required.
type Options struct {
	// Gateway is the program that serves: `toolgate`.
	Gateway string
	// Vectors is the folder of the vectors' files.
	Vectors string
	// Executors are played some at a time. Several of one name are one SDK, used in
	// several ways: a vector passes where it passes in all of them.
	Executors []Executor
	// Known is a file of known failures, `name: vector` a line. They are not
	// failures of the run, but each of them that passes is: the list ends empty.
	Known string
	// Only plays the vectors whose names match. Nil: all.
	Only *regexp.Regexp
	// Show prints what came of each step as JSON, for whoever writes vectors.
	Show bool
	// Out gets what failed, and the summary as the last line.
	Out io.Writer
}

// Executor is one program to play.
type Executor struct {
	Name    string   // of the SDK's language
	Command []string // the program and its arguments
}

// atOnce is how many executors are played together: much of a vector is waiting.
const atOnce = 3

// ErrFailed is returned where vectors failed.
var ErrFailed = errors.New("vectors failed")

// Run plays everything. The error is ErrFailed where a vector failed that is not
// known to, or passed that is known not to; any other says why nothing was played.
func Run(ctx context.Context, options Options) error {
	vectors, err := Load(os.DirFS(options.Vectors))
	if err != nil {
		return err
	}
	vectors = slices.DeleteFunc(vectors, func(v *conformancev1.Vector) bool {
		return options.Only != nil && !options.Only.MatchString(v.GetName())
	})
	known, err := readKnown(options.Known)
	if err != nil {
		return err
	}
	tally := tally{known: known, failed: map[string]map[string]bool{}, out: options.Out}
	together, ctx := errgroup.WithContext(ctx)
	together.SetLimit(atOnce)
	if options.Show {
		together.SetLimit(1) // what is shown belongs together
	}
	for _, executor := range options.Executors {
		tally.begin(executor.Name)
		together.Go(func() error {
			if err := playAll(ctx, options, executor, vectors, &tally); err != nil {
				return fmt.Errorf("%s: %w", executor.Name, err)
			}
			return nil
		})
	}
	if err := together.Wait(); err != nil {
		return err
	}
	return tally.end(len(vectors))
}

func playAll(ctx context.Context, options Options, executor Executor, vectors []*conformancev1.Vector, tally *tally) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	program := &program{command: executor.Command, stderr: options.Out}
	defer program.stop()
	for stage := range stages(ctx, options.Gateway, vectors) {
		faults := []string{"the stage: " + fmt.Sprint(stage.err)}
		if stage.err == nil {
			player := player{stage: stage, program: program}
			if options.Show {
				player.show = options.Out
			}
			faults = player.play(ctx)
		}
		stage.close()
		if err := ctx.Err(); err != nil {
			return err
		}
		tally.vector(executor.Name, stage.vector.GetName(), faults)
	}
	return nil
}

// stages sets up each vector's stage while the one before it is played.
func stages(ctx context.Context, gateway string, vectors []*conformancev1.Vector) <-chan *stage {
	ready := make(chan *stage)
	go func() {
		defer close(ready)
		for _, vector := range vectors {
			stage := newStage(ctx, gateway, vector)
			select {
			case ready <- stage:
			case <-ctx.Done():
				stage.close()
				return
			}
		}
	}()
	return ready
}

func readKnown(file string) (map[string]bool, error) {
	text, err := os.ReadFile(file) //nolint:gosec // the person at the prompt names the file
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			known[line] = true
		}
	}
	return known, nil
}
