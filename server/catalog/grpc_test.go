package catalog_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/backendtest"
	"toolgate.dev/toolgate/server/backend/grpcbackend"
	"toolgate.dev/toolgate/server/catalog"
)

const shopSet = "../backend/grpcbackend/methods/testdata/shop.binpb"

// serveHealth serves gRPC's health service, which tells what it is, until the test
// ends.
func serveHealth(t *testing.T, listener net.Listener) string {
	t.Helper()
	server := grpc.NewServer()
	healthv1.RegisterHealthServer(server, health.NewServer())
	reflection.Register(server)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		server.Stop()
		<-done
	})
	return listener.Addr().String()
}

func listen(t *testing.T, address string) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

func loadGRPC(t *testing.T, text string, options ...catalog.Option) *catalog.Catalog {
	t.Helper()
	loaded, err := catalog.Parse("c.yaml", []byte(text), options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(loaded.Close)
	return loaded
}

func names(c *catalog.Catalog) (all []string) {
	for _, tool := range c.Tools() {
		all = append(all, tool.Name)
	}
	return all
}

func TestTheMethodsOfAServerBecomeTools(t *testing.T) {
	address := serveHealth(t, listen(t, "127.0.0.1:0"))
	c := loadGRPC(t, `
upstreams: {health: {url: "grpc://`+address+`"}}
grpc:
  - upstream: health
    select: {only: ["grpc.health.v1.*"]}
    prefix: my_
    tools:
      my_health_check: {effect: read, description: Asks., policy: {max_attempts: 2}}
      "grpc.health.v1.Health/Watch": {name: watch, grpc: {max_messages: 1}}
`)
	if got := strings.Join(names(c), " "); got != "my_health_check my_health_list watch" {
		t.Fatalf("tools %s", got)
	}
	tool, _ := c.Lookup("my_health_check")
	if tool.Description != "Asks." || tool.Effect != toolgatev1.Effect_EFFECT_READ || tool.Policy.MaxAttempts != 2 || tool.Upstream != "health" ||
		tool.Diagnosis.Host != "127.0.0.1" || tool.Diagnosis.Method != "grpc.health.v1.Health/Check" {
		t.Errorf("%+v", tool)
	}
	if tool.SchemaJSON != `{"type":"object","properties":{"service":{"type":"string"}},"additionalProperties":false}` {
		t.Errorf("schema %s", tool.SchemaJSON)
	}
	for name, want := range map[string]string{"my_health_check": `{"status":"SERVING"}`, "watch": `[{"status":"SERVING"},`} {
		tool, _ := c.Lookup(name)
		call := backendtest.NewCall(`{"service":""}`)
		call.Tool = tool
		if reply := tool.Backend.Attempt(t.Context(), call); string(reply.Body) != want && !strings.HasPrefix(string(reply.Body), strings.TrimSuffix(want, ",")) {
			t.Errorf("%s: %s, %v %s", name, reply.Body, reply.Failure, reply.Cause)
		}
	}
}

func TestADescriptorSetDescribesWhatIsWrittenAndWhatIsImported(t *testing.T) {
	c := loadGRPC(t, `
upstreams: {shop: {url: "grpcs://shop.example.com", grpc: {descriptor_set: "`+shopSet+`"}}}
tools:
  - {name: place, upstream: shop, grpc: {method: shop.v1.ShopService/PlaceOrder}, idempotency_key: {in: body, name: request_id}}
grpc:
  - {upstream: shop, select: {except: ["*/PlaceOrder", shop_everything]}}
`)
	if got := strings.Join(names(c), " "); got != "place shop_count_orders shop_follow_orders shop_list_orders shop_replace_order" {
		t.Errorf("tools %s", got)
	}
	place, _ := c.Lookup("place")
	if place.Description != "Places an order." || strings.Contains(place.SchemaJSON, "request_id") || !place.HasIdempotencyKey || !place.RunsOnce() {
		t.Errorf("%s %s", place.Description, place.SchemaJSON)
	}
	list, _ := c.Lookup("shop_list_orders")
	if !list.Reads() || list.Diagnosis.Host != "shop.example.com" {
		t.Errorf("%v %s", list.Effect, list.Diagnosis.Host)
	}
	if warned := c.Warnings().Error(); !strings.Contains(warned, "left out, since they take a stream of requests: shop.v1.ShopService/Chat, shop.v1.ShopService/Upload") {
		t.Errorf("warnings: %s", warned)
	}
}

func TestWhatIsWrongWithAGRPCEntryIsSaidWhereItStands(t *testing.T) {
	const upstream = "upstreams: {shop: {url: \"grpc://127.0.0.1:1\", grpc: {descriptor_set: \"" + shopSet + "\"}}, web: {url: \"http://example.com\"}}\n"
	for _, c := range []struct{ text, want string }{
		{upstream + "tools: [{name: a, upstream: shop, grpc: {method: shop.v1.ShopService/ListOrder}}]", `2:50: tools[0].grpc.method: the server has no method "shop.v1.ShopService/ListOrder"; did you mean shop.v1.ShopService/ListOrders?`},
		{upstream + "tools: [{name: a, upstream: shop, grpc: {method: shop.v1.ShopService/Upload}}]", "takes a stream of requests"},
		{upstream + "tools: [{name: a, upstream: shop, grpc: {method: ListOrders}}]", "accepted: package.Service/Method"},
		{upstream + "tools: [{name: a, upstream: shop, grpc: {}}]", "this names no method"},
		{upstream + "tools: [{name: a, upstream: web, grpc: {method: a.B/C}}]", "the upstream \"web\" is no gRPC server"},
		{upstream + "tools: [{name: a, grpc: {method: a.B/C}}]", "nobody says which server"},
		{upstream + "tools: [{name: a, upstream: shop, grpc: {method: shop.v1.ShopService/FollowOrders, max_messages: 0}}]", "grpc.max_messages: 0 is out of range"},
		{upstream + "tools: [{name: a, upstream: shop, grpc: {method: shop.v1.ShopService/PlaceOrder}, idempotency_key: {in: query}}]", "has no query"},
		{upstream + "tools: [{name: a, upstream: shop, grpc: {method: shop.v1.ShopService/PlaceOrder}, idempotency_key: {in: body, name: order}}]", "no field \"order\" that is text"},
		{upstream + "tools: [{name: a, upstream: shop, http: {method: GET, url: /x}}]", "tools[0].http"},
		{upstream + "grpc: [{upstream: shp}]", `did you mean shop?`},
		{upstream + "grpc: [{upstream: web}]", `grpc[0].upstream: the upstream "web" is no gRPC server`},
		{upstream + "grpc: [{upstream: shop, tools: {\"*\": {name: x}}}]", "a name can't be that of all"},
		{upstream + "grpc: [{upstream: shop, tools: {shop_list_orders: {http: {method: GET}}}}]", "where the tool goes is said by the import"},
		{upstream + "grpc: [{upstream: shop, prefix: \"a b\"}]", "can't begin the name of a tool"},
		{"upstreams: {shop: {url: \"grpc://127.0.0.1\"}}\ngrpc: [{upstream: shop}]", "the URL has no port"},
		{"upstreams: {shop: {url: \"grpc://127.0.0.1:1/v1\"}}\ngrpc: [{upstream: shop}]", "ends behind its port"},
		{"upstreams: {shop: {url: \"http://127.0.0.1:1\", grpc: {}}}\ngrpc: [{upstream: shop}]", "the URL of a gRPC server is missing"},
		{"upstreams: {shop: {url: \"grpc://127.0.0.1:1\", http: {tls: {server_name: a}}}}\ngrpc: [{upstream: shop}]", "TLS is not spoken with grpc://"},
		{"upstreams: {shop: {url: \"grpc://127.0.0.1:1\", headers: {grpc-timeout: a}}}\ngrpc: [{upstream: shop}]", "belongs to the protocol"},
		{"upstreams: {shop: {url: \"grpc://127.0.0.1:1\", grpc: {descriptor_set: grpc_test.go}}}\ngrpc: [{upstream: shop}]", "this is no FileDescriptorSet"},
		{"upstreams: {shop: {url: \"grpc://127.0.0.1:1\", grpc: {descriptor_set: none.binpb}}}\ngrpc: [{upstream: shop}]", "can't be read"},
		{"upstreams: {shop: {url: \"grpc://169.254.169.254:80\"}}\ngrpc: [{upstream: shop}]", "connections are not made to"},
	} {
		_, err := catalog.Parse("c.yaml", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

// A server that is down when the catalogue is loaded takes nothing from the others,
// and its tools are there when it is.
func TestAServerThatIsDownIsAskedUntilItAnswers(t *testing.T) {
	listener := listen(t, "127.0.0.1:0")
	address := listener.Addr().String()
	_ = listener.Close()
	text := `
upstreams: {health: {url: "grpc://` + address + `"}}
tools:
  - {name: check, upstream: health, effect: read, grpc: {method: grpc.health.v1.Health/Check}}
  - {name: other, http: {method: GET, url: "http://127.0.0.1:1/"}, errors: [{when: status == 404, class: terminal, blocked_by: health, unblock_with: health_list}]}
grpc:
  - {upstream: health, select: {only: ["*/List"]}}
`
	pool := grpcbackend.NewPool()
	t.Cleanup(pool.Close)
	changed := make(chan struct{}, 8)
	options := []catalog.Option{catalog.WithGRPCPool(pool), catalog.WithChanged(func() { changed <- struct{}{} })}
	c := loadGRPC(t, text, options...)
	if got := strings.Join(names(c), " "); got != "check other" {
		t.Fatalf("tools %s", got)
	}
	if n := len(c.Warnings()); n != 2 {
		t.Errorf("%d warnings: %v", n, c.Warnings())
	}
	check, _ := c.Lookup("check")
	if reply := check.Backend.Attempt(t.Context(), backendtest.NewCall(`{}`)); reply.Failure != interceptors.FailureRefused || reply.Sent {
		t.Errorf("failure %v, sent %v", reply.Failure, reply.Sent)
	}

	serveHealth(t, listen(t, address))
	// The next call finds out by itself.
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if reply := check.Backend.Attempt(ctx, backendtest.NewCall(`{}`)); string(reply.Body) != `{"status":"SERVING"}` {
		t.Errorf("%s %v %s", reply.Body, reply.Failure, reply.Cause)
	}
	select {
	case <-changed:
	case <-ctx.Done():
		t.Fatal("nobody was told")
	}
	again := loadGRPC(t, text, options...)
	if got := strings.Join(names(again), " "); got != "check health_list other" || len(again.Warnings()) != 0 {
		t.Errorf("tools %s, warnings %v", got, again.Warnings())
	}
	now, _ := again.Lookup("check")
	if again.Version() == c.Version() || now.Version == check.Version || now.Unvalidated || !check.Unvalidated {
		t.Error("what is known now is not told from what was")
	}
}

func TestADescriptionIsNotAskedForOffline(t *testing.T) {
	listener := listen(t, "127.0.0.1:0")
	defer func() { _ = listener.Close() }()
	c := loadGRPC(t, `
upstreams: {health: {url: "grpc://`+listener.Addr().String()+`"}}
tools: [{name: check, upstream: health, grpc: {method: grpc.health.v1.Health/Check}}]
`, catalog.WithOffline())
	if warned := c.Warnings().Error(); !strings.Contains(warned, "not asked") {
		t.Errorf("warnings %s", warned)
	}
}

func TestADescriptorSetIsOneOfTheFilesThatAreFollowed(t *testing.T) {
	var seen []string
	loadGRPC(t, `
upstreams: {shop: {url: "grpcs://shop.example.com", grpc: {descriptor_set: "`+shopSet+`"}}}
grpc: [{upstream: shop}]
`, catalog.WithReadFiles(func(path string, digest [32]byte) {
		if digest != catalog.FileDigest(path) {
			t.Error("the file looks changed at once")
		}
		seen = append(seen, filepath.Base(path))
	}))
	if !slices.Equal(seen, []string{"shop.binpb"}) {
		t.Errorf("files %v", seen)
	}
}

func TestTheCataloguesOfTheManualAreRead(t *testing.T) {
	page, err := os.ReadFile("../../docs/grpc.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```yaml\n")[1:]
	for _, block := range blocks {
		text, _, _ := strings.Cut(block, "```")
		if _, err := catalog.Parse("c.yaml", []byte(text), catalog.Alone()); err != nil {
			t.Errorf("%v in\n%s", err, text)
		}
	}
	if len(blocks) < 2 {
		t.Errorf("%d catalogues", len(blocks))
	}
}
