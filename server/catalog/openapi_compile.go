package catalog

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"

	"toolgate.dev/toolgate/internal/arguments"
	"toolgate.dev/toolgate/internal/rawjson"
)

// compile compiles an imported tool. What is wrong with the document's own words is
// the reason why it is left out; what is wrong with what the operator put over them
// is reported as everything else.
func (o *openAPIImport) compile(e *entry, exact bool) (reason string) {
	trial := o.try(e)
	if e.tool.Unvalidated && o.mend(e) {
		trial = o.try(e)
	}
	for _, problem := range trial.found {
		if exact && saidOver(e.at, problem.Path) {
			o.report.found = append(o.report.found, problem)
			continue
		}
		if reason == "" {
			reason = problem.Message
		}
	}
	if reason == "" {
		o.report.warned = append(o.report.warned, trial.warned...)
	}
	return reason
}

// try compiles with a report of its own.
func (o *openAPIImport) try(e *entry) *report {
	whole := o.report
	trial := newReport(whole.file)
	trial.dark = whole.dark
	e.outline, e.upstream, e.transport, e.secrets, e.tool = outline{}, nil, nil, nil, nil
	o.report = trial
	o.compileTool(e)
	o.report = whole
	return trial
}

// saidOver reports that a problem's place is in what the operator wrote.
func saidOver(at at, path string) bool {
	field, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(path, at.path), "."), ".")
	field, _, _ = strings.Cut(field, "[")
	return at.node != nil && at.node.Kind == yaml.MappingNode && member(at.node, field) != nil
}

// maxMended bounds how many keywords of one schema may be taken out.
const maxMended = 16

// mend takes out of a described schema what keeps it from compiling: a pattern in
// another dialect, mostly. Without it the schema takes more, and not any object. It
// reports whether anything changed.
func (o *openAPIImport) mend(e *entry) (changed bool) {
	for range maxMended {
		text := e.written.GetInputSchema()
		_, err := arguments.Compile(e.written.GetName(), []byte(text))
		flaw, isFlaw := errors.AsType[*arguments.SchemaError](err)
		if !isFlaw || flaw.Pointer == "" {
			break
		}
		mended, done := without([]byte(text), strings.Split(strings.TrimPrefix(flaw.Pointer, "/"), "/"))
		if !done {
			break
		}
		e.written.InputSchema, changed = string(mended), true
		o.groups.add("without a part: "+flaw.Error(), e.written.GetName())
	}
	return changed
}

// without is an object without the member that a pointer's steps lead to.
func without(object []byte, steps []string) (mended []byte, done bool) {
	if rawjson.KindOf(object) == rawjson.Array {
		return withoutItem(object, steps)
	}
	step := strings.NewReplacer("~1", "/", "~0", "~").Replace(steps[0])
	mended = []byte{'{'}
	for m := range rawjson.Members(object) {
		member := m.Value
		if m.Name() == step {
			if done = len(steps) == 1; done {
				continue
			}
			if member, done = without(member, steps[1:]); !done {
				return nil, false
			}
		}
		mended = rawjson.AppendMember(mended, m.Name(), member)
	}
	return append(mended, '}'), done
}

// withoutItem keeps the item itself: the others would move.
func withoutItem(array []byte, steps []string) (mended []byte, done bool) {
	mended = []byte{'['}
	place := 0
	for item := range rawjson.Items(array) {
		if len(mended) > 1 {
			mended = append(mended, ',')
		}
		if len(steps) > 1 && number(steps[0]) == place {
			if item, done = without(item, steps[1:]); !done {
				return nil, false
			}
		}
		mended = append(mended, item...)
		place++
	}
	return append(mended, ']'), done
}
