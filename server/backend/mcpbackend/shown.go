package mcpbackend

// Shown is what may be told of where a tool's calls go.
type Shown struct {
	Tool string // its name at the server
}

// Shown tells where the tool's calls go.
func (b *Backend) Shown() Shown { return Shown{Tool: b.call.Tool} }
