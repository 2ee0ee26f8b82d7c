package diagnose

import (
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// meaning is what a provider's code says, by the name of its list in a
// vocabulary.
type meaning struct {
	class     toolgatev1.ErrorClass
	executed  interceptors.Executed
	limited   bool   // others are held back too
	blockedBy string // the condition, where the list names one
}

// Conditions that lists and tables name.
const (
	blockedByPermission  = "permission"
	blockedByCredentials = "credentials"
	blockedByBilling     = "billing"
)

const (
	transient      = interceptors.Transient
	invalidRequest = interceptors.InvalidRequest
	terminal       = interceptors.Terminal
)

// meanings are the eight lists.
var meanings = map[string]meaning{
	"transient":       {class: transient, executed: interceptors.ExecutedNo},
	"throttled":       {class: transient, executed: interceptors.ExecutedNo, limited: true},
	"uncertain":       {class: transient, executed: interceptors.ExecutedMaybe},
	"invalid_request": {class: invalidRequest, executed: interceptors.ExecutedNo},
	"terminal":        {class: terminal, executed: interceptors.ExecutedNo},
	"denied":          {class: terminal, executed: interceptors.ExecutedNo, blockedBy: blockedByPermission},
	"credentials":     {class: terminal, executed: interceptors.ExecutedNo, blockedBy: blockedByCredentials},
	"billing":         {class: terminal, executed: interceptors.ExecutedNo, blockedBy: blockedByBilling},
}
