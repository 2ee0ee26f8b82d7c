package server_test

import (
	"errors"
	"testing"

	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
)

// Whatever stands in an access file: it counts, or every fault has its place.
func FuzzAnAccessFile(f *testing.F) {
	f.Add("principals: {ann: {keys: [{id: a, sha256: b}], rights: {tools: ['*']}}}")
	f.Add("issuers:\n  corp: {issuer: i, audiences: [a], jwks_url: 'https://x', roles: [r], leeway: 10s}\nroles: {r: {tools: [a], limits: {per_second: .inf}}}")
	f.Add("certificates: [{name: 'uri:*', roles: [r]}]\nroles: {r: &a {tools: [x]}, s: *a}")
	f.Add("anonymous: {}\n---\n")
	f.Add("anonymous: !!binary x")
	f.Fuzz(func(t *testing.T, text string) {
		opened, err := server.ParseAccess("a.yaml", []byte(text))
		if (opened == nil) != (err != nil) {
			t.Fatalf("%v, %v", opened, err)
		}
		if err == nil {
			opened.Policy().Rights("anonymous").Permits("x")
			return
		}
		problems, ok := errors.AsType[catalog.Problems](err)
		if !ok || len(problems) == 0 {
			t.Fatalf("%q: %v", text, err)
		}
		for _, problem := range problems {
			if problem.Line < 1 || problem.Message == "" {
				t.Errorf("%q: %+v", text, problem)
			}
		}
	})
}
