package grpcservers

import (
	"encoding/base64"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/peertest"
)

const etcd = `
upstreams: {etcd: {url: "grpc://{{address}}", grpc: {descriptor_set: "{{etcd.binpb}}"}}}
defaults: {max_attempts: 2, backoff: 50ms, attempt_timeout: 2s, breaker_failures: 50, max_arguments_bytes: 3145728}
tools:
  - name: find_key
    upstream: etcd
    effect: read
    grpc: {method: etcdserverpb.KV/Range}
    errors: [{when: "size(body.kvs) == 0", class: invalid_request, code: no_such_key, field: key}]
grpc:
  - upstream: etcd
    tools:
      kv_range: {effect: read}
      kv_put:
        verify_with: {tool: kv_range, executed: "result.count > 0", not_executed: "result.count == 0"}
      lease_time_to_live: {effect: read}
      maintenance_snapshot: {effect: read, grpc: {max_messages: 1}, policy: {max_result_bytes: 2000}}
`

// etcdServer is a running etcd and how it is run again.
type etcdServer struct {
	*exec.Cmd

	client    string
	program   string
	arguments []string
}

func startEtcd(t *testing.T) *etcdServer {
	t.Helper()
	client, peer := free(t), free(t)
	s := &etcdServer{client: client, program: program(t, "etcd"), arguments: []string{
		"--data-dir", t.TempDir(), "--listen-client-urls", "http://" + client, "--advertise-client-urls", "http://" + client,
		"--listen-peer-urls", "http://" + peer, "--initial-advertise-peer-urls", "http://" + peer, "--initial-cluster", "default=http://" + peer,
		"--log-level", "error",
	}}
	s.again(t)
	return s
}

func (s *etcdServer) again(t *testing.T) {
	t.Helper()
	s.Cmd = run(t, s.client, s.program, s.arguments...)
}

func (s *etcdServer) signal(t *testing.T, signal syscall.Signal) {
	t.Helper()
	if err := s.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
}

