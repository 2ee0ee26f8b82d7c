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
	// Baselines is the folder of the contract's releases.
	Baselines string
	// Known is a file of known failures, `name: vector` a line. They are not
	// failures of the run, but each of them that passes is: the list ends empty.
	Known string
	// Only plays the vectors whose names match. Nil: all.
	Only *regexp.Regexp
	// Show prints what came of each step as JSON, for whoever writes vectors, and
	// plays in one way alone.
	Show bool
	// Out gets what failed, and the summary as the last line.
	Out io.Writer
}

// Executor is one program to play.
type Executor struct {
	Name    string   // of the SDK's language
	Command []string // the program and its arguments
}

// start returns its program, which the first move starts.
func (e Executor) start(stderr io.Writer) *program {
	return &program{command: e.Command, stderr: stderr}
}

// atOnce is how many executors are played together: much of a vector is waiting.
const atOnce = 5

// ErrFailed is returned where vectors failed.
var ErrFailed = errors.New("vectors failed")

// Run plays everything. The error is ErrFailed where a vector failed that is not
// known to, or passed that is known not to; any other says why nothing was played.
//
// A vector passes where it passes in every way: in each way in which an SDK is
// used, and in the first of them once more behind a gateway that knows no more than the oldest release
// that is supported. A client of that release plays everything against this
// gateway; a line of its own tells.
func Run(ctx context.Context, options Options) error {
	then, err := oldest(os.DirFS(options.Baselines))
	if err != nil {
		return err
	}
	vectors, err := options.vectors()
	if err != nil {
		return err
	}
	known, err := readKnown(options.Known)
	if err != nil {
		return err
	}
	sdks := &tally{title: "conformance", known: known, failed: map[string]map[string]bool{}, out: options.Out}
	skew := &tally{title: "skew", known: known, failed: map[string]map[string]bool{}, out: options.Out}
	var ways []*way
	if !options.Show {
		ways = append(ways, &way{name: "a client of " + then.version, mover: &oldClient{past: then}, past: then, tally: skew})
	}
	seen := map[string]bool{}
	for _, executor := range options.Executors {
		ways = append(ways, &way{name: executor.Name, mover: executor.start(options.Out), tally: sdks})
		if !options.Show && !seen[executor.Name] { // however it is used, an SDK reads with the same code
			seen[executor.Name] = true
			ways = append(ways, &way{name: executor.Name, mover: executor.start(options.Out), past: then, behind: then, tally: sdks})
		}
	}
	if err := playWays(ctx, options, ways, vectors); err != nil {
		return err
	}
	if options.Show {
		return sdks.end(len(vectors))
	}
	return errors.Join(skew.end(len(vectors)), sdks.end(len(vectors)))
}

// vectors are those of the files and those of the samples, as far as they are wanted.
func (o *Options) vectors() ([]*conformancev1.Vector, error) {
	vectors, err := Load(os.DirFS(o.Vectors))
	if err != nil {
		return nil, err
	}
	samples, err := loadSamples(os.DirFS(o.Baselines))
	return slices.DeleteFunc(append(vectors, samples...), func(v *conformancev1.Vector) bool {
		return o.Only != nil && !o.Only.MatchString(v.GetName())
	}), err
}

// way is one way to play the vectors.
type way struct {
	name   string
	mover  mover
	past   *past // what one side knows; nil: both know everything
	behind *past // the gateway's side is that one; nil: it is not
	tally  *tally
}

func playWays(ctx context.Context, options Options, ways []*way, vectors []*conformancev1.Vector) error {
	together, ctx := errgroup.WithContext(ctx)
	together.SetLimit(atOnce)
	if options.Show {
		together.SetLimit(1) // what is shown belongs together
	}
	for _, way := range ways {
		way.tally.begin(way.name)
		together.Go(func() error {
			if err := way.play(ctx, options, vectors); err != nil {
				return fmt.Errorf("%s: %w", way.name, err)
			}
			return nil
		})
	}
	return together.Wait()
}

func (w *way) play(ctx context.Context, options Options, vectors []*conformancev1.Vector) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer w.mover.stop()
	for stage := range w.stages(ctx, options.Gateway, vectors) {
		faults := []string{"the stage: " + fmt.Sprint(stage.err)}
		if stage.err == nil {
			player := player{stage: stage, program: w.mover, past: w.past}
			if options.Show {
				player.show = options.Out
			}
			faults = player.play(ctx)
		}
		stage.close()
		if err := ctx.Err(); err != nil {
			return err
		}
		if w.behind != nil {
			for i := range faults {
				faults[i] = "behind a gateway of " + w.behind.version + ": " + faults[i]
			}
		}
		w.tally.vector(w.name, stage.vector.GetName(), faults)
	}
	return nil
}

// stages sets up each vector's stage while the one before it is played.
func (w *way) stages(ctx context.Context, gateway string, vectors []*conformancev1.Vector) <-chan *stage {
	ready := make(chan *stage)
	go func() {
		defer close(ready)
		for _, vector := range vectors {
			if w.behind != nil && !canStandBehind(vector) {
				continue
			}
			stage := newStage(ctx, gateway, vector, w.behind)
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

// canStandBehind leaves out vectors that have no gateway of ours, and those of its
// own connection: encrypted, cut or hurried.
func canStandBehind(vector *conformancev1.Vector) bool {
	killed := slices.ContainsFunc(vector.GetBackend(), func(reply *conformancev1.Reply) bool {
		return reply.GetMishap() == conformancev1.Mishap_MISHAP_KILL_GATEWAY
	})
	return vector.GetCatalog() != "" && vector.GetTransport() == conformancev1.Transport_TRANSPORT_UNSPECIFIED &&
		!killed && vector.GetHopPassesOn() == 0
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
