package openapi

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
)

// Settings say how operations become tools.
type Settings struct {
	Selection

	// Prefix is put before each name.
	Prefix string
	// MaxSchemaBytes bounds each schema; 0 means 8 KiB.
	MaxSchemaBytes int

	schemes []Scheme // of the document
}

// DefaultSchemaBytes is how large a schema may be where nobody says anything else.
const DefaultSchemaBytes = 8 << 10

// Description is what became of a document.
type Description struct {
	// Tools are in the order of the document.
	Tools []Described
	// LeftOut are operations that were selected and can't be tools.
	LeftOut []LeftOut
	// Idle are the patterns and tags of the selection that fitted no operation.
	Idle []string
	// Operations are the ids of all operations, and `METHOD /path` of those without.
	Operations []string
	// Tags are those of all operations.
	Tags []string
}

// Described is one operation as a tool.
type Described struct {
	// Tool says everything but its upstream and its secrets. Its URL is the
	// operation's path.
	Tool *catalogv1.Tool
	// Operation is the operation's id; may be empty. Method and Path are always
	// there.
	Operation, Method, Path string
	// Server is where the operation itself says that it is, as Document.Server
	// writes it; empty: at the document's server.
	Server string
	// Needs are sets of security schemes, one of which has to be there; none: it
	// needs nothing.
	Needs [][]string
	// Notes say what of the operation is missing in the tool.
	Notes []string
	// Cut reports that the schema was too large and takes more than the operation
	// does.
	Cut bool
	// Undecided are the statuses of documented failures whose class the status alone
	// does not tell for certain, with the codes that are documented for them: `409
	// (sold_out, duplicate)`.
	Undecided []string
}

// LeftOut is an operation that is no tool.
type LeftOut struct {
	Operation, Method, Path string
	// Name is the name that its tool would have.
	Name string
	// Reason completes `it is left out, since …`.
	Reason string
}

// Describe makes tools of the operations that are selected. Only a document that is
// too large as a whole is an error.
func (d *Document) Describe(settings Settings) (*Description, error) {
	d.allowed.Store(d.spent.Load() + maxTotalWork)
	operations, err := d.operations()
	if err != nil {
		return nil, err
	}
	if settings.MaxSchemaBytes <= 0 {
		settings.MaxSchemaBytes = DefaultSchemaBytes
	}
	settings.schemes = d.Schemes()
	found := &Description{}
	given := &names{prefix: settings.Prefix, taken: map[string]bool{reservedName: true}}
	choice := newChooser(settings.Selection)
	for _, op := range operations {
		found.know(op)
		name := given.name(op)
		if !choice.takes(op, name) || errors.Is(op.fault, errIgnored) {
			continue
		}
		described, err := d.describe(op, name, settings)
		if err != nil {
			found.LeftOut = append(found.LeftOut, LeftOut{Operation: op.id, Method: op.method, Path: op.path, Name: name, Reason: err.Error()})
			continue
		}
		found.Tools = append(found.Tools, described)
	}
	found.Idle = choice.idle()
	return found, nil
}

// know remembers how an operation can be named.
func (f *Description) know(op *operation) {
	f.Operations = append(f.Operations, orElse(op.id, op.method+" "+op.path))
	for _, tag := range op.tags {
		if !slices.Contains(f.Tags, tag) {
			f.Tags = append(f.Tags, tag)
		}
	}
}

var errExhausted = fmt.Errorf("the document takes too much to read: more than %d MiB, the same text as often as it is referred to", maxTotalWork>>20)

func (d *Document) describe(op *operation, name string, settings Settings) (Described, error) {
	if op.fault != nil {
		return Described{}, op.fault
	}
	if !d.spend(len(op.fields.get("requestBody").json) + len(op.fields.get("responses").json)) {
		return Described{}, errExhausted
	}
	r := &request{doc: d, op: op, schemes: settings.schemes, http: &catalogv1.HttpCall{Method: op.method, Url: op.path}}
	if err := r.addParameters(); err != nil {
		return Described{}, err
	}
	body, err := d.bodyOf(op)
	if err != nil {
		return Described{}, err
	}
	if err := r.addBody(body); err != nil {
		return Described{}, err
	}
	for _, a := range r.arguments {
		if a.place != nil {
			if r.http.Arguments == nil {
				r.http.Arguments = map[string]*catalogv1.Placement{}
			}
			r.http.Arguments[a.name] = shortest(a.place, op)
		}
	}
	for name, place := range r.http.Arguments {
		if place == nil {
			delete(r.http.Arguments, name)
		}
	}
	text, made := r.inputSchema(settings.MaxSchemaBytes)
	found := Described{
		Operation: op.id, Method: op.method, Path: op.path, Server: serverOf(op.servers), Needs: d.needs(op), Cut: made.cut,
		Tool: &catalogv1.Tool{
			Name: name, Description: describe(op.summary, op.description), InputSchema: text, IdempotencyKey: r.key,
			Backend: &catalogv1.Tool_Http{Http: r.http},
		},
	}
	found.Notes = slices.Concat(r.notes, made.noted())
	if op.fields.get("deprecated").isTrue() {
		found.Tool.Description = cut("Deprecated. "+found.Tool.Description, maxDescriptionBytes)
	}
	if err := d.judge(op, &found); err != nil {
		return Described{}, err
	}
	if op.hints.tool != nil {
		found.Tool.Errors = slices.Concat(op.hints.tool.Errors, found.Tool.Errors)
		op.hints.tool.Errors = nil
		proto.Merge(found.Tool, op.hints.tool)
	}
	return found, nil
}

// shortest leaves out a placement that says what holds anyway.
func shortest(place *catalogv1.Placement, op *operation) *catalogv1.Placement {
	inQuery := op.method == "GET" || op.method == "HEAD" || op.method == "DELETE"
	if inQuery && place.In == catalogv1.Location_LOCATION_QUERY && place.Name == "" && place.Style == 0 {
		return nil
	}
	return place
}

// certain are the statuses that tell what to do next by themselves.
var certain = []int{400, 401, 403, 404, 405, 406, 408, 413, 414, 415, 422, 425, 429}

// judge makes rules of the documented failures that say what they mean, and lists
// those that leave it open.
func (d *Document) judge(op *operation, found *Described) error {
	responses := op.fields.get("responses").members()
	for _, key := range responses.names {
		response, err := d.follow(responses.get(key))
		if err != nil {
			continue // nothing of it is needed
		}
		rules, err := rulesOf(key, response)
		if err != nil {
			return err
		}
		found.Tool.Errors = append(found.Tool.Errors, rules...)
		status, err := strconv.Atoi(key)
		if err == nil && len(rules) == 0 && status >= 400 && status < 500 && !slices.Contains(certain, status) {
			if codes := d.codesOf(response); len(codes) > 0 {
				key += " (" + strings.Join(codes, ", ") + ")"
			}
			found.Undecided = append(found.Undecided, key)
		}
	}
	return nil
}
