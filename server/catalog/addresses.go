package catalog

import (
	"net/url"

	"toolgate.dev/toolgate/internal/egress"
)

// readAllowed reads what an upstream's host may resolve to.
func (b *builder) readAllowed(at at, entries []string) egress.List {
	for i, entry := range entries {
		if _, err := egress.Parse([]string{entry}); err != nil {
			b.report.sayf(at.index(i), "10.1.2.3, 10.0.0.0/8, fd00::/8, "+egress.Public, "%s", err.Error())
		}
	}
	allowed, err := egress.Parse(entries)
	if err != nil { // said above
		return ""
	}
	return allowed
}

// checkHost refuses an address that no connection will be made to. A name is judged
// when it is resolved.
func (b *builder) checkHost(at at, host string, allowed egress.List) {
	if host = (&url.URL{Host: host}).Hostname(); !allowed.PermitsHost(host) {
		b.report.sayf(at, "another address, or this one in the upstream's allow_addresses",
			"%s is an address that connections are not made to unless it is listed", host)
	}
}
