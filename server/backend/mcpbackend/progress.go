package mcpbackend

import (
	"math"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/rawjson"
	"toolgate.dev/toolgate/internal/redact"
)

const (
	methodProgress   = "notifications/progress"
	progressEvery    = 250 * time.Millisecond // what comes faster is left out
	maxProgressBytes = 160                    // of its words
)

// followers are the calls that are told how far their tools are, by the token that
// the server sends with it. Safe for concurrent use.
type followers struct {
	redactor *redact.Redactor
	latest   atomic.Int64
	all      sync.Map // of *follower, by token
}

// follower is one call. Nothing is told once it is over.
type follower struct {
	call *interceptors.Call

	mu   sync.Mutex // held while it is told; guards the rest
	told time.Time
	over bool
}

// follow begins to tell a call; stop ends that, and waits for what is being told.
func (f *followers) follow(call *interceptors.Call) (token int64, stop func()) {
	token = f.latest.Add(1)
	one := &follower{call: call}
	f.all.Store(token, one)
	return token, func() {
		f.all.Delete(token)
		one.mu.Lock()
		defer one.mu.Unlock()
		one.over = true
	}
}

// hear takes a notification. One with a token that nobody follows is nobody's.
func (f *followers) hear(text []byte) {
	params, _ := rawjson.Get(text, "params")
	token, err := strconv.ParseInt(digits(params, "progressToken"), 10, 64)
	if err != nil {
		return
	}
	if one, found := f.all.Load(token); found {
		one.(*follower).hear(params, f.redactor) //nolint:forcetypeassert // nothing else is stored
	}
}

func (f *follower) hear(params []byte, redactor *redact.Redactor) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	if f.over || f.call.Progress == nil || !f.told.IsZero() && now.Sub(f.told) < progressEvery {
		return
	}
	f.told = now
	f.call.Progress(&toolgatev1.CallProgress{
		Phase: toolgatev1.CallProgress_PHASE_WORKING, Attempt: f.call.Trace.Attempts + 1,
		Progress: quantity(params, "progress"), Total: quantity(params, "total"),
		Message: shortened(redactor.Text(member(params, "message"), redact.Keep{}), maxProgressBytes),
	})
}

// quantity is a number that means something; else 0, which says that it is not
// known.
func quantity(params []byte, name string) float64 {
	value, err := strconv.ParseFloat(digits(params, name), 64)
	if err != nil || math.IsNaN(value) || math.IsInf(value, 0) || value < 0 {
		return 0
	}
	return value
}

// digits is the text of a number, or of a string that some servers make of one.
func digits(object []byte, name string) string {
	value, _ := rawjson.Get(object, name)
	if rawjson.KindOf(value) == rawjson.String {
		return rawjson.Text(value)
	}
	return string(rawjson.Trim(value))
}
