package access

import (
	"testing"

	accessv1 "toolgate.dev/toolgate/gen/go/toolgate/access/v1"
)

func BenchmarkACallerIsKnown(b *testing.B) {
	key, kept := NewKey()
	corp := newSigner(b, "k1")
	policy := compiled(b, file(func(f *accessv1.Access) {
		f.Principals = map[string]*accessv1.Principal{"ann": {Keys: []*accessv1.ApiKey{{Id: kept.ID, Sha256: kept.SHA256}}, Roles: []string{"billing"}}}
	}), corp.public())
	token := corp.sign(b, good())
	for name, shown := range map[string]Credential{"key": {Key: key}, "token": {Bearer: token}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, refusal := policy.Identify(b.Context(), shown); refusal != nil {
					b.Fatal(refusal)
				}
			}
		})
	}
	b.Run("rights", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			policy.Rights("corp/ann;billing").Permits("billing_pay")
		}
	})
}
