package lint

import (
	"fmt"
	"strings"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
)

// effects finds reads that count as writes, and writes that nobody can repeat.
func (c *checker) effects(t *tool) {
	if c.unread(t, "effect", "http", "name") || t.Written.GetHttp() == nil && t.Written.GetFunction() == nil {
		return
	}
	if verb := readingVerb(t.Written); verb != "" {
		method := t.at.at("http", "method")
		f := c.add(readAsWrite, c.doc.name(t.at.at("name")),
			fmt.Sprintf("%s %s by its name and counts as a write, since %s does", t.Written.GetName(), verb, t.Written.GetHttp().GetMethod()),
			"effect: read")
		f.Place = c.doc.content(t.at.at("name"))
		f.Related = &Related{Place: c.doc.content(method), Message: "the method"}
		f.Edits = c.doc.addBeside(t.at.at("name"), []string{"effect: read"})
		return
	}
	if !t.Tool.RunsOnce() || t.Tool.HasIdempotencyKey || t.Written.GetVerifyWith() != nil || c.unread(t, "idempotency_key", "verify_with") {
		return
	}
	c.add(writeUnprotected, c.doc.content(t.at.at("name")),
		t.Written.GetName()+" may have happened when its connection breaks, and nobody can find out",
		"idempotency_key: {} where the provider takes one, verify_with: {tool: …} where a read can tell, effect: idempotent where twice is the same as once")
}

var (
	readingVerbs = map[string]string{
		"get": "gets", "list": "lists", "search": "searches", "find": "finds", "fetch": "fetches", "lookup": "looks up", "query": "queries",
		"read": "reads", "describe": "describes", "count": "counts", "show": "shows",
	}
	// writingVerbs beside a reading one say that more is done than read.
	writingVerbs = setOf(`create add insert put set update edit modify change write save store delete remove drop clear cancel send post publish submit
		start run launch trigger execute open close book reserve order buy pay charge transfer move mark ack archive assign approve reject merge
		replace upsert reset sync import upload enqueue subscribe register and or`)
)

// readingVerb says what a tool does that reads by its name and, for want of an
// effect, counts as a write; empty for any other.
func readingVerb(t *catalogv1.Tool) string {
	method := t.GetHttp().GetMethod()
	if t.GetEffect() != catalogv1.Effect_EFFECT_UNSPECIFIED || method != "POST" && method != "PATCH" {
		return ""
	}
	words := wordsOf(t.GetName()[strings.LastIndexByte(t.GetName(), '.')+1:])
	for _, word := range words {
		if writingVerbs[word] {
			return ""
		}
	}
	if first(words) == "look" && len(words) > 1 && words[1] == "up" {
		return readingVerbs["lookup"]
	}
	if does := readingVerbs[first(words)]; does != "" {
		return does
	}
	if end := last(words); end == "search" || end == "lookup" || end == "query" {
		return readingVerbs[end]
	}
	return ""
}
