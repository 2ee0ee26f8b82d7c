package resolve_test

import (
	"context"
	"testing"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/resolve"
)

type catalogue map[string]*interceptors.Tool

var pseudo = &interceptors.Tool{Name: "unknown_tool", Unknown: true}

func (c catalogue) Lookup(name string) (*interceptors.Tool, bool) { t, ok := c[name]; return t, ok }
func (c catalogue) Unknown() *interceptors.Tool                   { return pseudo }

func resolved(t *testing.T, room *resolve.Room, name string) *interceptors.Tool {
	t.Helper()
	var got *interceptors.Tool
	chain := interceptors.Chain(func(_ context.Context, call *interceptors.Call) (*interceptors.Outcome, error) {
		got = call.Tool
		return &interceptors.Outcome{}, nil
	}, room.Interceptor())
	call := &interceptors.Call{Run: interceptors.RunKey{Principal: "ann", ID: "r"}, Name: name}
	if _, err := chain(context.Background(), call); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestAForbiddenNameAndAnUnknownOneShareThePseudoTool(t *testing.T) {
	open, secret := &interceptors.Tool{Name: "open"}, &interceptors.Tool{Name: "secret"}
	tools := catalogue{"open": open, "secret": secret}
	room := resolve.New(func() resolve.Catalogue { return tools }, func(principal, tool string) bool {
		return principal == "ann" && tool != "secret"
	})
	for name, want := range map[string]*interceptors.Tool{"open": open, "secret": pseudo, "nowhere": pseudo, "": pseudo, "OPEN": pseudo} {
		if got := resolved(t, room, name); got != want {
			t.Errorf("%q resolved to %v, want %v", name, got, want)
		}
	}
}

func TestACallHasAToolEvenWhereAskingForThePermissionPanics(t *testing.T) {
	room := resolve.New(func() resolve.Catalogue { return catalogue{} }, func(string, string) bool { panic("no directory") })
	call := &interceptors.Call{Name: "a"}
	defer func() {
		if recover() == nil || call.Tool != pseudo {
			t.Errorf("got %v, want the pseudo-tool", call.Tool)
		}
	}()
	_, _ = interceptors.Chain(nil, room.Interceptor())(t.Context(), call)
}

func TestTheCatalogueOfTheMomentIsPinned(t *testing.T) {
	first, second := &interceptors.Tool{Name: "a", Version: "1"}, &interceptors.Tool{Name: "a", Version: "2"}
	serving := catalogue{"a": first}
	room := resolve.New(func() resolve.Catalogue { return serving }, func(string, string) bool { return true })
	before := resolved(t, room, "a")
	serving = catalogue{"a": second}
	if after := resolved(t, room, "a"); before != first || after != second {
		t.Errorf("got versions %s and %s, want 1 and 2", before.Version, after.Version)
	}
}
