package cli

import (
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/ledger/memory"
	"toolgate.dev/toolgate/internal/ledger/redis"
)

// openState connects to the state that replicas share. Without a URL the state
// is this process's own, and the ledger is nil. close must be called in the end.
func (s *session) openState(url string) (ledger interceptors.Ledger, closeState func(), err error) {
	if url == "" {
		url = s.Getenv("TOOLGATE_STATE")
	}
	if url == "" {
		return nil, func() {}, nil
	}
	shared, err := redis.Open(url, memory.New())
	if err != nil {
		return nil, nil, usage(err.Error(), "--state names a Redis or Valkey: redis://host:6379; docs/state.md has all forms")
	}
	return shared, shared.Close, nil
}
