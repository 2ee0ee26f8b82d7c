package diagnose

import (
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// Engine judges failures. It is safe for concurrent use.
type Engine struct {
	registry     *registry
	codes        map[string]bool
	ignoredWaits atomic.Uint64
}

// Input is one raw failure, or one reply that may hide a failure.
type Input struct {
	// Tool is the tool that was called. Required.
	Tool *interceptors.Tool
	// Arguments is the JSON that was sent. Empty: none.
	Arguments []byte
	// Reply is what the attempt brought back. Required.
	Reply *interceptors.Reply
	// Now is the moment of the reply, for waits that name an instant; the
	// response's own Date wins over it. Zero: such waits can't be read without a
	// Date.
	Now time.Time
	// IdempotencyKeyed reports that the attempt carried an idempotency key, so
	// that repeating it does no harm.
	IdempotencyKeyed bool
	// Trail is filled with what each rung saw. Nil: not wanted.
	Trail *Trail
}

// New makes an engine with the embedded vocabularies and those of the given
// file systems (*.yaml in their roots; docs/vocabularies.md has the format). A
// later file of the same name replaces an earlier one. The error names file and
// line of what breaks a rule of the format.
func New(vocabularies ...fs.FS) (*Engine, error) {
	read := func() (*registry, error) { return load(vocabularies) }
	if len(vocabularies) == 0 {
		read = builtIn
	}
	g, err := read()
	if err != nil {
		return nil, err
	}
	return &Engine{registry: g, codes: knownCodes(g)}, nil
}

// builtIn reads the embedded vocabularies once in a process: they never change,
// and reading them takes a tenth of a second.
var builtIn = sync.OnceValues(func() (*registry, error) { return load(nil) })

func load(vocabularies []fs.FS) (*registry, error) {
	own, err := fs.Sub(embedded, "vocabularies")
	if err != nil {
		return nil, err
	}
	all, err := loadVocabularies(append([]fs.FS{own}, vocabularies...)...)
	if err != nil {
		return nil, err
	}
	return newRegistry(all), nil
}

// IgnoredWaits counts the waits that were not believed: negative, not finite,
// or over a year.
func (e *Engine) IgnoredWaits() uint64 { return e.ignoredWaits.Load() }

// Diagnose turns a reply into the error that the caller gets, or nil where the
// reply is a success. The error is redacted; it lacks what only a room knows
// (attempts, exhausted, correlation id, observation), and bounds are the
// rendering's. retry_after is the upstream's hint; a transient error without a
// hint has none, and whoever sends it on fills in the next backoff step.
// http_status is 0 where the class's usual one says enough.
func (e *Engine) Diagnose(in Input) (*toolgatev1.ToolError, interceptors.Verdict) {
	if in.Reply.Failure == interceptors.FailureNone && succeeded(in.Reply) {
		if !e.suspicious(in.Tool, in.Reply) {
			return nil, interceptors.Verdict{}
		}
		return e.begin(in).fromSuccess()
	}
	return e.begin(in).fromFailure()
}

func (e *Engine) begin(in Input) *diagnosis {
	return &diagnosis{engine: e, in: &in, tool: in.Tool}
}

// succeeded reports a reply that its protocol calls a success.
func succeeded(r *interceptors.Reply) bool {
	switch r.Transport {
	case interceptors.TransportHTTP:
		return r.Status >= 200 && r.Status < 300 || r.Status == 304
	case interceptors.TransportFunction:
		return r.ToolError == nil && r.Status == 0
	}
	return r.Status == 0 && r.ToolError == nil
}

// suspicious reports whether a success is worth reading: a rule may speak, the
// provider hides failures there, or the body shows a sign of one. It is all that
// most successes cost.
func (e *Engine) suspicious(tool *interceptors.Tool, reply *interceptors.Reply) bool {
	if tool.Rules != nil {
		return true
	}
	if reply.Transport != interceptors.TransportHTTP {
		return false
	}
	if worthALook(reply.Body) || reply.Status == 207 {
		return true
	}
	known := e.registry.known(tool.Diagnosis.Provider, tool.Diagnosis.Host)
	return known != nil && known.marked(reply.Body)
}

// fromSuccess diagnoses a 2xx that may be a failure.
func (d *diagnosis) fromSuccess() (*toolgatev1.ToolError, interceptors.Verdict) {
	if d.tool.Rules != nil {
		d.rule = d.tool.Rules.Match(d.in.Reply, d.in.Arguments)
	}
	if d.rule == nil && (d.in.Reply.Transport != interceptors.TransportHTTP || !d.deserves()) {
		return nil, interceptors.Verdict{}
	}
	d.prepare()
	if d.rule == nil && !d.hiddenFailure() {
		return nil, interceptors.Verdict{}
	}
	d.finding.hiddenIn = true
	return d.judge()
}

// fromFailure diagnoses what its protocol calls a failure.
func (d *diagnosis) fromFailure() (*toolgatev1.ToolError, interceptors.Verdict) {
	d.prepare()
	if own := d.ownError(); own != nil {
		return d.believe(own)
	}
	if d.tool.Rules != nil {
		d.rule = d.tool.Rules.Match(d.in.Reply, d.in.Arguments)
	}
	if broken(d.in.Reply) {
		return d.brokenTransport()
	}
	return d.judge()
}

// broken reports a failure below the protocol. A body that ended early may
// still follow a status that says enough.
func broken(r *interceptors.Reply) bool {
	return r.Failure != interceptors.FailureNone && !(r.Failure == interceptors.FailureBodyCut && r.Status >= 300)
}

func (d *diagnosis) prepare() {
	d.reading = read(d.in)
	d.now = moment(d.reading, d.in.Now)
	g := d.engine.registry
	d.vocabulary = g.known(d.tool.Diagnosis.Provider, d.tool.Diagnosis.Host)
	if d.vocabulary == nil && d.in.Reply.Transport == interceptors.TransportGRPC {
		d.vocabulary = g.ofService(d.tool.Diagnosis.Method)
	}
	if d.vocabulary == nil {
		d.vocabulary = g.shaped(d.reading)
	}
}

// judge reads the body and climbs the ladder.
func (d *diagnosis) judge() (*toolgatev1.ToolError, interceptors.Verdict) {
	d.in.Trail.add("upstream", "the upstream does not speak for itself", false)
	d.finding.status = d.statusEntry()
	d.readProvider()
	d.readEnvelope()
	d.climb()
	return d.assemble()
}

// statusEntry is what the status says; inside a 2xx, the status that the body
// names.
func (d *diagnosis) statusEntry() statusEntry {
	r := d.reading
	switch {
	case d.finding.hiddenIn:
		return d.bodyStatus()
	case r.form == formStatus:
		entry := grpcStatus(r.status)
		if r.status == 14 {
			entry.maybe = d.in.Reply.Sent && r.detail("RetryInfo") == nil
		}
		return entry
	case r.http():
		return httpStatus(r.status)
	case r.byTool():
		return r.mcpStatus()
	}
	return statusEntry{list: "terminal"}
}

// bodyStatus is the status that a 2xx names in its body: a page in its title,
// an object in a member.
func (d *diagnosis) bodyStatus() statusEntry {
	if d.reading.form == formHTML {
		return titleStatus(scanPage(d.reading.html))
	}
	root := d.reading.root.first()
	for _, n := range []*node{
		root.any("statusCode", "status_code", "httpStatus", "status", "code"), root.at("error", "code"), root.at("error", "status"),
		root.member("errors").first().any("status", "statusCode"),
	} {
		if v, ok := n.number(); ok && v >= 400 && v < 600 {
			entry := httpStatus(int(v))
			entry.down = false
			return entry
		}
	}
	return statusEntry{list: "invalid_request"}
}

// titleStatus reads the number that pages of proxies begin with.
func titleStatus(p page) statusEntry {
	for _, text := range []string{p.title, p.heading} {
		text = strings.TrimPrefix(strings.TrimPrefix(text, "HTTP Status "), "Error ")
		if n := digits(text); n == 3 {
			if status := atoi(text[:n]); status >= 400 && status < 600 {
				return httpStatus(status)
			}
		}
	}
	return statusEntry{list: "terminal"} // a page where an answer was due
}
