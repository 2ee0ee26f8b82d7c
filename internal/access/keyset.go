package access

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"

	"github.com/go-jose/go-jose/v4"
)

const (
	maxSetKeys = 100
	minRSABits = 2048
)

// keySource finds keys of an issuer.
type keySource interface {
	// find returns the keys of that id, all where the id is empty.
	find(ctx context.Context, id string) ([]jose.JSONWebKey, *Refusal)
	// renew asks for the keys again, where that is due, and reports whether they came:
	// an issuer may give an old id to a new key. The refusal says that ctx ended before.
	renew(ctx context.Context) (came bool, unsure *Refusal)
}

// fixedKeys are those of a file.
type fixedKeys []jose.JSONWebKey

func (k fixedKeys) find(_ context.Context, id string) ([]jose.JSONWebKey, *Refusal) {
	found := k.of(id)
	if len(found) == 0 {
		return nil, refuse(Invalid, "unknown_signing_key")
	}
	return found, nil
}

func (fixedKeys) renew(context.Context) (came bool, unsure *Refusal) { return false, nil }

// of lists the keys of an id. One without an id may be anybody's.
func (k fixedKeys) of(id string) (found []jose.JSONWebKey) {
	if id == "" {
		return k
	}
	for _, key := range k {
		if key.KeyID == id || key.KeyID == "" {
			found = append(found, key)
		}
	}
	return found
}

var (
	errNoSet     = errors.New("this is no JWK Set")
	errEmptySet  = errors.New("there is no public key for signatures in it")
	errCrowdySet = errors.New("there are more than 100 keys in it")
)

// parseKeys reads a JWK Set. Keys that are of no use here are left out (RFC 7517
// section 5), and so are private and shared ones, which belong in no such set.
func parseKeys(text []byte) (fixedKeys, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, errNoSet
	}
	if len(set.Keys) > maxSetKeys {
		return nil, errCrowdySet
	}
	var usable fixedKeys
	for _, one := range set.Keys {
		var key jose.JSONWebKey
		if key.UnmarshalJSON(one) == nil && verifies(key) {
			usable = append(usable, key)
		}
	}
	if len(usable) == 0 {
		return nil, errEmptySet
	}
	return usable, nil
}

func verifies(key jose.JSONWebKey) bool {
	if !key.Valid() || !key.IsPublic() || key.Use != "" && key.Use != "sig" {
		return false
	}
	if public, ok := key.Key.(*rsa.PublicKey); ok {
		return public.N.BitLen() >= minRSABits
	}
	_, shared := key.Key.([]byte)
	return !shared
}
