package diagnose

import (
	"net/http"
	"strings"

	"toolgate.dev/toolgate/interceptors"
)

// KnownCode reports whether code belongs to the closed set that may label
// metrics: the gateway's own, the names of statuses, and the codes that
// vocabularies list. Codes of rules are the catalogue's to know.
func (e *Engine) KnownCode(code string) bool { return e.codes[foldCode(code)] }

// KnownProvider reports whether a catalogue's `provider` names a vocabulary.
func (e *Engine) KnownProvider(name string) bool {
	return e.registry.names[strings.ToLower(name)] != nil
}

func knownCodes(g *registry) map[string]bool {
	known := map[string]bool{"error": true}
	for _, code := range []string{
		interceptors.CodeUnknownTool, interceptors.CodeMalformedJSON, interceptors.CodeInvalidArguments,
		interceptors.CodeArgumentsTooLarge, interceptors.CodeRejectionCap, interceptors.CodeOutcomeUnknown,
		interceptors.CodeAlreadyExecuted, interceptors.CodeCircuitOpen, interceptors.CodeCoolingDown, interceptors.CodeBusy,
		interceptors.CodeRunBudget, interceptors.CodeDeadlineTooShort, interceptors.CodeCallIDReused, interceptors.CodeTimeout,
		interceptors.CodeUnreachable, interceptors.CodeInternal,
	} {
		known[code] = true
	}
	for status := 300; status < 600; status++ {
		if http.StatusText(status) != "" || statusNames[status] != "" {
			known[statusCode(status)] = true
		}
	}
	for _, name := range grpcNames {
		known[foldCode(name)] = true
	}
	for _, v := range g.all {
		for code := range v.exact {
			known[code] = true
		}
		for _, rule := range v.rules {
			for _, w := range rule.codes {
				if !w.before && !w.behind && !w.absent {
					known[w.text] = true
				}
			}
			if rule.result.code != "" {
				known[foldCode(rule.result.code)] = true
			}
		}
	}
	return known
}
