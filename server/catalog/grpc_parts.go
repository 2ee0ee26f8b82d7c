package catalog

import (
	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/server/backend"
	"toolgate.dev/toolgate/server/backend/grpcbackend"
)

// grpcParts are what a catalogue has of gRPC servers.
type grpcParts struct {
	grpc           map[string]*grpcServer  // by upstream
	undescribed    []*catalogv1.GrpcImport // of which nobody knows the tools
	connections    *grpcbackend.Pool       // nil: none is needed
	ownConnections *grpcbackend.Pool       // nil: somebody else's
}

// grpcPool is the pool of connections, of the catalogue's own where there is none.
func (b *builder) grpcPool() *grpcbackend.Pool {
	if b.connections == nil {
		var options []grpcbackend.PoolOption
		if b.settings.version != "" {
			options = append(options, grpcbackend.WithVersion(b.settings.version))
		}
		if b.settings.dial != nil {
			options = append(options, grpcbackend.WithDial(b.settings.dial))
		}
		b.connections = grpcbackend.NewPool(options...)
		b.ownConnections = b.connections
	}
	return b.connections
}

func (p *grpcParts) close() {
	if p.ownConnections != nil {
		p.ownConnections.Close()
	}
}

func (p *grpcParts) retireOthers() {
	if p.connections == nil {
		return
	}
	var used []*grpcbackend.Server
	for _, g := range p.grpc {
		if g.server != nil {
			used = append(used, g.server)
		}
	}
	p.connections.Retain(used)
}

func (p *grpcParts) files() []backend.Files {
	if p.connections == nil {
		return nil
	}
	return p.connections.Files()
}

func (p *grpcParts) onStaleFiles(hook func(upstream string, err error)) {
	if p.connections != nil {
		p.connections.OnStaleFiles(hook)
	}
}

func (p *grpcParts) onTrouble(hook func(upstream, problem string)) {
	if p.connections != nil {
		p.connections.OnTrouble(hook)
	}
}
