package main

import (
	"context"
	"encoding/json"
	"time"

	"toolgate.dev/toolgate/sdk/go/loop"
)

// model is a scripted model. It acts on the fields of an observation; told in
// prose that a call failed, it does what models do and makes the call again.
type model struct {
	call loop.Call

	layer       string
	turns, read int
	done        bool
	alternative bool
}

// observation is what the model reads of a failure.
type observation struct {
	Class        string            `json:"class"`
	Field        string            `json:"field"`
	Expected     string            `json:"expected"`
	Alternatives []json.RawMessage `json:"alternatives"`
}

// next is one request to the model.
func (m *model) next(_ context.Context, answers []loop.Answer) ([]loop.Call, error) {
	m.turns++
	for _, answer := range answers {
		m.read += len(answer.Text)
		var seen observation
		if json.Unmarshal([]byte(answer.Text), &seen) != nil {
			continue // prose: the same call again
		}
		if m.act(seen); m.done {
			return nil, nil
		}
	}
	return []loop.Call{m.call}, nil
}

// act changes the call, or is done.
func (m *model) act(seen observation) {
	switch {
	case seen.Class == "":
		m.done = true
	case seen.Class == "terminal" && len(seen.Alternatives) > 0:
		m.call.Arguments, m.alternative = string(seen.Alternatives[0]), true
	case seen.Class == "invalid_request" && seen.Expected == "YYYY-MM-DD":
		m.call.Arguments = redate(m.call.Arguments, seen.Field)
	}
}

// redate writes an American date as the tool wants it.
func redate(arguments, field string) string {
	var all map[string]string
	if json.Unmarshal([]byte(arguments), &all) != nil {
		return arguments
	}
	date, err := time.Parse("01/02/2006", all[field])
	if err != nil {
		return arguments
	}
	all[field] = date.Format(time.DateOnly)
	changed, err := json.Marshal(all)
	if err != nil {
		return arguments
	}
	return string(changed)
}
