package cli

import (
	"fmt"

	"toolgate.dev/toolgate/internal/ledger/memory"
	"toolgate.dev/toolgate/internal/ledger/redis"
	"toolgate.dev/toolgate/server"
)

// shareState connects a gateway to the state that replicas share. Without a URL
// the state is the process's own. What is returned must be called in the end.
func (s *session) shareState(config *server.Config, flags serveFlags) (end func(), err error) {
	if flags.stateWait <= 0 {
		return nil, usage(fmt.Sprintf("--state-wait %v is no time to wait", flags.stateWait), "50ms is the default")
	}
	url := flags.state
	if url == "" {
		url = s.Getenv("TOOLGATE_STATE")
	}
	if url == "" {
		return func() {}, nil
	}
	ledger, err := redis.Open(url, memory.New(), redis.WithWait(flags.stateWait))
	if err != nil {
		return nil, usage(err.Error(), "--state names a Redis or Valkey: redis://host:6379; docs/state.md has all forms")
	}
	config.Ledger = ledger
	return ledger.Close, nil
}
