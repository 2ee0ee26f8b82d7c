package dispatch

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"toolgate.dev/toolgate/interceptors"
)

func reply(kind, body string) *interceptors.Reply {
	return &interceptors.Reply{Status: 200, Header: map[string][]string{"Content-Type": {kind}}, Body: []byte(body)}
}

func tool(limit uint32, shape interceptors.ResultShape) *interceptors.Tool {
	return &interceptors.Tool{Results: shape, Policy: interceptors.Policy{MaxResultBytes: limit}}
}

func TestAnAnswerKeepsItsDigitsAndKeyOrder(t *testing.T) {
	const body = `{"z":1400000000000000013,"a":19.90}`
	got := answer(tool(1000, interceptors.ResultShape{}), reply("application/json", body))
	if got.GetStructuredJson() != body || got.GetTruncated() || len(got.GetContent()) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestOfALongListOnlyItsItemsAreCutAndWhatStandsAroundSurvives(t *testing.T) {
	items := make([]string, 2000)
	for i := range items {
		items[i] = fmt.Sprintf(`{"id":%d,"name":"日本語 %d"}`, i, i)
	}
	body := `{"object":"list","data":[` + strings.Join(items, ",") + `],"next":"c_9"}`
	got := answer(tool(4096, interceptors.ResultShape{}), reply("application/json", body))
	var seen struct {
		Data []any
		Next string
	}
	if err := json.Unmarshal([]byte(got.GetStructuredJson()), &seen); err != nil {
		t.Fatal(err)
	}
	if len(got.GetStructuredJson()) > 4096 || !got.GetTruncated() || seen.Next != "c_9" {
		t.Errorf("%d bytes, truncated %v, next %q", len(got.GetStructuredJson()), got.GetTruncated(), seen.Next)
	}
	if uint64(len(seen.Data)) != got.GetReturned() || got.Matched == nil || got.GetMatched() != 2000 {
		t.Errorf("returned %d of %v, holds %d", got.GetReturned(), got.Matched, len(seen.Data))
	}
}

func TestTheCatalogueSaysWhereTheListAndTheTotalStand(t *testing.T) {
	shape := interceptors.ResultShape{Items: "/page/rows", Matched: "/page/total"}
	got := answer(tool(1000, shape), reply("application/json", `{"page":{"rows":[1,2,3],"total":77},"tags":[1,2,3,4,5,6,7,8,9,10,11,12]}`))
	if got.GetReturned() != 3 || got.GetMatched() != 77 || got.GetTruncated() {
		t.Errorf("got returned %d matched %d truncated %v", got.GetReturned(), got.GetMatched(), got.GetTruncated())
	}
}

func TestAnEmptyListIsASuccessOfZeroItems(t *testing.T) {
	got := answer(tool(1000, interceptors.ResultShape{}), reply("application/json", `[]`))
	if got.GetStructuredJson() != "[]" || got.GetReturned() != 0 || got.GetTruncated() {
		t.Errorf("got %v", got)
	}
}

func TestOfAHeadWhatIsWholeIsKeptAndClosed(t *testing.T) {
	r := reply("application/json", `{"a":[1,22,{"b":"x"}],"c":[3,44`)
	r.BodySize = 5 << 20
	got := answer(tool(1000, interceptors.ResultShape{}), r)
	if want := `{"a":[1,22,{"b":"x"}],"c":[3]}`; got.GetStructuredJson() != want || !got.GetTruncated() {
		t.Errorf("got %s, want %s", got.GetStructuredJson(), want)
	}
}

func TestTextIsCutAtARuneAndBrokenTextIsMended(t *testing.T) {
	got := answer(tool(10, interceptors.ResultShape{}), reply("text/plain", "日本語日本語"))
	text := got.GetContent()[0].GetText().GetText()
	if text != "日本語" || !got.GetTruncated() {
		t.Errorf("got %q truncated %v", text, got.GetTruncated())
	}
	broken := answer(tool(100, interceptors.ResultShape{}), reply("text/plain", "a\xffb")).GetContent()[0].GetText().GetText()
	if !utf8.ValidString(broken) {
		t.Errorf("got %q", broken)
	}
}

func TestJSONThatDoesNotParseIsPassedOnAsText(t *testing.T) {
	got := answer(tool(100, interceptors.ResultShape{}), reply("application/json", "{'a': 1}"))
	if got.GetStructuredJson() != "" || got.GetContent()[0].GetText().GetText() != "{'a': 1}" {
		t.Errorf("got %v", got)
	}
}

func TestAnImageIsWholeOrLeftOut(t *testing.T) {
	png := reply("image/png", "\x89PNG....")
	if got := answer(tool(100, interceptors.ResultShape{}), png); string(got.GetContent()[0].GetImage().GetData()) != "\x89PNG...." {
		t.Errorf("got %v", got)
	}
	if got := answer(tool(4, interceptors.ResultShape{}), png); len(got.GetContent()) != 0 || !got.GetTruncated() {
		t.Errorf("got %v", got)
	}
}

func randomJSON(r *rand.Rand, depth int) string {
	switch n := r.IntN(7); {
	case n == 0 && depth > 0:
		var parts []string
		for i := range r.IntN(6) {
			parts = append(parts, fmt.Sprintf("%q : %s", fmt.Sprintf("k%d\"é", i), randomJSON(r, depth-1)))
		}
		return "{" + strings.Join(parts, " ,") + "}"
	case n <= 2 && depth > 0:
		var parts []string
		for range r.IntN(9) {
			parts = append(parts, randomJSON(r, depth-1))
		}
		return "[ " + strings.Join(parts, ",") + "]"
	case n == 3:
		return fmt.Sprint(r.IntN(100000))
	case n == 4:
		return "-1.50e-7"
	case n == 5:
		return `"` + strings.Repeat(`a\"]}日`, r.IntN(4)) + `"`
	default:
		return "null"
	}
}

func TestWhateverIsCutIsWholeJSONWithinItsLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		text := randomJSON(r, 5)
		limit := 4 + r.IntN(len(text)+3)
		for _, whole := range []bool{true, false} {
			body := []byte(text)
			if !whole {
				body = body[:r.IntN(len(body)+1)]
			}
			got := cutJSON(body, whole, limit, interceptors.ResultShape{})
			if !json.Valid(got.text) || len(got.text) > limit {
				t.Fatalf("whole %v, limit %d:\n%s\ngave\n%s", whole, limit, body, got.text)
			}
			if whole && len(text) <= limit && string(got.text) != text {
				t.Fatalf("what fits was changed: %s to %s", text, got.text)
			}
		}
	}
}

func FuzzCut(f *testing.F) {
	f.Add([]byte(`{"data":[1,2,{"x":"y"}]}`), 12)
	f.Add([]byte(`[[[["`), 3)
	f.Fuzz(func(t *testing.T, body []byte, limit int) {
		limit = 4 + min(max(limit, 0), 1<<16)
		whole := json.Valid(body) && len(body) > 0
		if len(strings.TrimSpace(string(body))) == 0 {
			return
		}
		got := cutJSON(body, whole, limit, interceptors.ResultShape{})
		if len(got.text) > max(limit, len("null")) {
			t.Fatalf("%d bytes over %d", len(got.text), limit)
		}
		if whole && !json.Valid(got.text) {
			t.Fatalf("not JSON: %q from %q", got.text, body)
		}
	})
}
