package once

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"sync"

	"toolgate.dev/toolgate/interceptors"
)

// digests hash texts without a copy of them.
type digests struct{ pool sync.Pool }

type digest struct {
	hash.Hash

	chunk [1 << 10]byte
}

// sameness is what makes two messages the same call: the tool as it was written
// and the very bytes of its arguments.
func (d *digests) sameness(call *interceptors.Call) (same interceptors.Key) {
	sum, ok := d.pool.Get().(*digest)
	if !ok {
		sum = &digest{Hash: sha256.New()}
	}
	defer d.pool.Put(sum)
	sum.Reset()
	_, _ = sum.Write(binary.BigEndian.AppendUint64(sum.chunk[:0], uint64(len(call.Name)))) // keeps the two apart
	sum.text(call.Name)
	sum.text(call.Text)
	copy(same[:], sum.Sum(sum.chunk[:0]))
	return same
}

// text hashes a string, which crypto/sha256 takes as bytes alone.
func (d *digest) text(text string) {
	for text != "" {
		n := copy(d.chunk[:], text)
		_, _ = d.Write(d.chunk[:n]) // never fails, see hash.Hash
		text = text[n:]
	}
}
