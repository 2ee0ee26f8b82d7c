package access

import (
	"regexp"
	"strings"
	"testing"

	accessv1 "toolgate.dev/toolgate/gen/go/toolgate/access/v1"
)

func TestAnExceptionHoldsWhateverElseIsAllowed(t *testing.T) {
	_, kept := NewKey()
	policy := compiled(t, file(func(f *accessv1.Access) {
		f.Principals = map[string]*accessv1.Principal{"ann": {
			Keys: []*accessv1.ApiKey{{Id: kept.ID, Sha256: kept.SHA256}}, Roles: []string{"billing", "reader"},
			Rights: &accessv1.Rights{Tools: []string{"billing_refund", "book_slot"}, Except: []string{"list_secrets"}},
		}}
	}), newSigner(t, "k").public())
	rights := policy.Rights("ann")
	for tool, want := range map[string]bool{
		"billing_pay": true, "list_invoices": true, "list_slots": true, "book_slot": true,
		"billing_refund": false, "list_secrets": false, "book_slots": false, "billing": false, "": false, "xbilling_pay": false,
	} {
		if rights.Permits(tool) != want {
			t.Errorf("%q: want %v", tool, want)
		}
	}
	if !rights.MayReport() || rights.PermitsAll() {
		t.Error("the report is the reader's, and not all tools are")
	}
	for _, stranger := range []string{"", "bob", "anonymous", "corp/ann", "corp/ann;", "corp/ann;none", "ann;"} {
		if r := policy.Rights(stranger); r.Permits("list_invoices") || r.MayReport() {
			t.Errorf("%q has rights", stranger)
		}
	}
	if r := policy.Rights("corp/bob;reader"); !r.Permits("list_slots") || r.Permits("billing_pay") {
		t.Error("the roles of a token's principal are its rights")
	}
}

func TestALargerNumberHoldsAndOwnOnesGoFirst(t *testing.T) {
	limits := func(rate float64, burst, inFlight uint32) *accessv1.Limits {
		return &accessv1.Limits{PerSecond: rate, Burst: burst, InFlight: inFlight}
	}
	_, kept := NewKey()
	compile := func(own *accessv1.Limits) Limits {
		return compiled(t, &accessv1.Access{
			Principals: map[string]*accessv1.Principal{"ann": {
				Keys: []*accessv1.ApiKey{{Id: kept.ID, Sha256: kept.SHA256}}, Roles: []string{"a", "b", "c"}, Rights: &accessv1.Rights{Limits: own},
			}},
			Roles: map[string]*accessv1.Rights{"a": {Limits: limits(2, 10, 0)}, "b": {Limits: limits(5, 0, 4)}, "c": {Tools: []string{"*"}}},
		}).Rights("ann").Limits()
	}
	if got := compile(nil); got != (Limits{PerSecond: 5, Burst: 10, InFlight: 4}) {
		t.Errorf("of the roles: %+v", got)
	}
	if got := compile(limits(0.5, 0, 0)); got != (Limits{PerSecond: 0.5, Burst: 1, InFlight: 4}) {
		t.Errorf("beside an own rate: %+v", got)
	}
}

// A pattern fits what a regular expression fits that is made of it.
func FuzzAPatternFitsWhatItSays(f *testing.F) {
	for _, seed := range [][2]string{{"a*c", "abc"}, {"*", ""}, {"a*b*c", "aXbYc"}, {"**a", "a"}, {"ab*ba", "aba"}, {"a*a*a", "aa"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		if len(text) > 64 || len(name) > 256 {
			return
		}
		expression, err := regexp.Compile(`\A(?s:` + strings.ReplaceAll(regexp.QuoteMeta(text), `\*`, `.*`) + `)\z`)
		if err != nil {
			return
		}
		if strings.ToValidUTF8(name, "") != name || strings.ToValidUTF8(text, "") != text {
			return // expressions read runes
		}
		if got, want := patternOf(text).fits(name), expression.MatchString(name); got != want {
			t.Errorf("%q fits %q: %v, want %v", text, name, got, want)
		}
	})
}
