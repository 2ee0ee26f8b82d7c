package cases

import (
	"strings"

	"toolgate.dev/toolgate/interceptors"
)

// networkErrors are the names of transport failures, and whether bytes of the
// request had left.
var networkErrors = map[string]struct {
	failure interceptors.TransportFailure
	sent    bool
}{
	"connection_refused":    {interceptors.FailureRefused, false},
	"no_route":              {interceptors.FailureRefused, false},
	"host_unreachable":      {interceptors.FailureRefused, false},
	"network_unreachable":   {interceptors.FailureRefused, false},
	"connect_timeout":       {interceptors.FailureRefused, false},
	"dns":                   {interceptors.FailureDNSTemporary, false},
	"nxdomain":              {interceptors.FailureDNSNotFound, false},
	"dns_not_found":         {interceptors.FailureDNSNotFound, false},
	"dns_temporary":         {interceptors.FailureDNSTemporary, false},
	"dns_timeout":           {interceptors.FailureDNSTemporary, false},
	"servfail":              {interceptors.FailureDNSTemporary, false},
	"tls":                   {interceptors.FailureTLSCertificate, false},
	"tls_certificate":       {interceptors.FailureTLSCertificate, false},
	"tls_handshake":         {interceptors.FailureTLSHandshake, false},
	"tls_handshake_timeout": {interceptors.FailureTLSHandshake, false},
	"connection_reset":      {interceptors.FailureReset, true},
	"broken_pipe":           {interceptors.FailureReset, true},
	"eof":                   {interceptors.FailureReset, true},
	"timeout":               {interceptors.FailureTimeout, true},
	"read_timeout":          {interceptors.FailureTimeout, true},
	"eof_mid_body":          {interceptors.FailureBodyCut, true},
	"too_many_redirects":    {interceptors.FailureRequest, false},
	"cancelled":             {interceptors.FailureCancelled, true},
}

// failTransport sets a named failure; a name that is not known is told by its
// words.
func failTransport(reply *interceptors.Reply, name string) {
	known, ok := networkErrors[strings.ToLower(name)]
	if !ok {
		known = guessed(strings.ToLower(name))
	}
	reply.Failure, reply.Sent, reply.Cause = known.failure, known.sent, name
}

func guessed(name string) struct {
	failure interceptors.TransportFailure
	sent    bool
} {
	for _, word := range []struct{ part, as string }{
		{"refused", "connection_refused"}, {"unreachable", "connection_refused"}, {"servfail", "dns_temporary"},
		{"dns_temp", "dns_temporary"}, {"dns_timeout", "dns_temporary"}, {"again", "dns_temporary"},
		{"nxdomain", "nxdomain"}, {"not_found", "nxdomain"}, {"notfound", "nxdomain"}, {"no_such_host", "nxdomain"},
		{"dns", "dns"}, {"resolve", "dns"}, {"redirect", "too_many_redirects"},
		{"cert", "tls"}, {"x509", "tls"}, {"handshake", "tls_handshake"}, {"tls", "tls"},
		{"connect_timeout", "connect_timeout"}, {"timeout", "timeout"}, {"timed", "timeout"},
		{"mid_body", "eof_mid_body"}, {"incomplete", "eof_mid_body"}, {"truncated", "eof_mid_body"},
		{"reset", "connection_reset"}, {"eof", "eof"}, {"pipe", "broken_pipe"}, {"closed", "connection_reset"}, {"cancel", "cancelled"},
	} {
		if strings.Contains(name, word.part) {
			return networkErrors[word.as]
		}
	}
	return struct {
		failure interceptors.TransportFailure
		sent    bool
	}{interceptors.FailureOther, true}
}
