package diagnose

import (
	"bytes"
	"strings"
)

// hiddenFailure reports whether a 2xx reply is a failure by its own words: the
// vocabulary's, or a shape that nothing but a failure has.
func (d *diagnosis) hiddenFailure() bool {
	r := d.reading
	if d.vocabulary != nil && d.vocabulary.hides(r) {
		return true
	}
	switch r.form {
	case formText:
		return r.errorEvent()
	case formHTML:
		p := scanPage(r.html)
		return p.login || pageTitleFails(p.title) || pageTitleFails(p.text)
	case formXML:
		return xmlFails(r.root)
	case formJSON:
		return jsonFails(r.root) || r.errorEvent()
	case formFields:
		return r.root.member("error").present()
	}
	return false
}

// errorEvent reports a stream of events that one named error is in.
func (r *reading) errorEvent() bool {
	body := bytes.TrimSpace(r.reply.Body)
	if !isEventStream(body) || len(body) > maxHead {
		return false
	}
	_, named := unwrapEvents(string(body))
	return named
}

// jsonFails knows the shapes of errors that arrive as 200.
func jsonFails(root *node) bool {
	if root.isList() {
		return len(root.items) > 0 && (batchFailed(shapedItems(root)) || len(root.items) == 1 && strictError(root.first()))
	}
	return flagFails(root) || strictError(root) || codeFails(root) || graphQLFails(root) || batchFailed(shapedItems(root))
}

func batchFailed(items []batchItem) bool {
	for _, item := range items {
		if item.failed {
			return true
		}
	}
	return false
}

// flagFails reports ok:false and its kin together with something that says why.
func flagFails(root *node) bool {
	for _, name := range []string{"ok", "success", "succeeded", "isSuccess", "is_success"} {
		flag := root.fold(name)
		if flag == nil || !strings.EqualFold(flag.str(), "false") {
			continue
		}
		return messageIn(root) != "" || root.any("error", "errors", "code", "errorCode", "error_code", "message") != nil
	}
	return false
}

// errorOnly are the members that an answer may have beside its error and still
// be nothing but one.
var errorOnly = map[string]bool{
	"error": true, "errors": true, "message": true, "msg": true, "code": true, "status": true, "statuscode": true, "detail": true, "details": true,
	"type": true, "title": true, "errorcode": true, "errormessage": true, "errordescription": true, "errortype": true, "errorname": true,
	"requestid": true, "timestamp": true, "path": true, "success": true, "ok": true, "jsonrpc": true, "id": false, "data": false,
	"result": false, "results": false, "hint": true, "reason": true, "errorid": true, "errors_": true, "help": true, "documentationurl": true,
	"traceid": true, "version": true, "apiversion": true, "meta": true, "extensions": true, "field": true, "param": true, "fault": true,
	"exception": true, "errmsg": true, "errcode": true, "error_uri": true, "errorsubcode": true, "time": true, "request_id": true, "displaymessage": true,
	"retryafter": true, "fault_": true, "requestid_": true, "__type": true, "response": true, "correlationid": true, "moreinfo": true,
	"servedby": true, "docref": true, "warnings": true, "batchcomplete": true,
}

// strictError reports an object that has an error and, null members aside,
// nothing else.
func strictError(root *node) bool {
	if !root.isObject() {
		return false
	}
	if jsend(root) {
		return true
	}
	said := false
	rpc := root.member("jsonrpc") != nil
	for _, m := range root.items {
		name := plain(m.name)
		if m.node.kind == nullNode {
			continue
		}
		if !errorOnly[name] && !strings.HasPrefix(name, "error") && !(rpc && name == "id") {
			return false
		}
		switch name {
		case "error", "errors", "fault", "exception", "errorcode", "errormessage", "errortype", "__type":
			said = said || saysError(m.node)
		case "response": // {"Response": {"Error": {"Code": …}}}
			inner := m.node.any("error")
			if !inner.isObject() || inner.any("code", "message") == nil {
				return false
			}
			said = true
		}
	}
	return said
}

// saysError is a value that an error member has when there is an error.
func saysError(n *node) bool {
	switch {
	case !n.present():
		return false
	case n.kind == boolNode:
		return n.text == "true"
	case n.kind == numberNode:
		return n.text != "0"
	case n.isObject():
		return messageIn(n) != "" || n.any(codeNames...) != nil || n.any("error", "errors", "type") != nil
	case n.isList():
		first := n.first()
		return first.isString() || first.isObject() && (messageIn(first) != "" || first.any("code", "title", "detail") != nil)
	}
	return true
}

// jsend reports {"status": "error" or "fail"} with a reason, and nothing that an
// ordinary object with a status has.
func jsend(root *node) bool {
	switch strings.ToLower(root.member("status").str()) {
	case "error", "fail", "failed", "failure":
	default:
		return false
	}
	for _, m := range root.items {
		if name := plain(m.name); name != "data" && !errorOnly[name] {
			return false
		}
	}
	return messageIn(root) != "" || root.any("code", "data", "errors", "error") != nil
}

