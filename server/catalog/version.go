package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"

	"google.golang.org/protobuf/proto"

	"toolgate.dev/toolgate/interceptors"
)

// toolVersion changes whenever the entry, its upstream's or one of their secrets
// does. Of a secret only 16 bits go in, which tell a change and not the value.
func toolVersion(e *entry) string {
	sum := sha256.New()
	write(sum, e.written)
	if e.upstream != nil {
		write(sum, e.upstream.written)
	}
	if e.transport != nil {
		write(sum, e.transport)
	}
	for _, secret := range e.secrets {
		digest := sha256.Sum256([]byte("toolgate secret\x00" + secret))
		sum.Write(digest[:2])
	}
	return short(sum)
}

func write(sum hash.Hash, message proto.Message) {
	text, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
	if err != nil { // text that is no UTF-8; a version is still needed
		text = []byte(err.Error())
	}
	fmt.Fprintf(sum, "%d:", len(text))
	sum.Write(text)
}

func catalogVersion(tools []*interceptors.Tool, contract bool) string {
	sum := sha256.New()
	for _, tool := range tools {
		fmt.Fprintf(sum, "%s=%s %+v\n", tool.Name, tool.Version, tool.Policy)
	}
	fmt.Fprint(sum, contract)
	return short(sum)
}

func short(sum hash.Hash) string { return hex.EncodeToString(sum.Sum(nil)[:8]) }
