package access

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strings"
	"time"

	accessv1 "toolgate.dev/toolgate/gen/go/toolgate/access/v1"
)

// keys finds principals by API keys.
type keys map[string]keyEntry // by id

type keyEntry struct {
	digest    [sha256.Size]byte
	principal string
	notAfter  time.Time // zero: never
}

func (k keys) add(at place, principal string, written *accessv1.ApiKey) {
	entry := keyEntry{principal: principal}
	digest, err := hex.DecodeString(written.GetSha256())
	switch {
	case !word(written.GetId()) || len(written.GetId()) > maxKeyBytes:
		at.at("id").sayf("what stands between tg_ and the next _ of the key", "%q is no id of a key", written.GetId())
		return
	case err != nil || len(digest) != sha256.Size:
		at.at("sha256").sayf("64 hex digits, as toolgate access new-key prints them", "this is no SHA-256")
		return
	}
	if other, taken := k[written.GetId()]; taken {
		at.at("id").sayf("each key once", "the key %s is %q's already", written.GetId(), other.principal)
		return
	}
	entry.digest = [sha256.Size]byte(digest)
	if text := written.GetNotAfter(); text != "" {
		if entry.notAfter, err = moment(text); err != nil {
			at.at("not_after").sayf("2027-01-31, 2027-01-31T18:00:00Z", "%q is no date", text)
		}
	}
	k[written.GetId()] = entry
}

func moment(text string) (time.Time, error) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day, nil
	}
	return time.Parse(time.RFC3339, text)
}

// find tells whose a key is. Where no key has its id it takes as long, and says the
// same.
func (k keys) find(text string, now time.Time) (string, *Refusal) {
	id, ok := keyID(text)
	if !ok {
		return "", refuse(Invalid, "no_key")
	}
	entry, known := k[id]
	digest := sha256.Sum256([]byte(text))
	same := subtle.ConstantTimeCompare(digest[:], entry.digest[:]) == 1
	switch {
	case !known:
		return "", refuse(Invalid, "unknown_key")
	case !same:
		return "", refuse(Invalid, "wrong_key")
	case !entry.notAfter.IsZero() && !now.Before(entry.notAfter):
		return "", refuse(Expired, "expired_key")
	}
	return entry.principal, nil
}

// isKey tells a key from a token.
func isKey(text string) bool { return strings.HasPrefix(text, keyPrefix) }
