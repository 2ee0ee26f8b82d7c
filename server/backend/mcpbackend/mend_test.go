package mcpbackend

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAHeadIsMendedWhereverItWasCut(t *testing.T) {
	text := []byte(`{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"a\"b\\\u00e9\ud83d\ude00é😀","n":-1.5e3},true,[],{}]},"id":1048577}`)
	if !json.Valid(text) {
		t.Fatal("the test's text is no JSON")
	}
	for cut := 1; cut <= len(text); cut++ {
		if got := mend(text[:cut]); !json.Valid(got) {
			t.Fatalf("cut at %d, %s became %s", cut, text[:cut], got)
		}
	}
	if got := mend([]byte(`{"result":{"text":"half of a sent`)); string(got) != `{"result":{"text":"half of a sent"}}` {
		t.Errorf("the text is lost: %s", got)
	}
}

func FuzzMend(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"c\"]"}],"d":-1.5e3}`), 9)
	f.Add([]byte(`["\\\\\u00`), 10)
	f.Add([]byte(`}}]]"`), 5)
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		head := text[:min(max(cut, 0), len(text))]
		got := mend(head)
		trimmed := bytes.TrimSpace(text)
		container := len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[')
		if json.Valid(text) && container && len(bytes.TrimSpace(head)) > 0 && !json.Valid(got) {
			t.Fatalf("%q became %q", head, got)
		}
		if json.Valid(text) && utf8.Valid(text) && !utf8.Valid(got) {
			t.Fatalf("%q became %q, which is no text", head, got)
		}
	})
}

func TestLinesAreReadInBoundedMemory(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	lines := newLineReader(strings.NewReader("one\r\n\n" + long + `"id":7}` + "\nlast"))
	for _, want := range []struct {
		text string
		cut  bool
	}{{"one", false}, {"", false}, {long[:100], true}, {"last", false}} {
		got, err := lines.next(100)
		if string(got.text) != want.text || got.cut != want.cut || got.cut && !strings.HasSuffix(string(got.tail), `"id":7}`) || len(got.tail) > tailBytes {
			t.Errorf("read %.20q cut %v, %d of its end, %v", got.text, got.cut, len(got.tail), err)
		}
	}
}
