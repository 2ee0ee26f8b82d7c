package diagnose

import "net/http"

// statusEntry is what a bare status says: a guess, and reported as one.
type statusEntry struct {
	list  string // of meanings
	maybe bool   // the call may have taken effect
	down  bool   // it counts against the tool's breaker
}

// httpStatuses are the HTTP statuses that differ from their hundred.
var httpStatuses = map[int]statusEntry{
	401: {list: "credentials"},
	402: {list: "billing"},
	403: {list: "denied"},
	407: {list: "terminal"},
	408: {list: "transient"},
	419: {list: "credentials"}, // Laravel: the session or its form token ran out
	421: {list: "transient"},
	423: {list: "transient"},
	424: {list: "terminal"},
	425: {list: "transient"},
	426: {list: "terminal"},
	429: {list: "throttled"},
	440: {list: "credentials"}, // IIS: the session ran out
	451: {list: "terminal"},
	498: {list: "credentials"}, // Esri: the token ran out
	499: {list: "transient", maybe: true},
	500: {list: "uncertain", maybe: true},
	501: {list: "terminal"},
	502: {list: "uncertain", maybe: true, down: true},
	503: {list: "transient", down: true},
	504: {list: "uncertain", maybe: true, down: true},
	505: {list: "terminal"},
	506: {list: "terminal"},
	507: {list: "terminal"},
	508: {list: "terminal"},
	509: {list: "throttled"},
	510: {list: "terminal"},
	511: {list: "terminal"},
	520: {list: "uncertain", maybe: true, down: true},
	521: {list: "transient", down: true},
	522: {list: "transient", down: true},
	523: {list: "transient", down: true},
	524: {list: "uncertain", maybe: true, down: true},
	525: {list: "transient", down: true},
	526: {list: "transient", down: true},
	527: {list: "uncertain", maybe: true, down: true},
	529: {list: "transient"},
	530: {list: "transient", down: true},
	598: {list: "uncertain", maybe: true, down: true},
	599: {list: "uncertain", maybe: true, down: true},
}

// grpcStatuses are the canonical gRPC codes.
var grpcStatuses = [...]statusEntry{
	0:  {},
	1:  {list: "uncertain", maybe: true},             // CANCELLED by the peer
	2:  {list: "uncertain", maybe: true},             // UNKNOWN
	3:  {list: "invalid_request"},                    // INVALID_ARGUMENT
	4:  {list: "uncertain", maybe: true, down: true}, // DEADLINE_EXCEEDED
	5:  {list: "invalid_request"},                    // NOT_FOUND
	6:  {list: "invalid_request"},                    // ALREADY_EXISTS
	7:  {list: "denied"},                             // PERMISSION_DENIED
	8:  {list: "throttled"},                          // RESOURCE_EXHAUSTED
	9:  {list: "terminal"},                           // FAILED_PRECONDITION
	10: {list: "transient"},                          // ABORTED
	11: {list: "invalid_request"},                    // OUT_OF_RANGE
	12: {list: "terminal"},                           // UNIMPLEMENTED
	13: {list: "uncertain", maybe: true},             // INTERNAL
	14: {list: "transient", maybe: true, down: true}, // UNAVAILABLE, where bytes were sent
	15: {list: "terminal"},                           // DATA_LOSS
	16: {list: "credentials"},                        // UNAUTHENTICATED
}

func httpStatus(code int) statusEntry {
	if entry, ok := httpStatuses[code]; ok {
		return entry
	}
	switch {
	case code >= 500:
		return statusEntry{list: "uncertain", maybe: true}
	case code >= 300 && code < 400:
		return statusEntry{list: "terminal"}
	}
	return statusEntry{list: "invalid_request"}
}

func grpcStatus(code int) statusEntry {
	if code <= 0 || code >= len(grpcStatuses) {
		return statusEntry{list: "uncertain", maybe: true}
	}
	return grpcStatuses[code]
}

// statusNames are the names of statuses that net/http does not know.
var statusNames = map[int]string{
	419: "page_expired", 420: "enhance_your_calm", 430: "request_header_fields_too_large", 440: "login_time_out",
	449: "retry_with", 450: "blocked", 498: "invalid_token", 499: "client_closed_request",
	509: "bandwidth_limit_exceeded", 520: "web_server_returned_an_unknown_error", 521: "web_server_is_down",
	522: "connection_timed_out", 523: "origin_is_unreachable", 524: "a_timeout_occurred", 525: "ssl_handshake_failed",
	526: "invalid_ssl_certificate", 527: "railgun_error", 529: "site_is_overloaded", 530: "site_is_frozen",
	598: "network_read_timeout", 599: "network_connect_timeout",
}

// statusCode is the code that a status has where the provider gave none: its
// registered name in snake case.
func statusCode(status int) string {
	if name, ok := statusNames[status]; ok {
		return name
	}
	if text := http.StatusText(status); text != "" {
		return snake(text)
	}
	return "http_" + itoa(status)
}
