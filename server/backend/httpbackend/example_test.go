package httpbackend_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/httpbackend"
)

func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, r.Method, " ", r.URL)
	}))
	defer server.Close()
	pool := httpbackend.NewPool(httpbackend.WithVersion("1.0.0"))
	defer pool.Close()
	backend, err := httpbackend.New(pool, httpbackend.Spec{
		Upstream: "crm", Arguments: []string{"id", "expand"}, MaxResultBytes: 1 << 20,
		Call: &catalogv1.HttpCall{Method: "GET", Url: server.URL + "/customers/{id}"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	reply := backend.Attempt(context.Background(), &interceptors.Call{
		Arguments: interceptors.Checked{JSON: []byte(`{"id":"../admin","expand":["plan"]}`)},
	})
	fmt.Println(reply.Sent, reply.Cause)
	reply = backend.Attempt(context.Background(), &interceptors.Call{
		Arguments: interceptors.Checked{JSON: []byte(`{"id":"a/b","expand":["plan"]}`)},
	})
	fmt.Println(reply.Status, string(reply.Body))
	// Output:
	// false argument "id": the URL's path may hold no dot segments
	// 200 GET /customers/a%2Fb?expand=plan
}
