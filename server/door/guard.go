package door

import (
	"net"
	"net/http"
	"slices"
	"strings"
)

// Guard keeps web pages out that nobody invited. A browser sends what a page of
// any site asks it to, also to loopback, where callers need no credentials.
type Guard struct {
	// Origins are the pages that may call, as browsers write them in Origin:
	// `https://app.example:8443`; `*` invites all. Empty: none.
	Origins []string
	// Hosts are the names by which the gateway may be called (Host, without the
	// port), besides its addresses. Empty: by any; `*` the same. A name that an
	// attacker's page has rebound to this machine's address (DNS rebinding) is not
	// among them.
	Hosts []string
}

// LoopbackHosts are the names of loopback.
func LoopbackHosts() []string { return []string{"localhost"} }

// OnLoopback is the guard of an address, host:port, where callers need no credentials:
// on loopback the names are localhost and more, elsewhere any.
func OnLoopback(address string, more ...string) Guard {
	host, _, err := net.SplitHostPort(address)
	if err != nil || !isLoopback(host) {
		return Guard{}
	}
	return Guard{Hosts: append(LoopbackHosts(), more...)}
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// What an invited page may send, and what it may read of the answer.
const (
	corsMethods = "GET, POST, DELETE"
	corsHeaders = "Authorization, Content-Type, Accept, X-Api-Key, Toolgate-Timeout, If-None-Match, Traceparent, Tracestate, " +
		"Connect-Protocol-Version, Connect-Timeout-Ms, Grpc-Timeout, X-Grpc-Web, X-User-Agent, " +
		"Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-Id, Toolgate-Run-Id"
	corsExposed = "ETag, Retry-After, Toolgate-Class, Toolgate-Correlation-Id, Toolgate-Attempts, Toolgate-Exhausted, " +
		"Toolgate-Classified-By, Toolgate-Rejections-In-Run, Toolgate-Upstream-Status, " +
		"Grpc-Status, Grpc-Message, Grpc-Status-Details-Bin, Mcp-Session-Id, Mcp-Protocol-Version"
	corsMaxAge = "7200" // seconds, the longest that browsers take
)

// Wrap guards a handler. It answers preflight requests (CORS) itself.
func (g Guard) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.knownHost(r.Host) {
			Problem{
				Status: http.StatusForbidden, Reason: "HOST_REFUSED", Field: "Host",
				Detail: "the gateway is not called by this name here", Accepted: g.Hosts,
			}.Write(w)
			return
		}
		origin := r.Header.Get("Origin")
		if len(g.Origins) > 0 {
			w.Header().Add("Vary", "Origin")
		}
		if origin == "" {
			next.ServeHTTP(w, r)
			return
		}
		if !g.invited(origin) {
			Problem{
				Status: http.StatusForbidden, Reason: "ORIGIN_REFUSED", Field: "Origin", Detail: "web pages of this origin are not invited",
			}.Write(w)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", origin)
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			preflight(w, r)
			return
		}
		w.Header().Set("Access-Control-Expose-Headers", corsExposed)
		next.ServeHTTP(w, r)
	})
}

func preflight(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Access-Control-Request-Private-Network") == "true" { // a page from outside asks for loopback
		w.Header().Set("Access-Control-Allow-Private-Network", "true")
	}
	w.Header().Set("Access-Control-Allow-Methods", corsMethods)
	w.Header().Set("Access-Control-Allow-Headers", corsHeaders)
	w.Header().Set("Access-Control-Max-Age", corsMaxAge)
	w.WriteHeader(http.StatusNoContent)
}

func (g Guard) invited(origin string) bool {
	return slices.ContainsFunc(g.Origins, func(one string) bool { return one == "*" || strings.EqualFold(one, origin) })
}

func (g Guard) knownHost(host string) bool {
	if len(g.Hosts) == 0 {
		return true
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.Trim(host, "[]"), ".")
	if net.ParseIP(host) != nil { // an address is nobody's to rebind
		return true
	}
	return slices.ContainsFunc(g.Hosts, func(one string) bool { return one == "*" || strings.EqualFold(one, host) })
}
