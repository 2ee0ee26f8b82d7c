// Command conformance is the executor of the Go SDK: it makes the moves that
// toolgate-conformance asks for, see proto/toolgate/conformance/v1.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"google.golang.org/protobuf/encoding/protodelim"

	conformancev1 "toolgate.dev/toolgate/gen/go/toolgate/conformance/v1"
)

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) //nolint:forbidigo // it is a program
	}
}

// serve answers requests until the input ends.
func serve(in io.Reader, out io.Writer) error {
	input := bufio.NewReader(in)
	for {
		var request conformancev1.ExecuteRequest
		err := protodelim.UnmarshalFrom(input, &request)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read a request: %w", err)
		}
		if _, err := protodelim.MarshalTo(out, execute(&request)); err != nil {
			return fmt.Errorf("write a response: %w", err)
		}
	}
}
