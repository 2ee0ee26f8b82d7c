package mcpbackend

import (
	"bytes"
	"encoding/json"
	"strings"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/rawjson"
)

// reply makes the reply of an answer.
func (a *answer) reply(speaks bool) *interceptors.Reply {
	switch {
	case a.refusal != nil:
		return a.refusal.reply(true)
	case a.fault != nil:
		return a.fault.reply()
	}
	if reply := a.unfinished(); reply != nil {
		return reply
	}
	flag, _ := rawjson.Get(a.result, "isError")
	if rawjson.KindOf(flag) == rawjson.True {
		return a.failed(speaks)
	}
	return a.succeeded()
}

// unfinished is the reply of a result that is none yet (resultType, 2026-07-28):
// the server wants input, or is busy where it says for what not.
func (a *answer) unfinished() *interceptors.Reply {
	kind, found := rawjson.Get(a.result, "resultType")
	if !found || rawjson.Text(kind) == "complete" {
		return nil
	}
	wanted, _ := rawjson.Get(a.result, "inputRequests")
	for range rawjson.Members(wanted) {
		return needsPerson("")
	}
	if rawjson.Text(kind) == "input_required" {
		return told(&toolgatev1.ToolError{
			ErrorClass: interceptors.Transient, Code: interceptors.CodeBusy, Message: "The tool's server is busy and ran nothing.",
		})
	}
	return told(&toolgatev1.ToolError{
		ErrorClass: interceptors.Terminal, Code: "unknown_result", Message: "The tool's answer is of a kind that is not known.",
		MaybeExecuted: true,
	})
}

// failed is the reply of a result that says that it is an error.
func (a *answer) failed(speaks bool) *interceptors.Reply {
	if speaks {
		if own := toolErrorIn(a.result); own != nil {
			return told(own)
		}
	}
	structured, _ := rawjson.Get(a.result, "structuredContent")
	said := errorWords(strings.Join(a.texts(), "\n"), structured)
	reply := &interceptors.Reply{
		Transport: interceptors.TransportMCP, Status: said.status, Body: said.body, Sent: true,
		Header: map[string][]string{"Content-Type": {said.kind}},
	}
	if a.cut {
		reply.BodySize = -1
	}
	return reply
}

// errorWords is what is diagnosed of an error: its text, and what it says as data
// where the text is not the same.
func errorWords(text string, structured []byte) words {
	said := unwrap(text)
	switch object := rawjson.KindOf(structured) == rawjson.Object; {
	case !object || said.kind == mediaJSON:
	case len(said.body) == 0:
		said.body, said.kind = structured, mediaJSON
	default:
		said.body, said.kind = listed(string(said.body), "details", structured), mediaJSON
	}
	return said
}

func (a *answer) texts() (all []string) {
	content, _ := rawjson.Get(a.result, "content")
	for block := range rawjson.Items(content) {
		switch member(block, "type") {
		case "text":
			all = append(all, member(block, "text"))
		case "resource":
			resource, _ := rawjson.Get(block, "resource")
			all = append(all, member(resource, "text"))
		}
	}
	return all
}

// succeeded is the reply of an ordinary result. What is structured is passed on
// digit for digit, and a text that says the same is not said again.
func (a *answer) succeeded() *interceptors.Reply {
	result := &toolgatev1.ToolResult{Truncated: a.cut}
	structured, found := rawjson.Get(a.result, "structuredContent")
	if found && rawjson.KindOf(structured) != rawjson.Null {
		result.StructuredJson = string(rawjson.Trim(structured))
	}
	content, _ := rawjson.Get(a.result, "content")
	doubled := sayings{text: structured}
	for block := range rawjson.Items(content) {
		if made := blockOf(block); made != nil && !doubled.says(made) {
			result.Content = append(result.Content, made)
		}
	}
	if result.GetStructuredJson() == "" {
		liftJSON(result)
	}
	return &interceptors.Reply{
		Transport: interceptors.TransportMCP, Result: result, Body: bodyOf(result), Sent: true,
		Header: map[string][]string{"Content-Type": {mediaJSON}},
	}
}

// liftJSON takes an answer that is one text of JSON for what it is.
func liftJSON(result *toolgatev1.ToolResult) {
	if len(result.GetContent()) != 1 {
		return
	}
	text := strings.TrimSpace(result.GetContent()[0].GetText().GetText())
	if text == "" || text[0] != '{' && text[0] != '[' || !json.Valid([]byte(text)) {
		return
	}
	result.StructuredJson, result.Content = text, nil
}

// bodyOf is what a rule of the catalogue reads of a success.
func bodyOf(result *toolgatev1.ToolResult) []byte {
	if text := result.GetStructuredJson(); text != "" {
		return []byte(text)
	}
	for _, block := range result.GetContent() {
		if text := block.GetText().GetText(); text != "" {
			return []byte(text)
		}
	}
	return nil
}

const maxSaidMembers = 16

// sayings is what a structured answer says already, in the forms in which servers
// say it again as text.
type sayings struct {
	whole []byte   // without space
	forms [][]byte // nil: not made yet, or none
	text  []byte   // as the server wrote it
}

// maxSaidBytes is up to where other forms than the whole are looked for.
const maxSaidBytes = 64 << 10

// sayingsOf lists the forms: the whole; the value of a member, such as {"result": …}
// or {"message": …}; each item of a list that is the whole, or its one member.
func sayingsOf(structured []byte) (forms [][]byte) {
	forms = [][]byte{canonical(structured)}
	list, members := structured, 0
	for m := range rawjson.Members(structured) {
		if members++; members > maxSaidMembers {
			return forms
		}
		forms, list = append(forms, canonical(m.Value)), m.Value
	}
	if members > 1 {
		return forms
	}
	for item := range rawjson.Items(list) {
		forms = append(forms, canonical(item))
	}
	return forms
}

func (s *sayings) says(block *toolgatev1.ContentBlock) bool {
	text := block.GetText()
	if text == nil || rawjson.KindOf(s.text) == rawjson.Absent {
		return false
	}
	words := strings.TrimSpace(text.GetText())
	if s.whole == nil {
		s.whole = rawjson.AppendCompact(nil, s.text)
	}
	if bytes.Equal(s.whole, rawjson.AppendCompact(nil, []byte(words))) {
		return true
	}
	if len(s.text) > maxSaidBytes {
		return false
	}
	if s.forms == nil {
		s.forms = sayingsOf(s.text)
	}
	asText := canonical(rawjson.AppendString(nil, text.GetText()))
	var asJSON []byte
	if valid([]byte(words)) {
		asJSON = canonical([]byte(words))
	}
	for _, form := range s.forms {
		if bytes.Equal(form, asText) || asJSON != nil && bytes.Equal(form, asJSON) {
			return true
		}
	}
	return false
}

// canonical writes the same value the same way: without space, names sorted.
func canonical(text []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return bytes.Clone(text)
	}
	same, err := json.Marshal(value)
	if err != nil {
		return bytes.Clone(text)
	}
	return same
}
