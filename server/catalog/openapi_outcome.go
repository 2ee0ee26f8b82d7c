package catalog

import (
	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/internal/openapi"
)

// Import is what became of one document, for those who judge it.
type Import struct {
	// Index is its place in `openapi`.
	Index int
	// Tools are in the order of the document.
	Tools []ImportedTool
	// LeftOut are operations that were selected and are no tools.
	LeftOut []LeftOut
	// Missing are the security schemes that no secret is named for, and how many
	// tools are called without for that.
	Missing map[string]int
}

// ImportedTool is an operation as a tool.
type ImportedTool struct {
	// Written is what an operator would have to write.
	Written *catalogv1.Tool
	// Method and Path are the operation's, Operation its id, which may be empty.
	Method, Path, Operation string
	// Notes say what of the operation the tool lacks.
	Notes []string
	// Cut reports that the schema was too large and is not the whole.
	Cut bool
	// Undecided are the statuses of documented failures whose class is a guess, with
	// their codes: `409 (sold_out, duplicate)`.
	Undecided []string
}

// LeftOut is an operation that is no tool.
type LeftOut struct {
	Name, Method, Path string
	// Reason completes `it is left out, since …`.
	Reason string
}

func (o *openAPIImport) leaveOut(d openapi.Described, reason string) {
	o.outcome.LeftOut = append(o.outcome.LeftOut, LeftOut{Name: d.Tool.GetName(), Method: d.Method, Path: d.Path, Reason: reason})
	o.groups.add("left out, since "+reason, d.Tool.GetName())
}

func (o *openAPIImport) take(d openapi.Described) {
	o.outcome.Tools = append(o.outcome.Tools, ImportedTool{
		Written: d.Tool, Method: d.Method, Path: d.Path, Operation: d.Operation, Notes: d.Notes, Cut: d.Cut, Undecided: d.Undecided,
	})
	for _, note := range d.Notes {
		o.groups.add("without a part: "+note, d.Tool.GetName())
	}
}

func (o *openAPIImport) conclude() {
	for _, left := range o.described.LeftOut {
		o.outcome.LeftOut = append(o.outcome.LeftOut, LeftOut{Name: left.Name, Method: left.Method, Path: left.Path, Reason: left.Reason})
	}
	o.outcome.Missing = map[string]int{}
	for words, tools := range o.missing {
		o.outcome.Missing[words] = len(tools)
	}
	o.report.outcomes = append(o.report.outcomes, &o.outcome)
}
