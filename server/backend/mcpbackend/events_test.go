package mcpbackend

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

func TestEventsAreReadAsTheStandardSays(t *testing.T) {
	reader := newEventReader(strings.NewReader("\ufeff: a comment\n\nid: 1\nretry: 250\ndata: one\ndata:two\n\nevent: other\r\ndata: {}\r\n\r\nretry: soon\ndata: "+strings.Repeat("x", 50)+"\n\ndata: never finished"), 20)
	for _, want := range []event{
		{id: "1", retry: 250 * time.Millisecond, data: []byte("one\ntwo")},
		{name: "other", retry: -1, data: []byte("{}")},
		{retry: -1, data: []byte(strings.Repeat("x", 20)), cut: true},
	} {
		got, err := reader.next()
		if err != nil || got.id != want.id || got.name != want.name || got.retry != want.retry || string(got.data) != string(want.data) || got.cut != want.cut {
			t.Errorf("%+v %v, want %+v", got, err, want)
		}
	}
	if _, err := reader.next(); !errors.Is(err, io.EOF) {
		t.Errorf("an event that the stream ended in was read: %v", err)
	}
}

func FuzzEventsAndMessages(f *testing.F) {
	f.Add("data: {\"jsonrpc\":\"2.0\",\"id\":1048577,\"result\":{\"isError\":true,\"content\":[{\"type\":\"text\"}]}}\n\n")
	f.Add("data: [{\"id\":1,\"error\":{\"code\":-32603,\"message\":\"x\",\"data\":[]}},{\"method\":\"ping\",\"id\":\"a\"}]\n\n")
	f.Add("data: {\"result\":{\"content\":[{\"type\":\"image\",\"data\":\"!\"},{\"type\":7}],\"structuredContent\":[1]}}\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		events := newEventReader(strings.NewReader(text), 1<<10)
		for {
			e, err := events.next()
			if err != nil {
				break
			}
			if len(e.data) > 1<<10 {
				t.Fatalf("%d bytes are held", len(e.data))
			}
			if !valid(e.data) {
				continue
			}
			for _, m := range messages(e.data) {
				if reply := m.answer(false).reply(true); reply == nil || !reply.Sent {
					t.Fatalf("%s has the reply %v", m.text, reply)
				}
			}
		}
	})
}
