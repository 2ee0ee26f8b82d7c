package diagnose

import (
	"net/http"
	"strings"
)

// versionNames are usual names of the argument that says which version a write
// is based on.
var versionNames = map[string]bool{
	"resourceversion": true, "version": true, "etag": true, "ifmatch": true, "ifunmodifiedsince": true, "rev": true, "revision": true,
	"revisionid": true, "sha": true, "synctoken": true, "lockversion": true, "rowversion": true, "expectedversion": true, "baseversion": true,
	"versionid": true, "generation": true, "ifgenerationmatch": true, "expectedrevision": true, "parentrevision": true, "changekey": true,
	"concurrencystamp": true, "updatetoken": true, "seqno": true, "ifnonematch": true, "ifmetagenerationmatch": true, "ifgenerationnotmatch": true, "ifseqno": true,
}

// staleWords say that somebody else changed the object. They find a field and
// decide nothing.
var staleWords = []string{
	"modified", "stale", "changed", "another user", "version", "revision", "etag", "precondition", "if-match", "out of date", "outdated",
	"latest", "conflict",
}

// staleVersion is the argument with the version, where the failure is about one.
func (d *diagnosis) staleVersion() (string, bool) {
	switch d.reading.status {
	case http.StatusPreconditionFailed, http.StatusPreconditionRequired:
		return d.versionArgument() // they are about nothing else
	case http.StatusConflict:
	default:
		if !holdsWord(strings.ToLower(strings.Join(d.finding.codes, " ")), "stale", "version", "precondition", "etag", "optimistic", "conditionnotmet") {
			return "", false
		}
	}
	if !holdsWord(strings.ToLower(d.finding.sentence()+" "+strings.Join(d.finding.codes, " ")), staleWords...) {
		return "", false
	}
	return d.versionArgument()
}

func (d *diagnosis) versionArgument() (string, bool) {
	for _, list := range [][]argument{d.index().sent, d.index().known} {
		for i := range list {
			if versionNames[list[i].leaf()] {
				return list[i].path(), true
			}
		}
	}
	return "", false
}

func holdsWord(text string, words ...string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
