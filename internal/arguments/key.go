package arguments

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"

	"toolgate.dev/toolgate/interceptors"
)

// KeyOf returns the key of a call of tool with these arguments: the SHA-256 of
// the tool's name and the canonical arguments. Key order, white space, escapes
// and the spelling of numbers don't matter; 1, 1.0 and 1e0 are one number.
// Empty text is {}. It fails where the text is not JSON, or names a key twice.
func KeyOf(tool string, argumentsJSON []byte) (interceptors.Key, error) {
	c := borrow(keyPrefix(tool), string(argumentsJSON))
	defer c.release()
	if err := c.document(); err != nil {
		return interceptors.Key{}, errors.New(err.describe(c.src))
	}
	if c.duplicate {
		return interceptors.Key{}, errors.New("an object names a key twice")
	}
	return sha256.Sum256(c.out), nil
}

// keyPrefix is what the hash reads before the arguments. The length keeps names
// and arguments apart.
func keyPrefix(tool string) []byte {
	return append(binary.AppendUvarint(nil, uint64(len(tool))), tool...)
}
