package cli_test

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
)

func TestTheAgeOfAConnectionIsSettable(t *testing.T) {
	catalog := write(t, "tools: [{name: a, http: {method: GET, url: \"http://127.0.0.1:1/\"}}]\n")
	s := serve(t, "--catalog", catalog, "--listen", "127.0.0.1:0", "--admin-listen", "",
		"--max-connection-age", "50ms", "--max-connection-grace", "1s")
	conn, err := grpc.NewClient(s.Grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	conn.Connect()
	for state := conn.GetState(); state != connectivity.Ready; state = conn.GetState() {
		if !conn.WaitForStateChange(ctx, state) {
			t.Fatalf("it is %v", state)
		}
	}
	if !conn.WaitForStateChange(ctx, connectivity.Ready) {
		t.Error("nobody asked the client to connect anew")
	}
	if code := s.ends(t); code != 0 {
		t.Errorf("it ended with %d: %s", code, s.log)
	}
}
