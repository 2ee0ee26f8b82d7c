package redis

import (
	"testing"
	"time"

	"github.com/redis/rueidis"
	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

func TestAMemoryComesBackAsItWas(t *testing.T) {
	wait := 1.5
	for _, m := range []*interceptors.Memory{
		{Tool: "pay", Error: &toolgatev1.ToolError{}},
		{
			Tool: "pay\nwith a break", Version: "v\n1", TTL: time.Hour, Unknown: true, Arguments: []byte("{\"a\":\"\x00\"}"),
			Error: &toolgatev1.ToolError{ErrorClass: interceptors.Transient, Code: "c", Message: "m\n", RetryAfter: &wait},
		},
	} {
		content, err := encodeMemory(m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := (&state{heard: time.Now()}).decodeMemory(head{tool: m.Tool, ttl: m.TTL, flag: map[bool]byte{true: flagUnknown}[m.Unknown]}, content)
		if err != nil {
			t.Fatal(err)
		}
		if !proto.Equal(got.Error, m.Error) || got.Tool != m.Tool || got.Version != m.Version || string(got.Arguments) != string(m.Arguments) {
			t.Errorf("got %+v, want %+v", got, m)
		}
	}
}

// A later version may write what this one does not know.
func TestWhatIsNotKnownIsPassedOver(t *testing.T) {
	content, err := encodeMemory(&interceptors.Memory{Version: "1", Error: &toolgatev1.ToolError{Code: "c"}})
	if err != nil {
		t.Fatal(err)
	}
	content += "\x48\x07" + "\x52\x02hi" // fields 9 and 10
	m, err := (&state{}).decodeMemory(head{}, content)
	if err != nil || m.Version != "1" || m.Error.GetCode() != "c" {
		t.Errorf("got %+v, %v", m, err)
	}
	s := &state{}
	for _, name := range []string{"", "q", "zz", "z:x", "c:pay", "m:short", "i:", "x:", "e9"} {
		s.read(name, "not what it should be")
	}
	if len(s.heads)+len(s.kept) > 0 || s.standing(interceptors.StandingQuery{Tool: "pay", Cap: 1}, 1).Capped {
		t.Errorf("got %+v", s)
	}
}

func FuzzReading(f *testing.F) {
	f.Add("m:"+string(make([]byte, 32)), "1 2 3 4 5 1 m\nunblock\ntool", "1 2 3 4 5 6 v")
	f.Add("c:pay", "3 100 100 60 3 90 version 1", "17 owner o 20 20\nu\x00t")
	f.Add("api\x00pay", "owner p 1 2", "1 owner p 5 9\napi\x00pay")
	f.Fuzz(func(t *testing.T, name, value, message string) {
		s := &state{heard: time.Now()}
		s.read(name, value)
		s.standing(interceptors.StandingQuery{Tool: "pay", Cap: 1, RunCap: 1}, 5)
		s.summary(theRun)
		s.cures("pay", true)
		s.forgives("pay")
		s.offered(interceptors.Offer{Tool: "pay"})
		if m, err := s.decodeMemory(readHead(value), message); err == nil && m.Error == nil {
			t.Error("a memory without an error")
		}
		l := &Ledger{owner: "me"}
		l.board.init()
		l.board.watchers[0] = func(n interceptors.Notice) {
			if n.Kind == 0 {
				t.Error("a notice of no kind")
			}
		}
		l.hear(rueidis.PubSubMessage{Message: message})
		l.read(5, name, value)
	})
}
