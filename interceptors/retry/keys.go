package retry

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"toolgate.dev/toolgate/interceptors"
)

// takeKey chooses the key that every attempt of this call sends. It never
// depends on the arguments: two equal payments are two payments.
func (e *engine) takeKey(ctx context.Context) {
	call := e.call
	if e.room.keys != nil {
		// A keeper that can't be asked keeps nothing.
		if kept, err := e.room.keys.TakeKey(ctx, call.Run, call.Arguments.Identity()); err == nil && kept != "" {
			call.IdempotencyKey = kept
			e.maybe = true // that is why it was kept
			return
		}
	}
	if call.ID != "" {
		call.IdempotencyKey = derivedKey(call.Run, call.ID)
		return
	}
	call.IdempotencyKey = randomKey()
}

// keepKey keeps the key for the next identical call where this one may have
// taken effect, whatever ended it.
func (e *engine) keepKey(ctx context.Context) {
	if e.settled || !e.maybe && !e.out || e.room.keys == nil {
		return
	}
	_ = e.room.keys.KeepKey(context.WithoutCancel(ctx), e.call.Run, e.call.Arguments.Identity(), e.call.IdempotencyKey)
}

// derivedKey is the same whenever the same call id comes again, on any replica.
func derivedKey(run interceptors.RunKey, callID string) string {
	hash := sha256.New()
	for _, part := range []string{"toolgate idempotency key", run.Principal, run.ID, callID} {
		_ = binary.Write(hash, binary.BigEndian, uint64(len(part))) // a hash takes everything
		_, _ = hash.Write([]byte(part))
	}
	const version = 8 // RFC 9562: made by a rule of our own
	return uuid([16]byte(hash.Sum(nil)), version)
}

func randomKey() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	const version = 4
	return uuid(b, version)
}

// uuid writes a key in the form that every provider takes (RFC 9562).
func uuid(b [16]byte, version byte) string {
	b[6] = b[6]&0x0f | version<<4
	b[8] = b[8]&0x3f | 0x80
	text := hex.EncodeToString(b[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}
