package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"

	"golang.org/x/term"

	"toolgate.dev/toolgate/internal/arguments"
	"toolgate.dev/toolgate/internal/redact"
)

// interactive reports that a person can be asked: no stream is a pipe, so that no
// script ever waits for an answer.
func (s *session) interactive() bool { return s.InTerminal && s.Terminal && s.ErrTerminal }

// askMissing asks for the arguments that the schema requires and that were not
// given.
func (s *session) askMissing(ctx context.Context, pairs []pair, known schema) ([]pair, error) {
	given := map[string]bool{}
	for _, p := range pairs {
		given[p.key] = true
	}
	var asker *asker
	for _, name := range known.required() {
		if given[name] {
			continue
		}
		if asker == nil {
			asker = newAsker(s)
		}
		p, err := asker.ask(ctx, name, known)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, p)
	}
	return pairs, nil
}

// asker asks one person.
type asker struct {
	*session
	lines *bufio.Reader
}

func newAsker(s *session) *asker { return &asker{session: s, lines: bufio.NewReader(s.Stdin)} }

// ask asks for one argument until its schema takes the answer.
func (a *asker) ask(ctx context.Context, name string, known schema) (pair, error) {
	fmt.Fprintf(a.Stderr, "%s %s\n", a.err.bold(visible(name)), a.err.dim(visible(known.about(name))))
	if values := known.property(name).values(); len(values) > 0 {
		fmt.Fprintf(a.Stderr, "  %s\n", a.err.dim(visible(cut("one of "+strings.Join(values, ", "), a.Width-4))))
	}
	for {
		fmt.Fprint(a.Stderr, a.err.bold("> "))
		text, err := a.line(ctx, redact.SecretName(name))
		switch {
		case ctx.Err() != nil:
			fmt.Fprintln(a.Stderr)
			return pair{}, usage("interrupted", "the call was not made")
		case errors.Is(err, io.EOF):
			fmt.Fprintln(a.Stderr)
			return pair{}, usage(name+" is required", fmt.Sprintf("pass it as %s=…; the call was not made", name))
		case err != nil:
			return pair{}, err
		case text == "":
			a.notef("it is required; Ctrl-C leaves without a call")
			continue
		}
		p := pair{key: name, value: text}
		problem := a.problem(p, known)
		if problem == "" {
			return p, nil
		}
		fmt.Fprintf(a.Stderr, "  %s\n", a.err.bad(visible(problem)))
	}
}

// line reads one line; a secret is not shown while it is typed.
func (a *asker) line(ctx context.Context, secret bool) (string, error) {
	type answer struct {
		text string
		err  error
	}
	read := make(chan answer, 1)
	go func() { // a read of a terminal can't be interrupted
		terminal, ok := a.Stdin.(*os.File)
		if secret && ok && a.lines.Buffered() == 0 {
			text, err := term.ReadPassword(int(terminal.Fd()))
			fmt.Fprintln(a.Stderr)
			read <- answer{string(text), err}
			return
		}
		text, err := a.lines.ReadString('\n')
		if text != "" && errors.Is(err, io.EOF) {
			err = nil
		}
		read <- answer{strings.TrimRight(text, "\r\n"), err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case got := <-read:
		return got.text, got.err
	}
}

// problem says why the schema would refuse an answer, after coercion; empty: it
// would not, or nobody knows.
func (a *asker) problem(p pair, known schema) string {
	alone := map[string]json.RawMessage{}
	maps.Copy(alone, known.root)
	for _, keyword := range []string{"required", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "minProperties"} {
		delete(alone, keyword) // they speak of the arguments together
	}
	text, err := json.Marshal(alone)
	if err != nil {
		return ""
	}
	explained, err := arguments.Explain(text, argumentsOf([]pair{p}, known))
	if err != nil || len(explained.Errors) == 0 {
		return ""
	}
	first := explained.Errors[0]
	return sentence(first.Message, first.Accepted, first.Suggest)
}
