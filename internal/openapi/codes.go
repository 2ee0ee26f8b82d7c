package openapi

import (
	"slices"
	"strings"

	"toolgate.dev/toolgate/internal/rawjson"
)

const (
	maxCodes     = 5
	maxCodeDepth = 3
)

// Where APIs say in a word what failed, and what these words stand in.
var (
	codeNames = []string{"code", "error_code", "errorCode", "error", "type", "reason", "status"}
	codeFrame = []string{"error", "errors", "detail", "details"}
	noCodes   = []string{"error", "Error", "errors", "fail", "failed", "failure", "object"} // they say that it failed
)

// codesOf lists the codes that a documented failure names in its schema, at most 5.
func (d *Document) codesOf(response value) []string {
	content := response.get("content").members()
	for _, media := range content.names {
		if isJSON(media) {
			return d.codesIn(source{value: content.get(media).get("schema")}, 0)
		}
	}
	return nil
}

func (d *Document) codesIn(from source, depth int) (codes []string) {
	if depth > maxCodeDepth || !from.value.exists() {
		return nil
	}
	t := &translation{doc: d}
	f := t.gather(&schema{sources: []source{from}, level: depth})
	for _, items := range f.ones["items"] {
		codes = append(codes, d.codesIn(items, depth+1)...)
	}
	for _, p := range f.properties {
		within := t.gather(&schema{sources: p.sources, level: depth + 1})
		switch {
		case within.hasEnum && slices.Contains(codeNames, p.name):
			codes = append(codes, wordsOf(within.enum)...)
		case slices.Contains(codeFrame, p.name):
			for _, s := range p.sources {
				codes = append(codes, d.codesIn(s, depth+1)...)
			}
		}
	}
	return codes[:min(len(codes), maxCodes)]
}

func wordsOf(values [][]byte) (words []string) {
	for _, v := range values {
		word := rawjson.Text(v)
		if slices.Contains(noCodes, word) {
			continue
		}
		if rawjson.KindOf(v) == rawjson.String && word != "" && len(word) <= maxNameBytes && !strings.ContainsAny(word, " \n") {
			words = append(words, word)
		}
	}
	return words
}
