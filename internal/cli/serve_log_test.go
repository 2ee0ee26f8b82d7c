package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"toolgate.dev/toolgate/internal/cli"
)

// reader is whoever reads the log, until he gets stuck.
type reader struct {
	to    io.Writer
	stuck atomic.Bool
	ends  chan struct{}
}

func (r *reader) Write(p []byte) (int, error) {
	if r.stuck.Load() {
		<-r.ends
	}
	return r.to.Write(p)
}

func TestALogThatNobodyReadsHoldsNoCallUpAndNoEnd(t *testing.T) {
	catalog := write(t, "tools: [{name: a, http: {method: GET, url: \"http://127.0.0.1:1/\"}}]\n")
	read, pipe := io.Pipe()
	log := &reader{to: pipe, ends: make(chan struct{})}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Run(ctx, cli.Program{Args: []string{
			"serve", "--catalog", catalog, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--http-listen", "",
		}, Stdout: io.Discard, Stderr: log})
	}()
	lines := bufio.NewScanner(read)
	var serving struct{ Msg, Grpc, Admin string }
	for serving.Msg != "serving" {
		if !lines.Scan() {
			t.Fatal("it does not serve")
		}
		_ = json.Unmarshal(lines.Bytes(), &serving)
	}
	log.stuck.Store(true)
	for range 20 {
		if got := run(t, cli.Program{}, "call", "no_such_tool", "--gateway", serving.Grpc); got.code != 11 {
			t.Fatalf("got %+v", got)
		}
	}
	if metrics := get(t, "http://"+serving.Admin+"/metrics"); !strings.Contains(metrics, `toolgate_log_lines_lost_total{why="no_room"} 0`) {
		t.Error("no metric tells of lines that are lost")
	}
	stop()
	select {
	case code := <-ended:
		if code != 0 {
			t.Errorf("it ended with %d", code)
		}
	case <-time.After(30 * time.Second):
		t.Error("it does not end")
	}
	close(log.ends)
	_ = read.Close()
}

func TestADiskWithoutSpaceForTheLogEndsNothing(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("a device that is always full is Linux's, run it there: %v", err)
	}
	defer full.Close()
	catalog := write(t, "tools: [{name: a, http: {method: GET, url: \"http://127.0.0.1:1/\"}}]\n")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close() // nobody says where it serves: the address must be known
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Run(ctx, cli.Program{Args: []string{
			"serve", "--catalog", catalog, "--listen", address, "--admin-listen", "", "--http-listen", "",
		}, Stdout: io.Discard, Stderr: full})
	}()
	var got ran
	for deadline := time.Now().Add(30 * time.Second); got.code != 11 && time.Now().Before(deadline); {
		got = run(t, cli.Program{}, "call", "no_such_tool", "--gateway", address) // until it stands
	}
	if got.code != 11 {
		t.Errorf("got %+v", got)
	}
	stop()
	if code := <-ended; code != 0 {
		t.Errorf("it ended with %d", code)
	}
}
