package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// startBackend serves slots requests at a time, each for serviceTime.
func startBackend() *httptest.Server {
	free := make(chan struct{}, slots)
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case free <- struct{}{}:
		case <-r.Context().Done():
			return
		}
		time.Sleep(serviceTime)
		<-free
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"ok":true}`))
	}))
}

// gateway is a running process and a client of it.
type gateway struct {
	process *exec.Cmd
	folder  string
	conn    *grpc.ClientConn
	client  toolgatev1.ToolGatewayServiceClient
}

func startGateway(ctx context.Context, program, url string) (*gateway, error) {
	folder, err := os.MkdirTemp("", "toolgate-load")
	if err != nil {
		return nil, err
	}
	catalogue := filepath.Join(folder, "catalog.yaml")
	text := fmt.Sprintf("tools:\n  - name: work\n    description: Works.\n    http: {method: GET, url: %q}\n    input_schema: {type: object}\n", url+"/work")
	if err := os.WriteFile(catalogue, []byte(text), 0o600); err != nil {
		return nil, err
	}
	g := &gateway{folder: folder}
	g.process = exec.CommandContext(ctx, program, "serve", "--catalog", catalogue, "--listen", "127.0.0.1:0",
		"--admin-listen", "", "--max-in-flight", strconv.Itoa(inFlight), "--log-every", "-1")
	g.process.Cancel = func() error { return g.process.Process.Signal(syscall.SIGTERM) }
	address, err := g.start()
	if err != nil {
		return nil, err
	}
	if g.conn, err = grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDisableRetry()); err != nil {
		return nil, err
	}
	g.client = toolgatev1.NewToolGatewayServiceClient(g.conn)
	return g, nil
}

// start waits for the line in which the gateway says where it listens.
func (g *gateway) start() (string, error) {
	log, err := g.process.StderrPipe()
	if err != nil {
		return "", err
	}
	if err := g.process.Start(); err != nil {
		return "", fmt.Errorf("start the gateway (make build makes it): %w", err)
	}
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		var line struct {
			Msg  string `json:"msg"`
			GRPC string `json:"grpc"`
		}
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "serving" {
			go func() {
				for lines.Scan() { // a full pipe would stop the gateway
				}
			}()
			return line.GRPC, nil
		}
	}
	return "", fmt.Errorf("the gateway ended before it served: %w", g.process.Wait())
}

func (g *gateway) stop() {
	_ = g.conn.Close()
	_ = g.process.Process.Signal(syscall.SIGTERM)
	_ = g.process.Wait()
	_ = os.RemoveAll(g.folder)
}

// drive offers a share of the capacity for a while, evenly spaced, and waits
// for the last answer.
func (g *gateway) drive(ctx context.Context, load float64, length time.Duration) (figures, error) {
	every := time.Duration(float64(time.Second) / (capacity * load))
	offered := int(length / every)
	var calls sync.WaitGroup
	seen := &recorder{}
	start := time.Now()
	for i := range offered {
		if wait := time.Until(start.Add(time.Duration(i) * every)); wait > 0 {
			time.Sleep(wait)
		}
		if ctx.Err() != nil {
			break
		}
		calls.Go(func() {
			begun := time.Now()
			end := g.call(ctx, fmt.Sprintf("run-%d", i%100), i)
			seen.note(time.Since(begun), end)
		})
	}
	calls.Wait()
	return seen.figures(load, offered), ctx.Err()
}

type ending int

const (
	broken ending = iota
	answered
	refused
)

func (g *gateway) call(ctx context.Context, run string, i int) ending {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	resp, err := g.client.CallTool(ctx, &toolgatev1.CallToolRequest{
		RunId: run, Call: &toolgatev1.ToolCall{Tool: "work", ArgumentsJson: fmt.Sprintf(`{"i":%d}`, i)},
	})
	if err == nil && resp.GetResult() != nil {
		return answered
	}
	st := status.Convert(err)
	if st.Code() != codes.ResourceExhausted {
		return broken
	}
	for _, detail := range st.Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok && info.GetRetryDelay().AsDuration() > 0 {
			return refused
		}
	}
	return broken
}