// codeFails reports a numeric code that says failure, with a sentence beside
// it, and no result.
func codeFails(root *node) bool {
	for _, m := range root.items {
		if n := plain(m.name); (n == "data" || n == "result" || n == "results" || n == "items" || n == "id") && m.node.present() {
			return false
		}
	}
	for _, names := range [][2]string{
		{"errcode", "errmsg"}, {"error_code", "error_msg"}, {"error_code", "error_message"}, {"errorCode", "message"},
		{"errorCode", "errorMessage"}, {"errno", "errmsg"}, {"error_id", "error_message"},
	} {
		code, text := root.fold(names[0]), root.fold(names[1])
		if code.present() && text.present() && code.str() != "0" && !statusWord(code.str()) {
			return true
		}
	}
	if ownCodeFails(root) {
		return true
	}
	for _, name := range []string{"statusCode", "status", "code"} {
		if v, ok := root.fold(name).number(); ok && v >= 400 && v < 600 && len(root.items) <= 8 &&
			(messageIn(root) != "" || name == "statusCode" && root.member("body").present()) { // the answer of a function, handed on whole
			return true
		}
	}
	return false
}

// ownCodeFails reports {"code": 40013, "msg": "…", "data": null}: a number of the
// service's own, a sentence that is no good news, and nothing else. Small and
// round numbers are left alone: with some services they say that all is well.
func ownCodeFails(root *node) bool {
	code, ok := root.fold("code").number()
	if !ok || code >= 0 && (code < 1000 || code == 10000 || code == 20000 || code == 100000 || code == 200000) {
		return false
	}
	empty := false // the place of the answer is there, and nothing in it
	for _, m := range root.items {
		name := plain(m.name)
		if name != "data" && !errorOnly[name] {
			return false
		}
		empty = empty || name == "data"
	}
	if !empty {
		return false
	}
	switch strings.ToLower(strings.Trim(messageIn(root), ".! ")) {
	case "", "ok", "success", "succeeded", "successful", "successfully", "done", "completed", "accepted", "成功", "操作成功", "请求成功", "ok.":
		return false
	}
	return !strings.Contains(strings.ToLower(messageIn(root)), "success")
}

// graphQLFails reports errors in a GraphQL answer, or in a mutation's payload.
func graphQLFails(root *node) bool {
	if list := root.member("errors"); list.isList() && len(list.items) > 0 && isGraphQL(root) {
		return true
	}
	for _, payload := range root.member("data").elementsOfObject() {
		for _, m := range payload.node.elementsOfObject() {
			if strings.HasSuffix(plain(m.name), "usererrors") && m.node.isList() && len(m.node.items) > 0 {
				return true
			}
		}
	}
	return false
}

// xmlFails knows the roots of XML errors that arrive as 200.
func xmlFails(root *node) bool {
	if root == nil || len(root.items) == 0 {
		return false
	}
	name, body := root.items[0].name, root.items[0].node
	switch name {
	case "Error", "ErrorResponse", "Fault", "error", "ServiceExceptionReport", "ExceptionReport", "errors", "exception":
		return body.present()
	case "methodResponse":
		return body.member("fault") != nil
	case "OAI-PMH":
		return body.member("error") != nil
	case "Envelope":
		return body.at("Body", "Fault").isObject()
	case "Response":
		return body.at("Errors", "Error") != nil
	case "DeleteResult":
		return body.member("Error") != nil
	}
	switch strings.ToLower(name) {
	case "response", "rsp", "result", "reply", "answer", "root", "xml", "api": // an object with a status may be in any state
		switch strings.ToLower(orElse(textOf(body.fold("status")).str(), body.member("@stat").str())) {
		case "error", "fail", "failed", "failure":
			return messageIn(body) != "" || body.any("err", "error", "errors", "code") != nil
		}
	}
	ack := body.member("Ack").str()
	return ack == "Failure" || ack == "PartialFailure"
}

// failingTitles begin the titles of pages that stand in for an answer.
var failingTitles = []string{
	"fatal error", "parse error", "uncaught error", "uncaught exception",
	"502 bad gateway", "503 service", "504 gateway", "500 internal", "403 forbidden", "404 not found", "429 too many", "error 5",
	"service unavailable", "just a moment", "attention required", "access denied", "request rejected", "web page blocked", "site maintenance",
	"maintenance", "under maintenance", "temporarily unavailable", "captive portal", "sign in", "log in", "login", "log on", "single sign-on",
}

func pageTitleFails(title string) bool {
	lower := strings.ToLower(title)
	for _, start := range failingTitles {
		if strings.HasPrefix(lower, start) {
			return true
		}
	}
	return false
}
