package httpbackend

import (
	"net/url"
	"slices"
	"strings"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/server/backend"
)

// Spec is a tool's HTTP entry with everything resolved that stands elsewhere.
type Spec struct {
	// Upstream names the system; tools that name the same one share its
	// connections. Required.
	Upstream string
	// Base is the upstream's URL; nil where the call's URL is whole.
	Base *url.URL
	// Transport says how connections to the upstream are made.
	Transport Transport
	// Call is the entry. Required.
	Call *catalogv1.HttpCall
	// Headers are the upstream's; those of the call win over them.
	Headers map[string]string
	// SecretHeaders and SecretQuery are the upstream's and the call's secrets,
	// read and prefixed. They win over everything.
	SecretHeaders, SecretQuery map[string]string
	// Bearer fetches the token that requests show in their Authorization header; nil:
	// they show none.
	Bearer backend.Bearer
	// IdempotencyKey says where the key goes; nil: the tool has none.
	IdempotencyKey *catalogv1.IdempotencyKey
	// Arguments are the names that the tool's schema declares.
	Arguments []string
	// Open lets arguments be used that the schema does not declare.
	Open bool
	// MaxResultBytes is how much of a body the tool's policy passes on; more is
	// read, for diagnosis.
	MaxResultBytes int64

	userAgent string
}

func (s Spec) knows(argument string) bool { return s.Open || slices.Contains(s.Arguments, argument) }

// known lists what could stand in the place of an unknown argument.
func (s Spec) known() string {
	if len(s.Arguments) == 0 {
		return "a property of input_schema"
	}
	return strings.Join(slices.Sorted(slices.Values(s.Arguments)), ", ")
}
