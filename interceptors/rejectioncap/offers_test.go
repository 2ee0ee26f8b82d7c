package rejectioncap_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/ledger/memory"
)

func TestAnOfferedCallPassesTheCapOnceAndNeverCounts(t *testing.T) {
	h := newHouse(t, memory.New())
	h.answer = reject("taken", `{"slot":10}`, `{"slot":11}`, ``)
	for n := range 3 {
		h.call(book(), fmt.Sprintf(`{"slot":%d}`, n))
	}
	want(t, h.call(book(), `{"slot":12}`), interceptors.Terminal, interceptors.CodeRejectionCap, 3)
	offered := h.call(book(), `{"slot":10}`)
	want(t, offered, interceptors.Terminal, "taken", 3)
	want(t, h.call(book(), `{"slot":10}`), interceptors.Terminal, interceptors.CodeRejectionCap, 3)
	h.answer = succeed
	if got := h.call(book(), `{"slot":11}`); got.Result == nil {
		t.Errorf("got %v", got.Error)
	}
	h.wantRuns(5)
}

func TestAnOfferedCallBelowTheCapNeverCounts(t *testing.T) {
	h := newHouse(t, memory.New())
	h.answer = reject("taken", `{"slot":10}`)
	want(t, h.call(book(), `{"slot":1}`), interceptors.InvalidRequest, "taken", 1)
	want(t, h.call(book(), `{"slot":10}`), interceptors.InvalidRequest, "taken", 1)
	want(t, h.call(book(), `{"slot":10}`), interceptors.InvalidRequest, "taken", 2)
}

func TestAnOfferedCallThatMustBeSentAgainPassesAgain(t *testing.T) {
	for name, answer := range map[string]func(*interceptors.Call) (*interceptors.Outcome, error){
		"transient": func(*interceptors.Call) (*interceptors.Outcome, error) {
			return failure(interceptors.Transient, "busy", 0), nil
		},
		"cancelled": func(*interceptors.Call) (*interceptors.Outcome, error) {
			return nil, interceptors.StatusInternal(errors.New("x"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, memory.New())
			h.answer = reject("taken", `{"slot":10}`)
			for n := range 3 {
				h.call(book(), fmt.Sprintf(`{"slot":%d}`, n))
			}
			h.answer = answer
			snapshot, _ := h.ledger.Snapshot(t.Context(), run)
			_, _ = h.chain(t.Context(), &interceptors.Call{Run: run, Text: `{"slot":10}`, Tool: book(), Snapshot: snapshot})
			h.answer = succeed
			if got := h.call(book(), `{"slot":10}`); got.Result == nil {
				t.Errorf("got %v", got.Error)
			}
		})
	}
}

func TestARefusalOffersTheFallbacksThatAreUsable(t *testing.T) {
	h := newHouse(t, memory.New())
	h.forbidden = "staff"
	tool := book()
	tool.Fallbacks = []*toolgatev1.Alternative{
		{Tool: "staff", Label: "a person"}, {Tool: "waitlist", ArgumentsJson: `{"list":"any"}`, Label: "the waiting list"},
	}
	for range 3 {
		h.call(tool, `{}`)
	}
	e := h.call(tool, `{}`).Error
	if e.GetAlternatives()[0] == tool.Fallbacks[1] {
		t.Error("the catalogue's own went out")
	}
	if len(e.GetAlternatives()) != 1 || e.GetAlternatives()[0].GetTool() != "waitlist" {
		t.Errorf("got %v", e.GetAlternatives())
	}
	if ok, _ := h.ledger.TakeOffer(t.Context(), run, interceptors.Offer{Tool: "waitlist", Key: sha256.Sum256([]byte(`waitlist{"list":"any"}`))}); !ok {
		t.Error("the fallback was not offered")
	}
}
