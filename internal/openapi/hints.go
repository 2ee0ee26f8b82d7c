package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/internal/rawjson"
)

// hints are what a document says to toolgate: `x-toolgate: {effect: read}`, or
// `x-toolgate-effect: read`. They hold whatever a catalogue may say of a tool, but
// where its calls go.
type hints struct {
	ignored bool
	name    string
	tool    *catalogv1.Tool // nil: nothing is said
}

const hintPrefix = "x-toolgate"

// of what a tool says these are not the document's to say.
var notHints = []string{"http", "grpc", "mcp", "function", "upstream", "input_schema"}

func readHints(fields *object) (hints, error) {
	found := &object{}
	for _, name := range fields.names {
		key, ours := strings.CutPrefix(name, hintPrefix)
		if !ours {
			continue
		}
		if key == "" {
			members := fields.get(name).members()
			for _, member := range members.names {
				found.set(member, members.get(member))
			}
			continue
		}
		found.set(strings.ReplaceAll(strings.TrimPrefix(key, "-"), "-", "_"), fields.get(name))
	}
	h := hints{ignored: found.get("ignore").isTrue(), name: found.get("name").text()}
	found.names = slices.DeleteFunc(found.names, func(name string) bool { return name == "ignore" || name == "name" })
	if len(found.names) == 0 {
		return h, nil
	}
	for _, name := range found.names {
		if slices.Contains(notHints, name) {
			return h, fmt.Errorf("its %s-%s is not the document's to say", hintPrefix, name)
		}
	}
	h.tool = &catalogv1.Tool{}
	if err := decode(found, h.tool); err != nil {
		return h, fmt.Errorf("its %s can't be read: %w", hintPrefix, err)
	}
	return h, nil
}

// ruleOf reads the rules of one documented response: `x-toolgate-error`, one or a
// list, which hold where the status is the response's.
func rulesOf(status string, response value) (rules []*catalogv1.ErrorRule, err error) {
	said := response.get(hintPrefix + "-error")
	if !said.exists() {
		return nil, nil
	}
	condition := statusCondition(status)
	if condition == "" {
		return nil, fmt.Errorf("the response %.20q has rules and is no status", status)
	}
	all := said.items()
	if said.isObject() {
		all = []value{said}
	}
	for _, one := range all {
		rule := &catalogv1.ErrorRule{}
		if err := decode(one.members(), rule); err != nil {
			return nil, fmt.Errorf("the %s-error of %s can't be read: %w", hintPrefix, status, err)
		}
		if rule.When != "" {
			rule.When = condition + " && (" + rule.When + ")"
		} else {
			rule.When = condition
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

// statusCondition is the CEL of a response's key: a status or a range of them.
func statusCondition(key string) string {
	if status, err := strconv.Atoi(key); err == nil && status >= 100 && status <= 599 {
		return "status == " + key
	}
	if len(key) == 3 && strings.EqualFold(key[1:], "xx") && key[0] >= '1' && key[0] <= '5' {
		return fmt.Sprintf("status >= %c00 && status <= %c99", key[0], key[0])
	}
	return ""
}

// decode reads a message in the catalogue's own form: short enums, durations as
// `20s`, JSON where a text of JSON belongs.
func decode(o *object, message proto.Message) error {
	text, err := inProtoJSON(o, message.ProtoReflect().Descriptor(), 0)
	if err != nil {
		return err
	}
	if err := protojson.Unmarshal(text, message); err != nil {
		return errors.New(strings.ReplaceAll(strings.TrimPrefix(err.Error(), "proto:"), "\u00a0", " "))
	}
	return nil
}

const maxHintDepth = 12

// inProtoJSON rewrites an object to what protojson reads.
func inProtoJSON(o *object, of protoreflect.MessageDescriptor, depth int) ([]byte, error) {
	if depth > maxHintDepth {
		return nil, errors.New("it is nested too deep")
	}
	text := []byte{'{'}
	for _, name := range o.names {
		member := o.get(name).json
		if field := of.Fields().ByName(protoreflect.Name(name)); field != nil {
			rewritten, err := fieldInProtoJSON(o.get(name), field, depth)
			if err != nil {
				return nil, err
			}
			member = rewritten
		}
		text = rawjson.AppendMember(text, name, member)
	}
	return append(text, '}'), nil
}

func fieldInProtoJSON(v value, field protoreflect.FieldDescriptor, depth int) ([]byte, error) {
	if field.IsList() {
		list := []byte{'['}
		for i, item := range v.items() {
			text, err := singleInProtoJSON(item, field, depth)
			if err != nil {
				return nil, err
			}
			if i > 0 {
				list = append(list, ',')
			}
			list = append(list, text...)
		}
		return append(list, ']'), nil
	}
	if field.IsMap() {
		members, text := v.members(), []byte{'{'}
		for _, name := range members.names {
			member, err := singleInProtoJSON(members.get(name), field.MapValue(), depth)
			if err != nil {
				return nil, err
			}
			text = rawjson.AppendMember(text, name, member)
		}
		return append(text, '}'), nil
	}
	return singleInProtoJSON(v, field, depth)
}

func singleInProtoJSON(v value, field protoreflect.FieldDescriptor, depth int) ([]byte, error) {
	switch {
	case field.Enum() != nil:
		prefix := strings.TrimSuffix(string(field.Enum().Values().Get(0).Name()), "UNSPECIFIED")
		return rawjson.AppendString(nil, prefix+strings.ToUpper(v.text())), nil
	case field.FullName() == "toolgate.catalog.v1.Fallback.arguments" && v.isObject():
		return rawjson.AppendString(nil, string(v.json)), nil
	case field.Message() != nil && v.isObject():
		return inProtoJSON(v.members(), field.Message(), depth+1)
	case v.kind() == rawjson.Absent || !json.Valid(v.json):
		return []byte("null"), nil
	}
	return v.json, nil
}
