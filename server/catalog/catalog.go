package catalog

import (
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/diagnose"
	"toolgate.dev/toolgate/server/backend"
	"toolgate.dev/toolgate/server/backend/httpbackend"
	"toolgate.dev/toolgate/server/backend/mcpbackend"
)

// Catalog is one compiled catalogue. It never changes and is safe for concurrent
// use; what its methods return must not be written to.
type Catalog struct {
	version   string
	tools     []*interceptors.Tool // by name
	byName    map[string]*interceptors.Tool
	verifies  map[string][]*interceptors.Tool // by the name of the verifying tool
	unknown   *interceptors.Tool
	upstreams []Upstream
	contract  bool
	warnings  Problems
	judge     *diagnose.Engine
	pool      *httpbackend.Pool
	ownPool   *httpbackend.Pool // nil: somebody else's

	mcp        []*mcpbackend.Server
	servers    *mcpbackend.Pool // nil: there are none
	ownServers *mcpbackend.Pool // nil: somebody else's

	grpc grpcParts
}

// Upstream is one system behind the gateway.
type Upstream struct {
	Name  string
	Host  string   // as its tools' URLs name it, without port; empty for Go functions
	Tools []string // by name
}

// Version identifies the catalogue: 16 hex digits that change with any tool,
// upstream, secret or number.
func (c *Catalog) Version() string { return c.version }

// Tools lists the tools by name.
func (c *Catalog) Tools() []*interceptors.Tool { return c.tools }

// Lookup finds a tool by its exact name.
func (c *Catalog) Lookup(name string) (*interceptors.Tool, bool) {
	tool, found := c.byName[name]
	return tool, found
}

// VerifiesFor lists the tools whose unknown outcomes a call of tool may settle.
func (c *Catalog) VerifiesFor(tool *interceptors.Tool) []*interceptors.Tool {
	return c.verifies[tool.Name]
}

// Unknown is the pseudo-tool that all unknown and forbidden names share; never
// nil.
func (c *Catalog) Unknown() *interceptors.Tool { return c.unknown }

// Upstreams lists the upstreams that tools name, by name.
func (c *Catalog) Upstreams() []Upstream { return c.upstreams }

// ContractInDescriptions reports whether each description that is listed ends
// with the short form of the contract.
func (c *Catalog) ContractInDescriptions() bool { return c.contract }

// Warnings is what is wrong and refuses nothing: schemas that do not compile,
// whose tools take any object. In the order of the file.
func (c *Catalog) Warnings() Problems { return c.warnings }

// Judge diagnoses failures with the catalogue's own vocabularies beside those
// that are built in; nil where the catalogue names none.
func (c *Catalog) Judge() *diagnose.Engine { return c.judge }

// RetireOthers has the pools forget the connections and end the MCP servers that no
// tool of this catalogue uses. Call it once no later call will be of another
// catalogue with those pools.
func (c *Catalog) RetireOthers() {
	var used []*httpbackend.Backend
	for _, tool := range c.tools {
		if backend, ok := tool.Backend.(*httpbackend.Backend); ok {
			used = append(used, backend)
		}
	}
	c.pool.Retain(used)
	if c.servers != nil {
		c.servers.Retain(c.mcp)
	}
	c.grpc.retireOthers()
}

// Files lists the upstreams whose connections need files of certificates, of all
// catalogues that share the pool.
func (c *Catalog) Files() []backend.Files { return append(c.pool.Files(), c.grpc.files()...) }

// OnStaleFiles has it reported when such files have changed and can't be read; see
// [backend.Hooks].
func (c *Catalog) OnStaleFiles(hook func(upstream string, err error)) {
	c.pool.OnStaleFiles(hook)
	c.grpc.onStaleFiles(hook)
}

// OnTrouble has it reported when an upstream can't be asked for a reason that an
// operator has to mend; see [backend.Hooks].
func (c *Catalog) OnTrouble(hook func(upstream, problem string)) {
	c.pool.OnTrouble(hook)
	c.grpc.onTrouble(hook)
}

// Close closes the idle connections of the catalogue's own pool and ends its own MCP
// servers, if it has any.
func (c *Catalog) Close() {
	if c.ownPool != nil {
		c.ownPool.Close()
	}
	if c.ownServers != nil {
		c.ownServers.Close()
	}
	c.grpc.close()
}
