package resolve

import "toolgate.dev/toolgate/interceptors"

// Catalogue is one immutable snapshot of the tools.
type Catalogue interface {
	// Lookup finds a tool by its exact name.
	Lookup(name string) (*interceptors.Tool, bool)
	// Unknown is the pseudo-tool; never nil.
	Unknown() *interceptors.Tool
}

// Permitted reports whether a principal may use a tool. It is asked for names
// that don't exist, too, and must be safe for concurrent use.
type Permitted func(principal, tool string) bool

// Room finds tools. It is safe for concurrent use.
type Room struct {
	current   func() Catalogue
	permitted Permitted
}

// New makes the room. current returns the catalogue that serves now.
func New(current func() Catalogue, permitted Permitted) *Room {
	return &Room{current: current, permitted: permitted}
}

func (r *Room) pin(call *interceptors.Call) {
	catalogue := r.current()
	call.Tool = catalogue.Unknown() // also where asking for the permission panics: no call leaves without a tool
	allowed := r.permitted(call.Run.Principal, call.Name)
	if tool, exists := catalogue.Lookup(call.Name); allowed && exists {
		call.Tool = tool
	}
}
