package expression_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/expression"
)

func compiler(t testing.TB, options ...expression.Option) *expression.Compiler {
	t.Helper()
	c, err := expression.New(options...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func answer(status int, body string) *interceptors.Reply {
	return &interceptors.Reply{Status: status, Body: []byte(body), Header: map[string][]string{
		"Retry-After": {"7"}, "X-Region": {"eu", "us"},
	}}
}

func terminal(when string) *catalogv1.ErrorRule {
	return &catalogv1.ErrorRule{When: when, Class: catalogv1.Class_CLASS_TERMINAL}
}

func TestARuleMatchesByWhatItReads(t *testing.T) {
	const arguments = `{"amount":150.00,"id":9007199254740993,"tags":["a"]}`
	for when, cases := range map[string]struct {
		reply *interceptors.Reply
		want  bool
	}{
		`status == 402`: {answer(402, ""), true},
		`status in [400, 402] && body.error.code == "no_funds"`:            {answer(402, `{"error":{"code":"no_funds"}}`), true},
		`headers["retry-after"] == "7" && headers["x-region"] == "eu, us"`: {answer(500, ""), true},
		`body == "plain words"`:                 {answer(500, "plain words"), true},
		`status == 200 && body.ok == false`:     {answer(200, `{"ok":false}`), true},
		`status == 200 && size(body.rows) == 0`: {answer(200, `{"rows":[]}`), true},
		`body == []`:                            {answer(200, `[]`), true},
		`body.?error.?code.orValue("") == "x"`:  {answer(400, `{"error":null}`), false},
		`has(body.error)`:                       {answer(400, `{"e":1}`), false},
		`body.id == 9007199254740993`:           {answer(200, `{"id":9007199254740993}`), true},
		`body.id == 9007199254740992`:           {answer(200, `{"id":9007199254740993}`), false},
		`body.id == arguments.id`:               {answer(200, `{"id":9007199254740992}`), false},
		`body.a == body.b`:                      {answer(200, `{"a":123456789012345678901,"b":123456789012345678902}`), false},
		`body.a > body.b && body.a > 5 && body.a > 1e3 && body.a != body.b`: {answer(200, `{"a":123456789012345678902,"b":123456789012345678901}`), true},
		`body.amount > 100 && 100 < body.amount && body.amount == 150`:      {answer(200, `{"amount":150.00}`), true},
		`body.rows.exists(r, r.id == 2 && "a" in arguments.tags)`:           {answer(200, `{"rows":[{"id":1},{"id":2}]}`), true},
		`body.rows == [{"id": 1}]`:                                          {answer(200, `{"rows":[{"id":1.0}]}`), true},
		`body.name.startsWith("é") && body.name.lowerAscii() != ""`:         {answer(200, `{"name":"\u00e9t\u00e9"}`), true},
		`timestamp(body.at) < timestamp("2026-01-02T00:00:00Z")`:            {answer(200, `{"at":"2026-01-01T00:00:00Z"}`), true},
		`body.dup == 2`:                {answer(200, `{"dup":1,"dup":2}`), true},
		`body.map(k, k) == ["z", "a"]`: {answer(200, `{"z":1,"a":2}`), true},
	} {
		rules, err := compiler(t).Rules("pay", []*catalogv1.ErrorRule{terminal(when)})
		if err != nil {
			t.Errorf("%s: %v", when, err)
			continue
		}
		if got := rules.Match(cases.reply, []byte(arguments)) != nil; got != cases.want {
			t.Errorf("%s on %s: got %v, want %v", when, cases.reply.Body, got, cases.want)
		}
	}
}

func TestTheFirstRuleThatMatchesSpeaks(t *testing.T) {
	first, second := terminal("status == 1"), terminal("status > 0")
	first.Code, second.Code = "first", "second"
	rules, err := compiler(t).Rules("pay", []*catalogv1.ErrorRule{first, second})
	if err != nil {
		t.Fatal(err)
	}
	if one, two := rules.Match(answer(1, ""), nil), rules.Match(answer(2, ""), nil); one.Code != "first" || two.Code != "second" {
		t.Errorf("got %s and %s", one.Code, two.Code)
	}
	if rules.Match(answer(0, ""), nil) != nil {
		t.Error("nothing should match")
	}
}

func TestWhatFailedBelowTheProtocolMatchesNoRule(t *testing.T) {
	rules, err := compiler(t).Rules("pay", []*catalogv1.ErrorRule{terminal("status != 200")})
	if err != nil {
		t.Fatal(err)
	}
	if rules.Match(&interceptors.Reply{Failure: interceptors.FailureTimeout}, nil) != nil {
		t.Error("a timeout matched")
	}
}

func TestAVerdictCarriesTheNumbersAsTheProviderWroteThem(t *testing.T) {
	rules, err := expression.CompileRules("transfer_funds", []*catalogv1.ErrorRule{{
		When: `status == 402`, Class: catalogv1.Class_CLASS_TERMINAL, Code: "insufficient_funds", Message: "no",
		BlockedBy: "balance", UnblockWith: "request_deposit", Executed: catalogv1.Executed_EXECUTED_NO, Scope: catalogv1.Scope_SCOPE_ACCOUNT,
		Facts:     map[string]string{"requested": "arguments#/amount", "balance": "/accounts/0/balance", "gone": "/nope"},
		Requested: []string{"to", "amount", "absent"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := rules.Match(answer(402, `{"accounts":[{"balance": 42.10}]}`), []byte(`{"amount":150.00,"to": {"id": 7}}`))
	if got.FactsJSON != `{"balance":42.10,"requested":150.00}` || got.RequestedJSON != `{"to":{"id":7},"amount":150.00}` {
		t.Errorf("facts %s, requested %s", got.FactsJSON, got.RequestedJSON)
	}
	if got.Class != interceptors.Terminal || got.BlockedBy != "balance" || got.UnblockWith != "request_deposit" ||
		got.Executed != interceptors.ExecutedNo || got.Scope != interceptors.ScopeAccount || got.Violation != nil || got.RetryAfter != nil {
		t.Errorf("got %+v", got)
	}
}

func TestARangeIsFilledWithFactsOrLeftOut(t *testing.T) {
	rules, err := expression.CompileRules("transfer_funds", []*catalogv1.ErrorRule{{
		When: `true`, Class: catalogv1.Class_CLASS_INVALID_REQUEST, Field: "payment.amount",
		Facts: map[string]string{"max": "/limit", "unit": "/unit"}, Range: "0.01 to {max} {unit}",
	}})
	if err != nil {
		t.Fatal(err)
	}
	arguments := []byte(`{"payment":{"amount":900.00}}`)
	full := rules.Match(answer(400, `{"limit":500.00,"unit":"EUR"}`), arguments)
	if want := (&toolgatev1.Violation{Field: "payment.amount", ValueJson: "900.00", Range: "0.01 to 500.00 EUR"}); !proto.Equal(full.Violation, want) {
		t.Errorf("got %v", full.Violation)
	}
	holed := rules.Match(answer(400, `{"limit":500.00}`), arguments)
	if holed.Violation.GetRange() != "" || holed.Violation.GetField() != "payment.amount" {
		t.Errorf("got %v", holed.Violation)
	}
}

func TestAWaitIsANumberOfSeconds(t *testing.T) {
	for text, want := range map[string]float64{
		`double(headers["retry-after"])`: 7, `30`: 30, `body.wait`: 2.5, `duration("1500ms")`: 1.5, `0`: 0,
		`-1`: -1, `body.nope`: -1, `body.word`: -1, `1.0/0.0`: -1,
	} {
		rules, err := compiler(t).Rules("pay", []*catalogv1.ErrorRule{{When: "true", Class: catalogv1.Class_CLASS_TRANSIENT, RetryAfter: text}})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := rules.Match(answer(503, `{"wait":2.5,"word":"soon"}`), nil)
		switch {
		case want < 0 && got.RetryAfter != nil:
			t.Errorf("%s: got %v, want none", text, *got.RetryAfter)
		case want >= 0 && (got.RetryAfter == nil || *got.RetryAfter != want):
			t.Errorf("%s: got %v, want %v", text, got.RetryAfter, want)
		}
	}
}

func TestTheProvidersAlternativesReplaceArguments(t *testing.T) {
	rules, err := compiler(t).Rules("book_slot", []*catalogv1.ErrorRule{{
		When: "status == 409", Class: catalogv1.Class_CLASS_TERMINAL, Alternatives: "/free",
	}})
	if err != nil {
		t.Fatal(err)
	}
	items := strings.Repeat(`{"start":"x"},`, 20)
	got := rules.Match(answer(409, `{"free":[{"start":"14:45","room":1.50},"odd",`+items+`{"start":"16:00"}]}`), []byte(`{"start":"14:30","who": "p_17"}`))
	if len(got.Alternatives) != 16 || !got.Truncated {
		t.Fatalf("got %d, truncated %v", len(got.Alternatives), got.Truncated)
	}
	if first := got.Alternatives[0]; first.GetTool() != "book_slot" || first.GetArgumentsJson() != `{"start":"14:45","who":"p_17","room":1.50}` {
		t.Errorf("got %v", first)
	}
}

func TestAFailingExpressionDoesNotMatchAndIsCountedByKind(t *testing.T) {
	for when, want := range map[string]expression.FailureKind{
		`body.a.b == 1`:      expression.FailureMissing,
		`body.list[9] == 1`:  expression.FailureMissing,
		`body.word + 1 == 2`: expression.FailureType,
		`body.word`:          expression.FailureType,
		`1 / body.zero == 1`: expression.FailureOther,
		`body.list.all(a, body.list.all(b, body.list.all(c, body.list.all(d, a + b + c + d >= 0))))`: expression.FailureCost,
	} {
		var failures []expression.Failure
		rules, err := compiler(t, expression.WithFailureHook(func(f expression.Failure) { failures = append(failures, f) })).
			Rules("pay", []*catalogv1.ErrorRule{terminal(when), terminal("status == 500")})
		if err != nil {
			t.Errorf("%s: %v", when, err)
			continue
		}
		body := `{"zero":0,"word":"x","list":[` + strings.TrimSuffix(strings.Repeat("1,", 100), ",") + `]}`
		if strings.Contains(when, "[9]") {
			body = `{"list":[]}`
		}
		if rules.Match(answer(500, body), nil) == nil {
			t.Errorf("%s: the next rule did not match", when)
		}
		if len(failures) != 1 || failures[0] != (expression.Failure{Tool: "pay", Place: "errors[0].when", Kind: want}) {
			t.Errorf("%s: got %+v, want %s", when, failures, want)
		}
	}
}

func TestEveryFaultOfARuleIsFoundAtItsPlace(t *testing.T) {
	_, err := compiler(t).Rules("pay", []*catalogv1.ErrorRule{
		{When: "status ==", Class: catalogv1.Class_CLASS_TERMINAL},
		{When: "status == 'x'\n|| bodyy.x", Class: catalogv1.Class_CLASS_TERMINAL},
		{When: "status", RetryAfter: "'soon'", UnblockWith: "deposit", Alternatives: "rows", Range: "to {max} {"},
		{Class: catalogv1.Class_CLASS_TERMINAL, Facts: map[string]string{"a": "balance", "b": "arguments#"}, Code: strings.Repeat("x", 65)},
	})
	faults, ok := err.(expression.Faults)
	if !ok {
		t.Fatalf("got %T %v", err, err)
	}
	var places []string
	for _, f := range faults {
		places = append(places, f.Path)
		if f.Message == "" {
			t.Errorf("%s says nothing", f.Path)
		}
	}
	want := "[0].when [1].when [1].when [2].when [2].retry_after [2].class [2].retry_after [2].unblock_with [2].alternatives " +
		"[2].range [2].range [3].when [3].facts.a [3].facts.b [3].code"
	if got := strings.Join(places, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if faults[2].Line != 2 || faults[2].Column != 4 {
		t.Errorf("place in the expression: %d:%d", faults[2].Line, faults[2].Column)
	}
	if !strings.Contains(err.Error(), "[1].when (2:4): ") {
		t.Errorf("the text names no place:\n%v", err)
	}
}

func TestNoRulesAreNil(t *testing.T) {
	if rules, err := compiler(t).Rules("pay", nil); rules != nil || err != nil {
		t.Errorf("got %v, %v", rules, err)
	}
}

func FuzzNoReplyBreaksARule(f *testing.F) {
	rules, err := expression.CompileRules("pay", []*catalogv1.ErrorRule{{
		When:  `body.error.code == "x" || body.rows.exists(r, r.id > 3) || arguments.a == body.a || size(body) > 3`,
		Class: catalogv1.Class_CLASS_TRANSIENT, RetryAfter: `body.wait`, Facts: map[string]string{"a": "/a", "b": "arguments#/b"},
		Requested: []string{"a"}, Field: "a[0].b", Range: "{a}", Alternatives: "/rows",
	}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(`{"error":{"code":"x"},"a":1.50,"rows":[{"id":1e999}],"wait":1e400}`), []byte(`{"a":[{"b":1}]}`))
	f.Add([]byte(`not json`), []byte(``))
	f.Fuzz(func(t *testing.T, body, arguments []byte) {
		verdict := rules.Match(&interceptors.Reply{Status: 400, Body: body}, arguments)
		if verdict != nil && verdict.RetryAfter != nil && !(*verdict.RetryAfter >= 0 && *verdict.RetryAfter < 1e308) {
			t.Fatalf("a wait of %v", *verdict.RetryAfter)
		}
	})
}

func BenchmarkMatchOnSuccess(b *testing.B) {
	rules, err := expression.CompileRules("pay", []*catalogv1.ErrorRule{
		terminal(`status == 402 && body.error.code == "no_funds"`), terminal(`status == 200 && has(body.ok) && body.ok == false`),
	})
	if err != nil {
		b.Fatal(err)
	}
	reply := answer(200, `{"ok":true,"rows":[`+strings.TrimSuffix(strings.Repeat(`{"id":"abc","amount":12.50},`, 500), ",")+`]}`)
	b.ReportAllocs()
	for b.Loop() {
		if rules.Match(reply, nil) != nil {
			b.Fatal("matched")
		}
	}
}
