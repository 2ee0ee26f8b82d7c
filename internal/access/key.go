package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"strings"
)

// A key is `tg_<id>_<secret>`: 8 digits of base32 that tell it from others, 52 that
// nobody guesses. It is text that needs no quotes anywhere, and that scanners for
// secrets find.
const (
	keyPrefix     = "tg_"
	keyIDBytes    = 5
	keySecretSize = 32 // bytes, 256 bits
	maxKeyBytes   = 128
	minSecretText = 26 // base32 digits of 128 bits
)

// Key is what is kept of an API key.
type Key struct {
	ID     string
	SHA256 string // of the whole key, in hex
}

var keyDigits = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// NewKey makes a key. Its text is shown to its holder once and kept nowhere.
func NewKey() (text string, kept Key) {
	random := make([]byte, keyIDBytes+keySecretSize)
	_, _ = rand.Read(random) // never fails, see crypto/rand
	text = keyPrefix + keyDigits.EncodeToString(random[:keyIDBytes]) + "_" + keyDigits.EncodeToString(random[keyIDBytes:])
	kept, _ = HashKey(text) // it is one
	return text, kept
}

var errNoKey = errors.New("this is no key: tg_, an id, _ and a secret of at least 26 letters and digits")

// HashKey tells what is kept of a key. The error holds nothing of it.
func HashKey(text string) (Key, error) {
	id, ok := keyID(text)
	if !ok {
		return Key{}, errNoKey
	}
	digest := sha256.Sum256([]byte(text))
	return Key{ID: id, SHA256: hex.EncodeToString(digest[:])}, nil
}

// keyID takes the id out of a key; false: it is none.
func keyID(text string) (id string, ok bool) {
	rest, prefixed := strings.CutPrefix(text, keyPrefix)
	id, secret, found := strings.Cut(rest, "_")
	return id, prefixed && found && len(text) <= maxKeyBytes && len(secret) >= minSecretText && word(id) && word(secret)
}

// word accepts letters and digits.
func word(text string) bool {
	for _, c := range []byte(text) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return text != ""
}
