package redact

import "strings"

// pairNames are names in connection strings of ADO, ODBC and Azure, where
// semicolons separate the pairs; wordNames those of libpq, where blanks do.
var (
	pairNames = setOf2(`
		server, data source, host, hostname, driver, provider, initial catalog, database, user id, uid, user, username, password, pwd, endpoint,
		defaultendpointsprotocol, accountname, accountkey, sharedaccesskeyname, sharedaccesskey, sharedaccesssignature, blobendpoint, dsn, port`)
	wordNames = setOf(`host hostaddr user password dbname port sslmode connect_timeout application_name options target_session_attrs`)
)

// connectionNames are both, with the sign behind them.
func connectionNames() (words []string) {
	for _, names := range []map[string]bool{pairNames, wordNames} {
		for name := range names {
			words = append(words, name+"=", name+" =")
		}
	}
	return words
}

// connections removes connection strings: two pairs at least, one of them with a
// name that only such strings have.
func (t *text) connections(places []int) {
	t.splice(places, func(s string, at int) (from, to int, with string) {
		if at > 0 && isWord(s[at-1]) {
			return 0, 0, ""
		}
		if to = pairsEnd(s, at); to == 0 {
			to = wordsEnd(s, at)
		}
		if to > at {
			t.keep.notePairs(s[at:to], "; ", nil)
		}
		return at, to, secretMark
	})
}

// maxPair bounds one pair, in bytes.
const maxPair = 512

// pairsEnd reads `name=value;` pairs and returns where the last one ends; 0:
// there are not two.
func pairsEnd(s string, at int) (end int) {
	for pairs := 0; ; pairs++ {
		if pairs == 0 && !startsWithPair(s[at:]) {
			return 0
		}
		next := at + len(s[at:]) - len(strings.TrimLeft(s[at:], " "))
		rest := s[next:min(len(s), next+maxPair)]
		equals := strings.IndexByte(rest, '=')
		if equals < 2 || equals > 40 || !isPairName(rest[:equals]) {
			if pairs < 2 {
				return 0
			}
			return end
		}
		stop := strings.IndexAny(rest, `;"'`)
		if stop < 0 || rest[stop] != ';' {
			if pairs < 1 {
				return 0
			}
			if stop < 0 { // the last pair needs no semicolon
				return next + max(len(strings.TrimRight(firstWord(rest), ".,)")), equals)
			}
			return next + stop
		}
		at = next + stop + 1
		end = at
	}
}

// startsWithPair reports a name that only connection strings begin with.
func startsWithPair(s string) bool {
	name, _, _ := strings.Cut(s[:min(len(s), 40)], "=")
	return pairNames[strings.ToLower(strings.TrimSpace(name))]
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}

// isPairName reports words; the first pair's name is one of the set, as it was
// found by it.
func isPairName(name string) bool {
	for i := range len(name) {
		if !isWord(name[i]) && name[i] != ' ' && name[i] != '.' {
			return false
		}
	}
	return true
}

// wordsEnd reads `name=value` words; 0: there are not two.
func wordsEnd(s string, at int) (end int) {
	for words := 0; ; words++ {
		rest := s[at:min(len(s), at+maxPair)]
		name, value, found := strings.Cut(rest, "=")
		if !found || !wordNames[strings.ToLower(name)] {
			if words < 2 {
				return 0
			}
			return end
		}
		size := len(firstWord(value))
		if strings.HasPrefix(value, "'") {
			if quote := strings.IndexByte(value[1:], '\''); quote >= 0 {
				size = quote + 2
			}
		}
		end = at + len(name) + 1 + size
		at = min(end+1, len(s))
	}
}
