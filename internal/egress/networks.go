package egress

import "net/netip"

// metadata are the places where clouds hand out credentials, and what no
// connection belongs to.
var metadata = networks(
	"169.254.0.0/16",     // link-local (RFC 3927): AWS, Azure, GCP, Oracle, DigitalOcean and others
	"fe80::/10",          // link-local (RFC 4291)
	"fd00:ec2::/32",      // AWS: instance metadata and credentials of pods
	"fd20:ce::254/128",   // GCP
	"100.100.100.200/32", // Alibaba
	"168.63.129.16/32",   // Azure's host
	"192.0.0.192/32",     // Oracle, at first
	"224.0.0.0/4", "ff00::/8", "255.255.255.255/32",
)

// private are the networks that are not the public Internet.
var private = networks(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15",
	"::/127", "fc00::/7", "fec0::/10",
)

// embedding are the networks of IPv6 whose addresses mean one of IPv4, by the byte
// at which it stands (RFC 6052 section 2.1, RFC 3056, RFC 4291 section 2.5.5.1).
var embedding = map[netip.Prefix]int{
	netip.MustParsePrefix("64:ff9b::/96"):   12,
	netip.MustParsePrefix("64:ff9b:1::/48"): 12, // as most networks use it (RFC 8215)
	netip.MustParsePrefix("2002::/16"):      2,
	netip.MustParsePrefix("::/96"):          12,
}

func networks(all ...string) []netip.Prefix {
	prefixes := make([]netip.Prefix, len(all))
	for i, text := range all {
		prefixes[i] = netip.MustParsePrefix(text)
	}
	return prefixes
}

func guarded(addr netip.Addr) bool { return within(metadata, addr) }

func inner(addr netip.Addr) bool { return within(private, addr) }

func within(all []netip.Prefix, addr netip.Addr) bool {
	for _, prefix := range all {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

// meanings are the address itself, without its zone, and the one that it embeds.
func meanings(addr netip.Addr) []netip.Addr {
	addr = addr.WithZone("").Unmap()
	all := []netip.Addr{addr}
	if addr.Is4() || addr.IsLoopback() || addr.IsUnspecified() {
		return all
	}
	text := addr.As16()
	for prefix, at := range embedding {
		if prefix.Contains(addr) {
			all = append(all, netip.AddrFrom4([4]byte(text[at:at+4])))
		}
	}
	return all
}
