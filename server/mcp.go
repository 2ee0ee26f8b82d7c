package server

import (
	"github.com/prometheus/client_golang/prometheus"

	"toolgate.dev/toolgate/server/door"
	"toolgate.dev/toolgate/server/door/mcp"
)

// mcpPath is where the HTTP door leads to MCP.
const mcpPath = "/mcp"

// newMCP builds the MCP door. It asks who calls before a session is opened; the
// rooms ask again, for each call.
func newMCP(config Config, p *parts) *mcp.Door {
	return mcp.New(newHouse(p), mcp.WithIdentity(config.atDoor()), mcp.WithVersion(config.Version))
}

// sessionsOf is how full the MCP door is.
func sessionsOf(door *mcp.Door) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "toolgate_mcp_sessions", Help: "Sessions of MCP clients over HTTP, and streams of those that have none.",
	}, func() float64 { return float64(door.Sessions()) })
}

// House is the gateway as a door sees it, for doors of the embedding program.
func (s *Server) House() door.House { return newHouse(s.parts) }

// MCP is the door that speaks MCP: an http.Handler, and a server for one client
// over standard input. The HTTP door leads there at /mcp; a program that mounts it
// elsewhere wraps it in a door.Guard.
func (s *Server) MCP() *mcp.Door { return s.parts.mcp }
