package expression

import (
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/rawjson"
)

// result is a tool's answer as an expression reads it: its JSON, else its text;
// null where there is none.
func (r *reader) result(result *toolgatev1.ToolResult) ref.Val {
	if result == nil {
		return types.NullValue
	}
	if text := result.GetStructuredJson(); text != "" {
		return r.document([]byte(text))
	}
	var texts []string
	for _, block := range result.GetContent() {
		if text := block.GetText(); text != nil {
			texts = append(texts, text.GetText())
		}
	}
	return r.document([]byte(strings.Join(texts, "\n")))
}

// failure is an error as an expression reads it: the fields of ToolError under
// their names, the class in lower case, all of them there; null where there is
// no error.
func (r *reader) failure(e *toolgatev1.ToolError) ref.Val {
	if e == nil {
		return types.NullValue
	}
	text := []byte{'{'}
	add := func(name string, value []byte) { text = rawjson.AppendMember(text, name, value) }
	addString := func(name, value string) { add(name, rawjson.AppendString(nil, value)) }
	addBool := func(name string, value bool) { add(name, strconv.AppendBool(nil, value)) }

	addString("class", className(e.GetErrorClass()))
	addString("code", e.GetCode())
	addString("message", e.GetMessage())
	if e.RetryAfter == nil {
		add("retry_after", []byte("null"))
	} else {
		add("retry_after", strconv.AppendFloat(nil, e.GetRetryAfter(), 'g', -1, 64))
	}
	addBool("exhausted", e.GetExhausted())
	add("violations", violationsJSON(e.GetViolations()))
	addString("blocked_by", e.GetBlockedBy())
	addString("unblock_with", e.GetUnblockWith())
	add("requested", objectOrEmpty(e.GetRequestedJson()))
	add("facts", objectOrEmpty(e.GetFactsJson()))
	addBool("maybe_executed", e.GetMaybeExecuted())
	addBool("partial", e.GetPartial())
	add("upstream_status", strconv.AppendUint(nil, uint64(e.GetUpstreamStatus()), 10))
	add("attempts", strconv.AppendUint(nil, uint64(e.GetAttempts()), 10))
	return r.document(append(text, '}'))
}

func className(class toolgatev1.ErrorClass) string {
	return strings.ToLower(strings.TrimPrefix(class.String(), "ERROR_CLASS_"))
}

func objectOrEmpty(text string) []byte {
	if text == "" {
		return []byte("{}")
	}
	return []byte(text)
}

func violationsJSON(violations []*toolgatev1.Violation) []byte {
	text := []byte{'['}
	for i, v := range violations {
		if i > 0 {
			text = append(text, ',')
		}
		value := v.GetValueJson()
		if value == "" {
			value = "null"
		}
		one := rawjson.AppendMember([]byte{'{'}, "field", rawjson.AppendString(nil, v.GetField()))
		one = rawjson.AppendMember(one, "value", []byte(value))
		one = rawjson.AppendMember(one, "problem", rawjson.AppendString(nil, v.GetProblem()))
		one = rawjson.AppendMember(one, "format", rawjson.AppendString(nil, v.GetFormat()))
		one = rawjson.AppendMember(one, "range", rawjson.AppendString(nil, v.GetRange()))
		text = append(append(text, one...), '}')
	}
	return append(text, ']')
}
