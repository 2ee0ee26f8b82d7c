// Package egress says which addresses the gateway connects to on its own account:
// upstreams, token endpoints, key sets.
//
// The address is judged when the connection is made, behind the resolver: a name
// that means another address the next time it is asked for (DNS rebinding) gains
// nothing. Refused unless listed are link-local addresses (169.254.0.0/16,
// fe80::/10), where clouds hand out credentials to whoever asks, the other places
// where they do, multicast and broadcast; also where such an address stands inside
// an IPv6 one (IPv4-mapped, NAT64, 6to4). Loopback and private addresses are
// allowed by default, since most upstreams live there.
package egress
