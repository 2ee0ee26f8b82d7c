package diagnose

import (
	"strings"
)

// batchArguments are usual names of the argument that holds a batch's items.
var batchArguments = map[string]bool{
	"items": true, "docs": true, "documents": true, "records": true, "entries": true, "operations": true, "requests": true,
	"actions": true, "rows": true, "events": true, "messages": true, "objects": true, "batch": true, "updates": true, "contacts": true,
	"inputs": true, "ids": true, "keys": true, "data": true, "users": true, "recipients": true, "requestitems": true, "body": true,
	"payload": true, "files": true, "members": true, "values": true, "lines": true, "points": true,
}

// readBatch reads an answer with one entry per item of the request. Where some
// items failed and some did not, the call is partial: the identical batch would
// do the others twice.
func (d *diagnosis) readBatch() bool {
	var places *batchPlaces
	d.vocabulary.chain(func(v *vocabulary) bool {
		places = v.batch
		return places != nil
	})
	if places != nil && d.readItems(vocabularyItems(places, d.reading.root), places.argument) {
		return true
	}
	return d.readItems(shapedItems(d.reading.root), nil)
}

// batchItem is one entry.
type batchItem struct {
	failed        bool
	code, message string
	id            string
}

func vocabularyItems(places *batchPlaces, root *node) []batchItem {
	var out []batchItem
	for _, each := range places.each {
		for _, f := range each.find(root) {
			item := batchItem{}
			for _, conditions := range places.failed {
				item.failed = item.failed || allAccept(conditions, f.node)
			}
			if item.failed {
				item.code = firstIn(f.node, places.code).str()
				item.message = firstIn(f.node, places.message).str()
				item.id = firstIn(f.node, places.id).str()
			}
			out = append(out, item)
		}
	}
	return out
}

// shapedItems recognises entries by a status or a success flag of their own.
func shapedItems(root *node) []batchItem {
	lists := []*node{root}
	for _, name := range []string{"responses", "results", "items", "records", "multistatus", "entries", "outcomes", "statuses", "data"} {
		lists = append(lists, root.fold(name))
	}
	for _, list := range lists {
		if !list.isList() || len(list.items) < 2 {
			continue
		}
		var out []batchItem
		for _, m := range list.items {
			item, known := entryOf(m.node)
			if !known {
				out = nil
				break
			}
			out = append(out, item)
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// entryOf reads one entry; known is false where it has neither status nor flag.
func entryOf(n *node) (batchItem, bool) {
	if n.isObject() && len(n.items) == 1 && n.items[0].node.isObject() { // {"create": {…}}
		n = n.items[0].node
	}
	item, known := batchItem{id: n.any("id", "key", "index").str()}, false
	if status := n.any("status", "statusCode", "code", "httpStatus"); status != nil {
		// A number called status alone may be anything's.
		of := n.any("error", "errors", "body", "headers", "message", "response", "href", "url", "_id")
		if v, ok := status.number(); ok && v >= 100 && v < 600 && (v >= 400 == (of != nil) || of != nil) {
			item.failed, known = v >= 400, true
		}
	}
	if flag := n.any("success", "ok", "succeeded"); flag != nil && flag.kind == boolNode {
		item.failed, known = flag.text == "false", true
	}
	if !item.failed {
		return item, known
	}
	home := n
	for _, name := range []string{"error", "errors", "body"} {
		if inner := home.fold(name).first(); inner.isObject() {
			home = inner
		} else if inner.isString() {
			item.message = inner.str()
		}
	}
	for _, name := range codeNames {
		if v := home.fold(name); v != nil && !v.isContainer() && codeLike(v.str()) {
			item.code = v.str()
			break
		}
	}
	item.message = orElse(messageIn(home), item.message)
	return item, known
}

func (d *diagnosis) readItems(items []batchItem, names []string) bool {
	failed := 0
	for _, item := range items {
		if item.failed {
			failed++
		}
	}
	if failed == 0 {
		return false
	}
	f := &d.finding
	field := d.batchArgument(names)
	for i, item := range items {
		if !item.failed {
			continue
		}
		f.addCode(item.code)
		f.addMessage(item.message)
		f.violations = append(f.violations, d.itemViolation(field, i, item))
		if len(f.violations) == 24 {
			break
		}
	}
	f.addFact("failed", scalar(itoa(failed)))
	f.addFact("succeeded", scalar(itoa(len(items)-failed)))
	f.partial = failed < len(items)
	if f.partial {
		f.suggest("invalid_request")
	}
	return true
}

func (d *diagnosis) itemViolation(field string, i int, item batchItem) violation {
	v := violation{field: field, mapped: field != "", code: item.code, problem: strings.TrimSpace(orElse(item.message, item.code))}
	if list := d.index().argument(field); list.isList() && i < len(list.items) {
		v.field = field + "[" + itoa(i) + "]"
	} else if item.id != "" {
		v.problem = "item " + item.id + ": " + v.problem
	} else {
		v.problem = "item " + itoa(i+1) + ": " + v.problem
	}
	return v
}

// batchArgument is the argument that held the items.
func (d *diagnosis) batchArgument(names []string) string {
	x := d.index()
	for _, name := range names {
		if path, ok := x.resolve(name); ok {
			return path
		}
	}
	for i := range x.sent {
		if a := &x.sent[i]; len(a.parts) == 1 && a.node.isList() {
			return a.path()
		}
	}
	return x.top(batchArguments)
}

// argument is the value that was sent under a top-level name.
func (x *argumentIndex) argument(name string) *node { return x.root.member(name) }
