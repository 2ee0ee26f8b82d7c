package egress

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"syscall"
)

// Public is the entry of a list that takes the private addresses away.
const Public = "public"

// List is what may be connected to beside public addresses, from Parse. The zero
// List allows loopback and private addresses. Two that allow the same in the same
// words are equal.
type List string

// Parse reads the entries of a list: an IP address, a network (`10.0.0.0/8`), or
// Public, with which of loopback and private addresses those listed alone are
// allowed. The error names the entry.
func Parse(entries []string) (List, error) {
	var all []string
	for _, entry := range entries {
		if entry != Public {
			prefix, err := prefixOf(entry)
			if err != nil {
				return "", fmt.Errorf("%q is neither an IP address nor a network", entry)
			}
			entry = prefix.String()
		}
		all = append(all, entry)
	}
	slices.Sort(all)
	return List(strings.Join(slices.Compact(all), ",")), nil
}

func prefixOf(entry string) (netip.Prefix, error) {
	if prefix, err := netip.ParsePrefix(entry); err == nil {
		return prefix.Masked(), nil
	}
	addr, err := netip.ParseAddr(entry)
	if err != nil || addr.Zone() != "" {
		return netip.Prefix{}, errors.New("no address")
	}
	return netip.PrefixFrom(addr, addr.BitLen()), nil
}

// Permits reports whether a connection may go to an address.
func (l List) Permits(addr netip.Addr) bool {
	public := false
	for _, meant := range meanings(addr) {
		switch {
		case l.lists(meant, &public):
		case guarded(meant):
			return false
		case public && inner(meant):
			return false
		}
	}
	return true
}

// lists reports whether the address is listed, and whether Public is.
func (l List) lists(addr netip.Addr, public *bool) (listed bool) {
	for entry := range strings.SplitSeq(string(l), ",") {
		if entry == Public {
			*public = true
		} else if prefix, err := netip.ParsePrefix(entry); err == nil && prefix.Contains(addr) {
			listed = true
		}
	}
	return listed
}

// RefusedError says that nothing was connected to, and why. It names an address: it
// is for the operator.
type RefusedError struct{ Address string }

func (e *RefusedError) Error() string {
	return "connections to " + e.Address + " are refused unless they are allowed (allow_addresses)"
}

// Control refuses what the list does not permit, before a byte is sent. It is the
// Control of a net.Dialer.
func (l List) Control(network, address string, _ syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") && !strings.HasPrefix(network, "udp") {
		return &RefusedError{Address: address} // a socket in the file system
	}
	to, err := netip.ParseAddrPort(address)
	if err != nil || !l.Permits(to.Addr()) {
		return &RefusedError{Address: address}
	}
	return nil
}

// PermitsHost reports whether a URL's host may be connected to, as far as it tells:
// a name is judged when it is resolved.
func (l List) PermitsHost(host string) bool {
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err != nil || l.Permits(addr)
}
