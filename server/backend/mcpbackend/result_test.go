package mcpbackend

import (
	"strconv"
	"strings"
	"testing"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

func TestTextIsNeverSaidTwice(t *testing.T) {
	for name, c := range map[string]struct {
		result, structured string
		texts              []string
	}{
		"as text alone":             {`{"content":[{"type":"text","text":"hi"}]}`, "", []string{"hi"}},
		"JSON in a text":            {`{"content":[{"type":"text","text":" {\"n\": 1.50} "}]}`, `{"n": 1.50}`, nil},
		"the same, spaced":          {`{"structuredContent":{"a":1,"b":2},"content":[{"type":"text","text":"{ \"b\": 2, \"a\": 1 }"}]}`, `{"a":1,"b":2}`, nil},
		"an item a block":           {`{"structuredContent":{"result":["x",{"y":1}]},"content":[{"type":"text","text":"x"},{"type":"text","text":"{\"y\":1}"}]}`, `{"result":["x",{"y":1}]}`, nil},
		"a member":                  {`{"structuredContent":{"ok":true,"message":"done"},"content":[{"type":"text","text":"done"}]}`, `{"ok":true,"message":"done"}`, nil},
		"words beside it":           {`{"structuredContent":{"n":1},"content":[{"type":"text","text":"one found"}]}`, `{"n":1}`, []string{"one found"}},
		"a number as it is":         {`{"structuredContent":{"n":12345678901234567890.10}}`, `{"n":12345678901234567890.10}`, nil},
		"two texts of JSON":         {`{"content":[{"type":"text","text":"{}"},{"type":"text","text":"[]"}]}`, "", []string{"{}", "[]"}},
		"nothing":                   {`{}`, "", nil},
		"null is no structure":      {`{"structuredContent":null,"content":[{"type":"text","text":"x"}]}`, "", []string{"x"}},
		"content that is no list":   {`{"content":"x"}`, "", nil},
		"a block that is no object": {`{"content":["x",null]}`, "", []string{`"x"`, "null"}},
	} {
		t.Run(name, func(t *testing.T) {
			reply := (&answer{result: []byte(c.result)}).reply(false)
			var texts []string
			for _, block := range reply.Result.GetContent() {
				texts = append(texts, block.GetText().GetText())
			}
			if reply.Result.GetStructuredJson() != c.structured || strings.Join(texts, "|") != strings.Join(c.texts, "|") {
				t.Errorf("%s and %q", reply.Result.GetStructuredJson(), texts)
			}
		})
	}
}

func TestAResultThatIsNoneYetIsAFailure(t *testing.T) {
	for result, want := range map[string]toolgatev1.ErrorClass{
		`{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create"}}}`: interceptors.Terminal,
		`{"resultType":"input_required"}`: interceptors.Transient,
		`{"resultType":"hologram"}`:       interceptors.Terminal,
	} {
		reply := (&answer{result: []byte(result)}).reply(false)
		if reply.ToolError.GetErrorClass() != want {
			t.Errorf("%s: %v", result, reply.ToolError)
		}
	}
	if reply := (&answer{result: []byte(`{"resultType":"complete"}`)}).reply(false); reply.Result == nil {
		t.Errorf("%v", reply)
	}
	if reply := (&fault{code: codeInputURL, message: "open this"}).reply(); reply.ToolError.GetBlockedBy() != "user_input" {
		t.Errorf("%v", reply)
	}
}

func TestAServerSpeaksForItselfOnlyWhereItIsBelieved(t *testing.T) {
	soon := time.Now().Add(7 * time.Second).UnixMilli()
	for name, c := range map[string]struct {
		meta   string
		class  toolgatev1.ErrorClass
		code   string
		waited bool
	}{
		"a ToolError": {`"dev.toolgate/error":{"class":"ERROR_CLASS_TERMINAL","code":"insufficient_funds","future":1}`, interceptors.Terminal, "insufficient_funds", false},
		"the proposal, time cures": {
			`"io.modelcontextprotocol/toolFailure":{"class":"reliability","code":"down","retryable":true,"retryNotBefore":` + strconv.FormatInt(soon, 10) + `}`, interceptors.Transient, "down", true,
		},
		"the proposal, not to be repeated": {`"io.modelcontextprotocol/toolFailure":{"class":"reliability","code":"down","retryable":false}`, interceptors.Terminal, "down", false},
		"the proposal, arguments":          {`"io.modelcontextprotocol/toolFailure":{"class":"capability","code":"bad"}`, interceptors.InvalidRequest, "bad", false},
		"the proposal, rules":              {`"io.modelcontextprotocol/toolFailure":{"class":"governance","code":"no"}`, interceptors.Terminal, "no", false},
	} {
		t.Run(name, func(t *testing.T) {
			a := &answer{result: []byte(`{"isError":true,"content":[{"type":"text","text":"words"}],"_meta":{` + c.meta + `}}`)}
			own := a.reply(true).ToolError
			if own.GetErrorClass() != c.class || own.GetCode() != c.code || (own.GetRetryAfter() > 6 && own.GetRetryAfter() <= 7) != c.waited {
				t.Errorf("%v", own)
			}
			if reply := a.reply(false); reply.ToolError != nil || string(reply.Body) != "words" {
				t.Errorf("a server that is not believed: %v", reply)
			}
		})
	}
}
