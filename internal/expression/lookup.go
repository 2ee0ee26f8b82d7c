package expression

import (
	"encoding/json"
	"errors"
	"fmt"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

var errFailed = errors.New("the expression failed")

// Lookup compiles how calls are found that would have worked. When is left at
// LookupNever: only the catalogue knows what the two tools share. The error is
// a Faults.
func (c *Compiler) Lookup(tool string, written *catalogv1.AlternativesLookup) (*interceptors.Lookup, error) {
	var faults collector
	at := func(field, wants string, env *cel.Env, want *cel.Type) site {
		return site{
			env: env, cost: costLimitOfLookup, tool: tool, place: "alternatives." + field, path: field,
			want: []*cel.Type{want}, wants: wants,
		}
	}
	arguments := c.compile(at("arguments", "a CEL expression that gives a map: the lookup's arguments",
		c.lookupArguments, cel.MapType(cel.DynType, cel.DynType)), written.GetArguments(), &faults)
	items := c.compile(at("items", "a CEL expression that gives a list of maps {arguments, label}",
		c.lookupItems, cel.ListType(cel.DynType)), written.GetItems(), &faults)
	if err := faults.err(); err != nil {
		return nil, err
	}
	l := lookup{tool: tool, arguments: arguments, items: items}
	return &interceptors.Lookup{Tool: written.GetTool(), Arguments: l.makeArguments, Items: l.findItems}, nil
}

type lookup struct {
	tool             string // that failed
	arguments, items *program
}

func (l lookup) makeArguments(arguments []byte, failed *toolgatev1.ToolError) (json.RawMessage, error) {
	r := &reader{}
	value, ok := l.arguments.eval(variables{"arguments": r.arguments(arguments), "error": r.failure(failed)})
	if !ok {
		return nil, errFailed
	}
	if _, isMap := value.(traits.Mapper); !isMap {
		l.arguments.fail(errWrongType)
		return nil, fmt.Errorf("the lookup's arguments are %s, not a map", value.Type().TypeName())
	}
	return encoder{reader: r, keys: l.arguments.keys}.encode(value)
}

func (l lookup) findItems(result *toolgatev1.ToolResult, arguments []byte, failed *toolgatev1.ToolError) ([]*toolgatev1.Alternative, error) {
	r := &reader{}
	value, ok := l.items.eval(variables{
		"result": r.result(result), "arguments": r.arguments(arguments), "error": r.failure(failed),
	})
	if !ok {
		return nil, errFailed
	}
	items, isList := value.(traits.Lister)
	if !isList {
		l.items.fail(errWrongType)
		return nil, fmt.Errorf("the items are %s, not a list", value.Type().TypeName())
	}
	write := encoder{reader: r, keys: l.items.keys}
	var found []*toolgatev1.Alternative
	for it := items.Iterator(); it.HasNext() == types.True; {
		if alternative, ok := l.alternative(write, it.Next()); ok {
			found = append(found, alternative)
		} else {
			l.items.fail(errWrongType)
		}
	}
	return found, nil
}

// alternative reads one item; false where it is not of the form.
func (l lookup) alternative(write encoder, item ref.Val) (*toolgatev1.Alternative, bool) {
	fields, isMap := item.(traits.Mapper)
	if !isMap {
		return nil, false
	}
	given, found := fields.Find(types.String("arguments"))
	if !found {
		return nil, false
	}
	if _, isMap = given.(traits.Mapper); !isMap {
		return nil, false
	}
	arguments, err := write.encode(given)
	if err != nil {
		return nil, false
	}
	alternative := &toolgatev1.Alternative{Tool: l.tool, ArgumentsJson: string(arguments)}
	if label, ok := stringMember(fields, "label"); ok {
		alternative.Label = label
	}
	if tool, ok := stringMember(fields, "tool"); ok && tool != "" {
		alternative.Tool = tool
	}
	return alternative, true
}

func stringMember(fields traits.Mapper, name string) (string, bool) {
	value, found := fields.Find(types.String(name))
	if !found {
		return "", false
	}
	text, ok := value.(types.String)
	return string(text), ok
}
