package redis

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"

	"toolgate.dev/toolgate/interceptors"
)

// names are the keys of one run. They share a hash tag, and so a slot, and tell
// nothing of who runs what.
type names struct {
	run  interceptors.RunKey
	tag  string // prefix and hash tag
	keys []string
}

const (
	tagBytes  = 15 // of a SHA-256: 20 characters
	runKeys   = 3
	marksTag  = "{marks}" // of what belongs to no run
	claimPart = ":c:"
)

func (l *Ledger) namesOf(run interceptors.RunKey) names {
	text := make([]byte, 0, 8+len(run.Principal)+len(run.ID))
	text = binary.BigEndian.AppendUint64(text, uint64(len(run.Principal)))
	text = append(append(text, run.Principal...), run.ID...)
	tag := l.prefix + "{" + short(text) + "}"
	return names{run: run, tag: tag, keys: []string{tag + ":r", tag + ":p", tag + ":z"}}
}

// claim is the key of a call id.
func (n *names) claim(callID string) string { return n.tag + claimPart + short([]byte(callID)) }

// and returns the run's keys and more of its slot.
func (n *names) and(more ...string) []string { return append(n.keys[:runKeys:runKeys], more...) }

func short(text []byte) string {
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:tagBytes])
}
