package redact

// Redactor redacts text. One is made per upstream, since it knows the values
// that the gateway itself sends there. The zero value knows none. Safe for
// concurrent use.
type Redactor struct {
	exact []string // longest first
}

// New makes a Redactor that also removes these exact values, whatever they look
// like, and their URL-, base64- and JSON-escaped forms. Values under 4 bytes
// are ignored: they would tear ordinary words apart.
func New(secrets []string) *Redactor {
	return &Redactor{exact: formsOf(secrets)}
}

// Text redacts and compacts s to one line. keep is what the caller itself sent
// and may see again.
func (r *Redactor) Text(s string, keep Keep) string {
	return r.Secrets(clean(s))
}

// Secrets removes the exact values alone.
func (r *Redactor) Secrets(s string) string {
	return replaceAll(s, r.exact)
}
