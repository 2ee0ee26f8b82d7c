package redact

// Redactor redacts text. One is made per upstream, since it knows the values
// that the gateway itself sends there. The zero value and nil know none. Safe
// for concurrent use.
type Redactor struct {
	exact matcher
}

// New makes a Redactor that also removes these exact values, whatever they look
// like, and their URL-, base64-, hex-, HTML- and JSON-escaped forms. Values
// under 4 bytes are ignored: they would tear ordinary words apart.
func New(secrets []string) *Redactor {
	return &Redactor{exact: newMatcher(needles(secrets))}
}

// maxPasses bounds the repetition below; two are common where anything is
// removed.
const maxPasses = 32

// Text redacts and compacts s to one line. keep is what the caller itself sent
// and may see again; secrets go even from there. The result is never longer
// than a few placeholders more than s; bounding it is up to the caller.
func (r *Redactor) Text(s string, keep Keep) string {
	// One removal may uncover another (an entity that hid a tag, markup that cut
	// a token in two), so it is repeated until nothing changes. That also makes
	// redacting twice the same as once.
	for range maxPasses {
		next := r.pass(s, keep)
		if next == s {
			break
		}
		s = next
	}
	return s
}

func (r *Redactor) pass(s string, keep Keep) string {
	s = markupToText(clean(s))
	s = squeeze(compactTrace(keep.scrub(r.Secrets(s))))
	t := text{s: s, keep: keep, set: everything}
	t.run()
	return squeeze(closeGaps(t.s))
}

// everything is all rules. A statement goes first, since it may hold anything;
// secrets before what could take a part of them; opaque runs last, when all that
// has a name of its own is gone.
var everything = newRuleSet(
	[]rule{{by: (*text).statements, words: sqlVerbs}},
	secretRules, namedSecrets,
	[]rule{{by: (*text).encoded, needs: hasEscape}},
	noiseRules, placeRules, personRules, identifierRules,
	[]rule{{by: (*text).opaque}},
)

// secretsAlone is for values that the caller sent.
var secretsAlone = newRuleSet(secretRules[:len(secretRules)-1], namedSecrets, []rule{{words: []string{"://"}, by: (*text).hideURLs}})

// namedSecrets show by a name in front or by their own beginning.
var namedSecrets = []rule{
	{by: (*text).labelled, any: hasColon | hasEquals, words: secretStems},
	{by: (*text).tokens, words: tokenPrefixes()},
}

// Secrets removes the exact values alone, and changes nothing else. Text
// without them comes back as it is, without a copy.
func (r *Redactor) Secrets(s string) string {
	if r == nil {
		return s
	}
	return r.exact.remove(s)
}

// JSON removes the exact values alone from JSON text that is valid, and leaves
// it valid. Text without them comes back as it is, without a copy.
func (r *Redactor) JSON(text string) string {
	if r == nil || r.exact.remove(text) == text {
		return text
	}
	return string(rewrite([]byte(text), func(s string) string { return r.exact.remove(s) }))
}
