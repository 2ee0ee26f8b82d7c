package grpcbackend

// Shown is what may be told of where a tool's calls go.
type Shown struct {
	Method  string // package.Service/Method
	Address string // the server's host without port
}

// Shown tells where the tool's calls go.
func (b *Backend) Shown() Shown { return Shown{Method: b.name, Address: b.Host()} }
