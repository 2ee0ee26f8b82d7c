package funcbackend

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// Carrier is an error that knows what the caller should do next. Any error of a
// function may be one, at any depth.
type Carrier interface {
	error
	// ToolError returns it; nil: nothing is known after all.
	ToolError() *toolgatev1.ToolError
}

// Failure is a ToolError as a Go error.
type Failure struct {
	toolError *toolgatev1.ToolError
}

var _ Carrier = (*Failure)(nil)

// Fail makes an error of a ToolError: its class, code, message, violations,
// wait, facts and conditions are taken, the rest is the gateway's. A ToolError
// without a class is not believed.
func Fail(e *toolgatev1.ToolError) error {
	return &Failure{toolError: proto.CloneOf(e)}
}

// Error is the code and the message.
func (f *Failure) Error() string {
	return strings.TrimSuffix(f.toolError.GetCode()+": "+f.toolError.GetMessage(), ": ")
}

// ToolError implements Carrier.
func (f *Failure) ToolError() *toolgatev1.ToolError { return f.toolError }

const (
	maxDepth   = 32
	maxMembers = 4
)

// textOf says what an error says. An error that says nothing of its own, or
// that hides what it wraps, gives way to its cause; one that has no words at all
// is named by its type.
func textOf(err error) string { return textAt(err, maxDepth) }

func textAt(err error, depth int) string {
	own := strings.TrimSpace(wordsOf(err))
	var inner []string
	if depth > 0 {
		for i, cause := range causesOf(err) {
			if i == maxMembers {
				break
			}
			if text := textAt(cause, depth-1); text != "" && !strings.Contains(own, text) {
				inner = append(inner, text)
			}
		}
	}
	hidden := strings.Join(inner, "; ")
	switch {
	case own == "" && hidden == "" && len(causesOf(err)) == 0:
		return typeName(err)
	case own == "":
		return hidden
	case hidden == "":
		return own
	}
	return strings.TrimRight(own, ": ") + ": " + hidden
}

// wordsOf keeps an Error method that panics from being more than a silence.
func wordsOf(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	return err.Error()
}

func causesOf(err error) []error {
	causes := []error{errors.Unwrap(err)}
	if group, ok := err.(interface{ Unwrap() []error }); ok {
		causes = group.Unwrap()
	}
	return slices.DeleteFunc(slices.Clone(causes), func(cause error) bool { return cause == nil })
}

func typeName(err error) string {
	kind := reflect.TypeOf(err)
	for kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	if kind.Name() == "" {
		return fmt.Sprintf("%T", err)
	}
	return kind.String()
}
