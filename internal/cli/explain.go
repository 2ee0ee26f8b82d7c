package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

func (s *session) explain() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain",
		Short: "Show how the gateway would judge a failure, or arguments",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(s.explainFailure(), s.explainArguments())
	return cmd
}

// open opens a file, or standard input for -.
func (s *session) open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(s.Stdin), nil
	}
	return os.Open(name) //nolint:gosec // the file that the person named
}

// eachLine hands every line that is not empty to answer and prints what it
// makes of it. A line that can't be answered is reported and does not stop the
// others.
func (s *session) eachLine(file string, answer func(line []byte) ([]byte, error)) error {
	input, err := s.open(file)
	if err != nil {
		return usage(err.Error(), "--cases takes a file with one JSON object a line, or -")
	}
	defer input.Close()
	lines, out := bufio.NewReader(input), bufio.NewWriter(s.Stdout)
	failed := 0
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			text, wrong := answer(line)
			if wrong != nil {
				failed++
				fmt.Fprintf(s.Stderr, "%s:%d: %v\n", file, number, wrong)
			} else {
				_, _ = out.Write(append(text, '\n')) // Flush tells
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if failed > 0 {
		return usage(count(failed, "case")+" could not be read", "the others were answered")
	}
	return nil
}
