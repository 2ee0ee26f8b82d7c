package diagnose

import (
	"net/http"
	"strings"
)

// emptyTalk are messages that say only that something was wrong, without case
// and full stop.
var emptyTalk = map[string]bool{
	"an error occurred": true, "error": true, "errors": true, "failed": true, "failure": true, "request failed": true, "operation failed": true,
	"validation failed": true, "validation error": true, "validation errors": true, "validation failure": true, "validation exception": true,
	"a validation exception occurred": true, "a validation error occurred": true, "validation error(s)": true, "failed validation": true, "validation has failed": true,
	"record validation errors": true, "request validation failed": true, "request validation error": true, "schema validation failed": true, "input validation error": true,
	"input validation failed": true, "api validation failed": true, "constraint violation": true, "body validation failed": true, "query validation failed": true,
	"bad request": true, "invalid request": true, "invalid input": true, "invalid input provided": true, "invalid data": true, "invalid form body": true, "invalid parameters": true,
	"invalid parameter": true, "invalid arguments": true, "invalid argument": true, "invalid attribute": true, "invalid query parameter": true, "invalid value": true,
	"invalid fields": true, "invalid field": true, "invalid payload": true, "invalid body": true, "invalid request body": true, "invalid request parameters": true,
	"unprocessable entity": true, "unprocessable content": true, "some fields are invalid": true, "request contains an invalid argument": true,
	"the given data was invalid": true, "the given data is invalid": true, "the request is invalid": true, "the request was invalid": true, "the request data is invalid": true,
	"one or more validation errors occurred": true, "one or more fields are invalid": true, "one or more parameters are invalid": true,
	"one or more validation errors": true, "one or more parameters to your request was invalid": true, "one or more errors occurred": true,
	"your request is not valid": true, "your request parameters didn't validate": true, "parameters are invalid": true,
	"the requested action could not be performed": true, "unknown error": true, "custom": true, "invalid": true, "conflict": true, "not found": true,
	"request is not well-formed, syntactically incorrect, or violates schema":                            true,
	"the requested action could not be performed, semantically incorrect, or failed business validation": true,
}

// saysNothing reports a message that leaves everything to the faults beside it.
func (d *diagnosis) saysNothing(message string) bool {
	plain := strings.ToLower(strings.Trim(message, ".!: \n"))
	if plain == "" || emptyTalk[plain] {
		return true
	}
	if d.reading.http() {
		text := strings.ToLower(http.StatusText(d.reading.status))
		return text != "" && (plain == text || plain == itoa(d.reading.status)+" "+text)
	}
	return false
}

// sayProblems lets the faults speak where the message says nothing: of a class
// without violations nobody else shows them.
func (d *diagnosis) sayProblems() {
	f := &d.finding
	if len(f.violations) == 0 || len(f.violations) > 1 && f.meaning.class == invalidRequest || !d.saysNothing(f.sentence()) {
		return
	}
	problems := make([]string, 0, 2)
	for _, v := range f.violations[:min(len(f.violations), 3)] {
		switch problem := strings.TrimSpace(v.problem); {
		case problem == "":
		case f.meaning.class == invalidRequest || v.field == "" || strings.Contains(plain(problem), plain(v.field)):
			problems = append(problems, problem)
		default:
			problems = append(problems, v.field+": "+problem)
		}
	}
	if len(problems) == 0 {
		return
	}
	f.message, f.parts = "", nil
	for _, problem := range problems {
		f.addMessage(problem)
	}
}
