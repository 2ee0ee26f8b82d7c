package redact_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"toolgate.dev/toolgate/internal/redact"
)

func TestABodyThatFitsIsNotCut(t *testing.T) {
	if got := redact.HeadTail([]byte("short"), 5); got != "short" {
		t.Errorf("got %q", got)
	}
}

func TestACutKeepsBothEnds(t *testing.T) {
	body := "Error executing tool:\n" + strings.Repeat("  File \"a.py\", line 1, in f\n", 300) + "KeyError: region"
	got := redact.HeadTail([]byte(body), 1000)
	if len(got) > 1000 || !strings.HasPrefix(got, "Error executing tool:\n") || !strings.HasSuffix(got, "\nKeyError: region") {
		t.Errorf("%d bytes: %.40q … %q", len(got), got, got[len(got)-40:])
	}
}

func TestACutNeverLeavesHalfAToken(t *testing.T) {
	for _, joint := range []string{" ", "\n", `","`, `","k":"`} {
		var words []string
		for i := range 500 {
			words = append(words, fmt.Sprintf("token%04d", i))
		}
		body := strings.Join(words, joint)
		for max := 100; max < 140; max++ {
			got := redact.HeadTail([]byte(body), max)
			if len(got) > max {
				t.Fatalf("%d bytes at most, got %d", max, len(got))
			}
			for piece := range strings.FieldsFuncSeq(got, func(r rune) bool { return strings.ContainsRune(" \n\",:…", r) }) {
				if piece != "k" && !(len(piece) == 9 && strings.HasPrefix(piece, "token")) {
					t.Fatalf("joint %q, max %d: half a token %q in %q", joint, max, piece, got)
				}
			}
		}
	}
}

func TestACutStaysValidText(t *testing.T) {
	body := strings.Repeat("größe ", 1000)
	for max := range 300 {
		if got := redact.HeadTail([]byte(body), max); !utf8.ValidString(got) || len(got) > max {
			t.Fatalf("max %d: %q", max, got)
		}
	}
}
