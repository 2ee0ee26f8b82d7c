package cli_test

import (
	"context"
	"os"
	"testing"

	"toolgate.dev/toolgate/internal/cli"
)

// TestMain is the program itself where a shell under test calls it so.
func TestMain(m *testing.M) {
	var code int
	if os.Getenv("TOOLGATE_TEST_PROGRAM") != "" {
		code = cli.Run(context.Background(), cli.Program{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv})
	} else {
		code = m.Run()
	}
	os.Exit(code) //nolint:forbidigo // here the test is the program
}
