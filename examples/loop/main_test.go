package main

import (
	"strings"
	"testing"
	"time"
)

func TestTheStoriesEndAsTheyMustAndBesideThemAsTheyDo(t *testing.T) {
	played, err := play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(played) != 6 {
		t.Fatalf("played %d", len(played))
	}
	for i, want := range []struct {
		requests int64
		turns    int
	}{{1, 2}, {2, 3}, {3, 3}} { // the last: the lookup of the alternatives too
		gated, naive := played[2*i], played[2*i+1]
		if !gated.Done || gated.Slept != 0 || gated.Requests != want.requests || gated.Turns != want.turns {
			t.Errorf("%+v", gated)
		}
		if clinic := strings.HasPrefix(gated.Story, "clinic"); gated.Alternative != clinic {
			t.Errorf("%+v", gated)
		}
		if naive.Done || naive.Turns != 20 || naive.Requests != 100 || naive.Slept != 20*15*time.Second {
			t.Errorf("%+v", naive)
		}
		if naive.Read <= gated.Read && i == 0 {
			t.Errorf("the model read %d and %d bytes", gated.Read, naive.Read)
		}
	}
	var table strings.Builder
	if err := printTable(&table, played); err != nil || strings.Count(table.String(), "done, with an alternative") != 1 {
		t.Errorf("%v\n%s", err, table.String())
	}
}