func b64(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// A server with gogoproto's names and 64-bit numbers everywhere, by a descriptor set.
func TestEtcd(t *testing.T) {
	server := startEtcd(t)
	g := start(t, "etcd", etcd, server.client)
	key, value := b64("greeting"), b64("hello")
	put := func(rest string) string { return `{"key":"` + key + `","value":"` + value + `"` + rest + `}` }

	peertest.Check(t, g.peer, "methods that take a stream are left out, and said to be", func(t *testing.T) {
		warned := g.Server.Catalog().Warnings().Error()
		if !strings.Contains(warned, "etcdserverpb.Lease/LeaseKeepAlive, etcdserverpb.Watch/Watch") || len(g.Server.Catalog().Tools()) < 30 {
			t.Error(warned)
		}
	})
	g.check(t, "a value is put", "kv_put", put(""), holds(`"revision":2,`))
	g.check(t, "and put again, and what was there comes back", "kv_put", put(`,"prev_kv":true`), holds(`"prev_kv":{"key":"`+key+`"`, `"version":1`))
	g.check(t, "a range", "kv_range", `{"key":"`+key+`","sort_order":"DESCEND"}`, holds(`"value":"`+value+`"`, `"count":1}`, `"more":false`))
	g.check(t, "a transaction of oneofs in a list", "kv_txn",
		`{"compare":[{"target":"VERSION","result":"GREATER","key":"`+key+`","version":1}],"success":[{"request_range":{"key":"`+key+`"}}],"failure":[{"request_put":{"key":"`+key+`"}}]}`,
		holds(`"succeeded":true`, `"response_range":{"header":`, `"value":"`+value+`"`))
	g.check(t, "no digit of a 64-bit number is lost", "lease_grant", `{"TTL":60,"ID":9007199254740993}`, holds(`"ID":9007199254740993,"TTL":60`))
	g.check(t, "nor of one in quotes", "lease_time_to_live", `{"ID":"9007199254740993","keys":true}`, holds(`"ID":9007199254740993`))
	g.check(t, "the largest there is", "cluster_member_remove", `{"ID":18446744073709551615}`, fails(invalid, 1, "member not found", `"field":"ID"`))
	g.check(t, "a stream of bytes ends at its bound", "maintenance_snapshot", `{}`, func(t *testing.T, response *toolgatev1.CallToolResponse) {
		t.Helper()
		if result := response.GetResult(); !result.GetTruncated() || len(result.GetStructuredJson()) > 2000 {
			t.Errorf("truncated %v, %d bytes", result.GetTruncated(), len(result.GetStructuredJson()))
		}
	})
	g.check(t, "a rule about an answer without rows", "find_key", `{"key":"`+b64("nothing")+`"}`, fails(invalid, 1, `"error":"no_such_key"`, `"field":"key"`))
	g.check(t, "and about one with a row", "find_key", `{"key":"`+key+`"}`, holds(value))
	g.result(t, "kv_compact", `{"revision":3}`)
	g.refusals(t, key)
}

// refusals are etcd's real failures.
func (g *gateway) refusals(t *testing.T, key string) {
	t.Helper()
	for _, c := range []struct {
		name, tool, arguments string
		class                 toolgatev1.ErrorClass
		attempts              uint32
		says                  []string
	}{
		{"a revision that is compacted", "kv_range", `{"key":"` + key + `","revision":2}`, invalid, 1, []string{"has been compacted", `"field":"revision"`}},
		{"a revision of the future", "kv_range", `{"key":"` + key + `","revision":200}`, invalid, 1, []string{"future revision", `"field":"revision"`}},
		{"a key that is missing", "kv_range", `{}`, invalid, 1, []string{"key is not provided", `"field":"key"`}},
		{"a key that is not in base64", "kv_range", `{"key":"not base64!"}`, invalid, 0, []string{`"field":"key"`, "base64"}},
		{
			"a key that is put twice", "kv_txn", `{"success":[{"request_put":{"key":"YQ=="}},{"request_put":{"key":"YQ=="}}]}`, invalid, 1,
			[]string{"duplicate key", "success[0].request_put.key"},
		},
		{
			"two of a oneof", "kv_txn", `{"success":[{"request_put":{"key":"YQ=="},"request_range":{"key":"YQ=="}}]}`, invalid, 0,
			[]string{`"field":"success[0]"`, "more than one of the accepted forms"},
		},
		{"a lease that is there already", "lease_grant", `{"TTL":60,"ID":9007199254740993}`, invalid, 1, []string{"lease already exists", `"field":"ID"`}},
		{"a lease that is not there", "kv_put", `{"key":"` + key + `","lease":5}`, invalid, 1, []string{"lease not found", `"field":"lease"`}},
		{"a number that is too large for its kind", "lease_revoke", `{"ID":9223372036854775808}`, invalid, 0, []string{`"field":"ID"`, "9223372036854775807"}},
		{"what the cluster is not set up for", "auth_authenticate", `{"name":"root","password":"swordfish"}`, terminal, 1, []string{"not enabled", `"blocked_by":"cluster_state"`}},
		{"a user without a name", "auth_user_add", `{"name":""}`, invalid, 1, []string{"user name is empty", `"field":"name"`}},
		{"a value that is larger than the server takes", "kv_put", fmt.Sprintf(`{"key":%q,"value":%q}`, key, b64(strings.Repeat("x", 1_600_000))), invalid, 1, []string{"request is too large"}},
	} {
		g.check(t, c.name, c.tool, c.arguments, fails(c.class, c.attempts, c.says...))
	}
}

// What is known of a call when its server stops answering, dies, and comes back.
func TestEtcdThatGoesAway(t *testing.T) {
	server := startEtcd(t)
	g := start(t, "etcd", etcd, server.client)
	key := b64("greeting")
	put := `{"key":"` + key + `","value":"` + b64("hello") + `"}`
	g.result(t, "kv_range", `{"key":"`+key+`"}`)

	server.signal(t, syscall.SIGSTOP)
	peertest.Check(t, g.peer, "a write that a server leaves hanging is not tried again, and nobody knows what became of it", func(t *testing.T) {
		failed := g.Call(t, "hung", "kv_put", put).GetError()
		if failed.GetCode() != "outcome_unknown" || !failed.GetMaybeExecuted() || failed.GetAttempts() != 1 || failed.GetUnblockWith() != "kv_range" {
			t.Errorf("%v", failed)
		}
	})
	g.check(t, "a read of a server that hangs is tried again, then exhausted", "kv_range", `{"key":"`+key+`"}`, fails(transient, 2, `"error":"timeout"`))
	server.signal(t, syscall.SIGCONT)
	peertest.Check(t, g.peer, "until it is asked, when it is back", func(t *testing.T) {
		if response := g.Call(t, "hung", "kv_range", `{"key":"`+key+`"}`); response.GetResult() == nil {
			t.Fatalf("%v", response)
		}
		again := g.Call(t, "hung", "kv_put", put)
		if code := again.GetError().GetCode(); again.GetResult() == nil && code != "already_executed" {
			t.Errorf("%v", again)
		}
	})

	server.signal(t, syscall.SIGKILL)
	g.check(t, "a read of a server that is gone", "kv_range", `{"key":"`+key+`"}`, fails(transient, 2, `"error":"unreachable"`))
	g.check(t, "a write that can't be sent did not happen", "kv_put", put, func(t *testing.T, response *toolgatev1.CallToolResponse) {
		t.Helper()
		if failed := response.GetError(); failed.GetErrorClass() != transient || failed.GetMaybeExecuted() || failed.GetCode() != "unreachable" {
			t.Error("it is not known to have stayed")
		}
	})
	server.again(t)
	g.check(t, "and the server is found as soon as it is back", "kv_put", put, holds(`"revision":`))
}
