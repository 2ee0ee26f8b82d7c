package mcpservers

import (
	"testing"

	"toolgate.dev/toolgate/interceptors"
)

const memory = `
upstreams:
  memory: {mcp: {program: {command: "{{.Program}}", environment: {MEMORY_FILE_PATH: "{{.Folder}}/memory.jsonl"}}, trust_annotations: true}}
mcp:
  - {upstream: memory, prefix: memory_}
`

func TestTheMemoryServer(t *testing.T) {
	s := start(t, "mcp-memory", memory, map[string]string{"Program": program(t, "mcp-server-memory"), "Folder": t.TempDir()})
	const acme = `{"entities":[{"name":"Acme","entityType":"company","observations":["large"]}]`
	s.check(t, "an entity is kept", "memory_create_entities", acme+`}`, holds(acme+`}`))
	s.check(t, "and found", "memory_search_nodes", `{"query":"Acme"}`, holds(acme+`,"relations":[]}`))
	s.check(t, "the whole graph", "memory_read_graph", ``, holds(acme+`,"relations":[]}`))
	s.check(t, "an entity that is not there", "memory_add_observations", `{"observations":[{"entityName":"Nobody","contents":["x"]}]}`,
		fails(interceptors.InvalidRequest, "error", "observations[0].entityName"))
	s.check(t, "a member that is missing", "memory_create_relations", `{"relations":[{"from":"Acme","to":"Acme"}]}`,
		fails(interceptors.InvalidRequest, interceptors.CodeInvalidArguments, "relations[0].relationType"))
	s.check(t, "an entity is dropped", "memory_delete_entities", `{"entityNames":["Acme"]}`, holds(`{"success":true,"message":"Entities deleted successfully"}`))
	s.check(t, "nothing is an answer", "memory_search_nodes", `{"query":"Acme"}`, holds(`{"entities":[],"relations":[]}`))
}
