package redis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// The content of a memory, as a protobuf message of these fields, so that
// replicas of different versions read one another's.
const (
	fieldVersion   = protowire.Number(1)
	fieldError     = protowire.Number(2)
	fieldArguments = protowire.Number(3)
)

func encodeMemory(m *interceptors.Memory) (string, error) {
	failure, err := proto.Marshal(m.Error)
	if err != nil {
		return "", fmt.Errorf("a failure of %s to remember: %w", m.Tool, err)
	}
	var b []byte
	for number, value := range [...][]byte{fieldVersion: []byte(m.Version), fieldError: failure, fieldArguments: m.Arguments} {
		if len(value) > 0 {
			b = protowire.AppendTag(b, protowire.Number(number), protowire.BytesType) //nolint:gosec // 1 to 3
			b = protowire.AppendBytes(b, value)
		}
	}
	return string(b), nil
}

func (s *state) decodeMemory(h head, content string) (*interceptors.Memory, error) {
	m := &interceptors.Memory{
		Tool: h.tool, Error: &toolgatev1.ToolError{}, TTL: h.ttl, Unknown: h.flag == flagUnknown,
		Until: s.heard.Add(time.Duration(h.until-s.now) * time.Microsecond),
	}
	b := []byte(content)
	for len(b) > 0 {
		number, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return nil, fmt.Errorf("a remembered failure of %s: %w", h.tool, protowire.ParseError(size))
		}
		b = b[size:]
		if size = protowire.ConsumeFieldValue(number, kind, b); size < 0 {
			return nil, fmt.Errorf("a remembered failure of %s: %w", h.tool, protowire.ParseError(size))
		}
		if err := readMemoryField(m, number, kind, b[:size]); err != nil {
			return nil, fmt.Errorf("a remembered failure of %s: %w", h.tool, err)
		}
		b = b[size:]
	}
	return m, nil
}

func readMemoryField(m *interceptors.Memory, number protowire.Number, kind protowire.Type, field []byte) error {
	if kind != protowire.BytesType {
		return nil // of a later version
	}
	value, _ := protowire.ConsumeBytes(field)
	switch number {
	case fieldVersion:
		m.Version = string(value)
	case fieldError:
		return proto.Unmarshal(value, m.Error)
	case fieldArguments:
		m.Arguments = slices.Clone(value)
	}
	return nil
}

// left is how long from now on a memory answers, in µs.
func left(m *interceptors.Memory) string {
	return strconv.FormatInt(time.Until(m.Until).Microseconds(), 10)
}

func micros(d time.Duration) string { return strconv.FormatInt(d.Microseconds(), 10) }
func millis(d time.Duration) string { return strconv.FormatInt(max(d.Milliseconds(), 1), 10) }

// oneLine keeps a name that stands in a list of lines. A tool's name has no
// line break; what has one is no tool.
func oneLine(name string) string {
	if strings.Contains(name, "\n") {
		return ""
	}
	return name
}

func classOf(class toolgatev1.ErrorClass) string {
	if class < 0 || class >= classes {
		class = 0
	}
	return strconv.Itoa(int(class))
}

// sequenceText keeps to what the scripts' numbers hold exactly.
func sequenceText(sequence uint64) string {
	const most = 1<<53 - 1
	return strconv.FormatUint(min(sequence, most), 10)
}
