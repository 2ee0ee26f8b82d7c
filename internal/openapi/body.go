package openapi

import (
	"errors"
	"fmt"
	"mime"
	"slices"
	"strings"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
)

// body is the one form in which a request's body is sent.
type body struct {
	media    string // its type where that is not the encoding's own
	encoding catalogv1.BodyEncoding
	required bool
	optional bool // the document says so itself
	about    string
	schema   value
	styles   *object // of a form's members
	example  value
}

// bodyOf chooses a form that can be sent; nil where there is no body.
func (d *Document) bodyOf(op *operation) (*body, error) {
	written := op.fields.get("requestBody")
	if !written.exists() {
		return nil, nil
	}
	found, err := d.follow(written)
	if err != nil {
		return nil, fmt.Errorf("its body can't be read: %w", err)
	}
	content := found.get("content").members()
	required := found.get("required")
	name, encoding := chosen(content.names)
	if name == "" {
		if len(content.names) == 0 || !required.isTrue() && op.reads() {
			return nil, nil
		}
		return nil, fmt.Errorf("its body can only be %s", strings.Join(content.names[:min(3, len(content.names))], ", "))
	}
	media := content.get(name).members()
	b := &body{
		encoding: encoding, required: required.isTrue(), optional: required.exists() && !required.isTrue(), about: found.get("description").text(),
		schema: media.get("schema"), styles: media.get("encoding").members(), example: media.get("example"),
	}
	if essence := essenceOf(name); !strings.Contains(essence, "*") && essence != "application/json" && essence != "application/x-www-form-urlencoded" {
		b.media = essence
	}
	return b, nil
}

// chosen prefers JSON, then a form, then plain text.
func chosen(types []string) (name string, encoding catalogv1.BodyEncoding) {
	for _, kind := range []struct {
		is       func(string) bool
		encoding catalogv1.BodyEncoding
	}{
		{func(t string) bool { return t == "application/json" }, catalogv1.BodyEncoding_BODY_ENCODING_JSON},
		{isJSON, catalogv1.BodyEncoding_BODY_ENCODING_JSON},
		{func(t string) bool { return t == "*/*" || t == "application/*" }, catalogv1.BodyEncoding_BODY_ENCODING_JSON},
		{func(t string) bool { return t == "application/x-www-form-urlencoded" }, catalogv1.BodyEncoding_BODY_ENCODING_FORM},
		{func(t string) bool { return t == "text/plain" }, catalogv1.BodyEncoding_BODY_ENCODING_TEXT},
		{func(t string) bool { return strings.HasPrefix(t, "text/") && t != "text/html" }, catalogv1.BodyEncoding_BODY_ENCODING_TEXT},
	} {
		if i := slices.IndexFunc(types, func(t string) bool { return kind.is(essenceOf(t)) }); i >= 0 {
			return types[i], kind.encoding
		}
	}
	return "", 0
}

func isJSON(media string) bool {
	media = essenceOf(media)
	return media == "application/json" || media == "text/json" || strings.HasSuffix(media, "+json")
}

// essenceOf is a media type without its parameters, in lower case.
func essenceOf(media string) string {
	if kind, _, err := mime.ParseMediaType(media); err == nil {
		return kind
	}
	return strings.ToLower(strings.TrimSpace(media))
}

// styleOf says how a member of a form is written (OpenAPI 3.1, section 4.8.15):
// lists repeat their name, objects are JSON, unless the document says otherwise.
func (b *body) styleOf(name string, kind shape) (style catalogv1.Style) {
	encoding := b.styles.get(name)
	named := encoding.get("style").text()
	switch {
	case named == "" && isJSON(encoding.get("contentType").text()):
		return catalogv1.Style_STYLE_JSON
	case named == "" && kind == isList:
		return catalogv1.Style_STYLE_REPEAT
	case named == "" && kind == isMap:
		return catalogv1.Style_STYLE_JSON
	case named == "":
		return catalogv1.Style_STYLE_UNSPECIFIED
	}
	explode := named == "form" || named == "deepObject"
	if said := encoding.get("explode"); said.exists() {
		explode = said.isTrue()
	}
	style, _ = styleOf(named, explode, kind)
	if style == catalogv1.Style_STYLE_UNSPECIFIED && named == "form" && kind == isList {
		return catalogv1.Style_STYLE_REPEAT
	}
	return style
}

// shape is what a value can be, as far as its way into a URL or a form is
// concerned.
type shape int

const (
	isSingle shape = iota
	isList
	isMap
	isMixed // several of these
)

// shapeOf looks at a schema.
func (d *Document) shapeOf(schema value) shape {
	t := &translation{doc: d}
	return t.shape(source{value: schema}, 0)
}

// shape joins the shapes of a schema and of its branches.
func (t *translation) shape(of source, depth int) shape {
	f := t.gather(&schema{sources: []source{of}})
	found := map[shape]bool{}
	for _, name := range f.types {
		switch name {
		case "array":
			found[isList] = true
		case "object":
			found[isMap] = true
		case "null":
		default:
			found[isSingle] = true
		}
	}
	if len(f.types) == 0 {
		switch {
		case len(f.properties) > 0:
			found[isMap] = true
		case len(f.ones["items"]) > 0:
			found[isList] = true
		}
		for _, u := range f.unions {
			for _, branch := range u.branches {
				if depth < 4 && !isNothing(branch.value) {
					found[t.shape(branch, depth+1)] = true
				}
			}
		}
	}
	switch {
	case len(found) > 1:
		return isMixed
	case found[isList]:
		return isList
	case found[isMap]:
		return isMap
	case found[isMixed]:
		return isMixed
	}
	return isSingle
}

// isNothing reports a branch that only clears a value: null, or the empty text.
func isNothing(v value) bool {
	values := v.get("enum").items()
	return v.get("type").text() == "null" || len(values) == 1 && (string(values[0].json) == `""` || string(values[0].json) == "null")
}

var errStyle = errors.New("is written in a style that can't be sent")

// styleOf translates a style of the document's.
func styleOf(name string, explode bool, kind shape) (catalogv1.Style, error) {
	switch name {
	case "form":
		switch {
		case kind == isMap && explode:
			return catalogv1.Style_STYLE_SPREAD, nil
		case !explode && kind != isSingle:
			return catalogv1.Style_STYLE_COMMA, nil
		}
		return catalogv1.Style_STYLE_UNSPECIFIED, nil
	case "deepObject", "simple":
		return catalogv1.Style_STYLE_UNSPECIFIED, nil
	case "spaceDelimited", "pipeDelimited":
		switch {
		case explode || kind == isSingle:
			return catalogv1.Style_STYLE_UNSPECIFIED, nil
		case name == "spaceDelimited":
			return catalogv1.Style_STYLE_SPACE, nil
		}
		return catalogv1.Style_STYLE_PIPE, nil
	}
	return 0, errStyle
}
