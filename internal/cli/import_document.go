package cli

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"toolgate.dev/toolgate/internal/openapi"
	"toolgate.dev/toolgate/server/catalog"
)

// imported is what became of a document.
type imported struct {
	*session

	flags    importFlags
	document *openapi.Document
	upstream string // its name
	server   string // its URL
	outcome  *catalog.Import
}

// importDocument has the catalogue import the document as it does when it is served:
// what is written then is what would be served.
func (s *session) importDocument(flags importFlags) (*imported, error) {
	document, err := flags.glance()
	if err != nil {
		return nil, err
	}
	made := &imported{session: s, flags: flags, document: document}
	if err := made.findServer(); err != nil {
		return nil, err
	}
	where, err := flags.where()
	if err != nil {
		return nil, err
	}
	text, err := yaml.Marshal(map[string]any{
		"upstreams": map[string]any{made.upstream: map[string]any{"url": made.server}},
		"openapi": []any{map[string]any{
			"document": where, "upstream": made.upstream, "prefix": flags.prefix, "tags": flags.tags, "max_schema_bytes": flags.schemaBytes,
			"select": map[string]any{"only": flags.only, "except": flags.except},
		}},
	})
	if err != nil {
		return nil, err
	}
	reading, err := catalog.Read(filepath.Base(flags.file), text, catalog.UnreadSecrets())
	if err != nil {
		return nil, err
	}
	if reading.Catalog != nil {
		defer reading.Catalog.Close()
	}
	if len(reading.Imports) > 0 {
		made.outcome = reading.Imports[0]
	}
	switch {
	case made.outcome != nil && len(made.outcome.Tools) == 0:
		return nil, made.nothing()
	case len(reading.Problems) > 0:
		return nil, usage(reading.Problems[0].Message, "accepted: "+reading.Problems[0].Accepted)
	}
	return made, nil
}

// nothing says why no operation became a tool.
func (m *imported) nothing() error {
	if left := m.outcome.LeftOut; len(left) > 0 {
		return usage("no operation of the document can be a tool: of "+left[0].Method+" "+left[0].Path+", "+left[0].Reason, "")
	}
	return usage("no operation of the document is selected", "--only, --except and --tag are matched as they are written in the document")
}

// findServer decides where the tools go: the catalogue has paths alone, so that one
// line changes it.
func (m *imported) findServer() error {
	m.server = m.flags.url
	if m.server == "" {
		m.server = m.document.Server()
	}
	if m.flags.isURL() && !strings.Contains(m.server, "://") {
		if base, err := url.Parse(m.flags.file); err == nil {
			if there, err := base.Parse(m.server); err == nil {
				m.server = there.String()
			}
		}
	}
	parsed, err := url.Parse(m.server)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return usage("the document does not say where its server is", "--url https://api.example.com/v1")
	}
	m.upstream = upstreamName(parsed.Hostname())
	return nil
}

// upstreamName is what a person calls a host: `stripe` of api.stripe.com.
func upstreamName(host string) string {
	labels := strings.Split(host, ".")
	if len(labels) < 2 || strings.Trim(host, "0123456789.:") == "" {
		return "api"
	}
	name := labels[len(labels)-2]
	if len(name) <= 3 && len(labels) > 2 && len(labels[len(labels)-1]) == 2 { // example.co.uk
		name = labels[len(labels)-3]
	}
	return name
}

// summary tells a person what was written; at a terminal as a table.
func (m *imported) summary() {
	tools, left := len(m.outcome.Tools), len(m.outcome.LeftOut)
	if !m.ErrTerminal {
		fmt.Fprintf(m.Stderr, "%d tools of %d operations\n", tools, tools+left)
		return
	}
	count := map[string]int{}
	cut := 0
	for _, tool := range m.outcome.Tools {
		count[effectOf(tool)]++
		if tool.Cut {
			cut++
		}
	}
	rows := table{head: []string{"TOOLS", "OF THEM"}}
	for _, kind := range []string{"reads", "idempotent", "writes"} {
		if count[kind] > 0 {
			rows.add(strconv.Itoa(count[kind]), kind)
		}
	}
	if cut > 0 {
		rows.add(strconv.Itoa(cut), "take more than the document says: their schemas were cut")
	}
	rows.write(m.Stderr, m.err, m.Width)
	if left == 0 {
		return
	}
	fmt.Fprintln(m.Stderr)
	missing := table{head: []string{"LEFT OUT", "WHY"}}
	for _, one := range m.outcome.LeftOut[:min(left, maxListed)] {
		missing.add(one.Method+" "+one.Path, one.Reason)
	}
	missing.write(m.Stderr, m.err, m.Width)
	if left > maxListed {
		fmt.Fprintf(m.Stderr, "and %d more: the catalogue names them all\n", left-maxListed)
	}
}

const maxListed = 20

func effectOf(tool catalog.ImportedTool) string {
	effect := strings.ToLower(strings.TrimPrefix(tool.Written.GetEffect().String(), "EFFECT_"))
	switch {
	case effect == "read", effect == "unspecified" && slices.Contains([]string{"GET", "HEAD"}, tool.Method):
		return "reads"
	case effect == "idempotent", effect == "unspecified" && slices.Contains([]string{"PUT", "DELETE"}, tool.Method):
		return "idempotent"
	}
	return "writes"
}

var errNoObject = errors.New("a schema that is no object")
