package chaos

import (
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

func TestTheVerdict(t *testing.T) {
	at := func(seconds int) time.Time { return time.Unix(1_000_000+int64(seconds), 0) }
	sent := func(from, to int, code codes.Code, o outcome) send {
		return send{Begin: at(from), End: at(to), Code: code, Outcome: o}
	}
	result := outcome{Result: true}
	terminal := toolgatev1.ErrorClass_ERROR_CLASS_TERMINAL
	refused := outcome{Class: terminal, Code: "slot_taken", Tried: 1}
	paid := func(key string) entry { return entry{Tool: toolPay, Ref: "1", Effect: true, Key: key} }
	tests := []struct {
		name   string
		tool   string
		sends  []send
		record []entry
		blind  []window
		gentle bool
		want   Verdict
	}{
		{"a result with its effect is fine", toolPay, []send{sent(0, 1, codes.OK, result)}, []entry{paid("")}, nil, false, Verdict{}},
		{"a result without an effect is invented", toolPay, []send{sent(0, 1, codes.OK, result)}, nil, nil, false, Verdict{Lost: 1, Invented: 1}},
		{"an effect that an error denies is hidden", toolPay, []send{sent(0, 1, codes.OK, outcome{Class: terminal})}, []entry{paid("")}, nil, false,
			Verdict{Lost: 1, Hidden: 1}},
		{"an effect that an error leaves open is fine", toolPay, []send{sent(0, 1, codes.OK, outcome{Class: terminal, Maybe: true})}, []entry{paid("")},
			nil, false, Verdict{}},
		{"INTERNAL is unclean", toolRead, []send{sent(0, 1, codes.Internal, outcome{})}, nil, nil, false, Verdict{Lost: 1, Unclean: 1}},
		{"an empty response is unclean", toolRead, []send{sent(0, 1, codes.OK, outcome{None: true})}, nil, nil, false, Verdict{Lost: 1, Unclean: 1}},
		{"nobody cancelled", toolRead, []send{sent(0, 1, codes.Canceled, outcome{})}, nil, nil, false, Verdict{Lost: 1, Unclean: 1}},
		{"UNAVAILABLE is clean", toolRead, []send{sent(0, 1, codes.Unavailable, outcome{})}, nil, nil, false, Verdict{}},
		{"UNAVAILABLE in a drain is a call dropped", toolRead, []send{sent(0, 1, codes.Unavailable, outcome{})}, nil, nil, true,
			Verdict{Lost: 1, Dropped: 1}},
		{"what outlives its deadline hung", toolRead, []send{sent(0, 12, codes.DeadlineExceeded, outcome{})}, nil, nil, false, Verdict{Lost: 1, Hung: 1}},
		{"two effects are one too many", toolPay, []send{sent(0, 1, codes.OK, result)}, []entry{paid(""), paid("")}, nil, false, Verdict{Doubled: 1}},
		{"also of a call that was sent twice", toolPay, []send{sent(0, 1, codes.Unavailable, outcome{}), sent(2, 3, codes.OK, result)},
			[]entry{paid(""), paid("")}, nil, false, Verdict{Doubled: 1}},
		{"without Redis that is within the bound", toolPay, []send{sent(0, 1, codes.Unavailable, outcome{}), sent(2, 3, codes.OK, result)},
			[]entry{paid(""), paid("")}, []window{{at(2), at(9)}}, false, Verdict{BlindResent: 1, BlindDoubled: 1}},
		{"never of a call that was sent once", toolPay, []send{sent(2, 3, codes.OK, result)},
			[]entry{paid(""), paid("")}, []window{{at(2), at(9)}}, false, Verdict{Doubled: 1}},
		{"one key as often as you like", toolKeyed, []send{sent(0, 1, codes.OK, result)}, []entry{paid("k"), paid("k")}, nil, false, Verdict{}},
		{"two keys are two effects", toolKeyed, []send{sent(0, 1, codes.OK, result)}, []entry{paid("k"), paid("l")}, nil, false,
			Verdict{Doubled: 1, DoubleKey: 1}},
		{"the cap is three", toolBook, []send{sent(0, 1, codes.OK, refused)}, nil, nil, false, Verdict{CapRuns: 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			trial := trial{
				calls: []*call{{Tool: test.tool, Run: "r", Ref: "1", ID: "1", Sends: test.sends}}, record: test.record, blind: test.blind,
				gentle: func(int) bool { return test.gentle },
			}
			got := trial.judge()
			got.Calls, got.Sends, got.Effects, got.Faulty = 0, 0, 0, nil
			if gotText, want := *got, test.want; !same(gotText, want) {
				t.Errorf("got %+v, want %+v", gotText, want)
			}
		})
	}
}

func same(a, b Verdict) bool {
	return a.Lost == b.Lost && a.Unclean == b.Unclean && a.Hung == b.Hung && a.Dropped == b.Dropped && a.Invented == b.Invented &&
		a.Hidden == b.Hidden && a.Doubled == b.Doubled && a.DoubleKey == b.DoubleKey && a.BlindResent == b.BlindResent &&
		a.BlindDoubled == b.BlindDoubled && a.CapRuns == b.CapRuns && a.CapBroken == b.CapBroken
}
