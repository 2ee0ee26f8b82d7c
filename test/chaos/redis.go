package chaos

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// redisServer is one redis-server that keeps what it was told on disk.
type redisServer struct {
	process
	address string
}

// redisProgram finds a server's program: of the system, or in a folder.
func redisProgram(folder string) (string, error) {
	for _, name := range []string{"redis-server", "valkey-server"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
		if path := filepath.Join(folder, name); executable(path) {
			return path, nil
		}
	}
	return "", errors.New("redis-server is missing: run `make peers`")
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && info.Mode()&0o111 != 0
}

func startRedis(program, folder, name string) (*redisServer, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	data := filepath.Join(folder, name)
	if err := os.Mkdir(data, 0o700); err != nil {
		return nil, err
	}
	host, port := hostPort(address)
	r := &redisServer{address: address, process: process{name: name, log: filepath.Join(folder, name+".log"), args: []string{
		program, "--bind", host, "--port", port, "--dir", data, "--save", "", "--appendonly", "yes",
		"--appendfsync", "everysec", "--daemonize", "no", "--loglevel", "warning", "--repl-diskless-sync-delay", "0",
	}}}
	if err := r.start(); err != nil {
		return nil, err
	}
	return r, r.await()
}

// await waits until it answers, with its data loaded.
func (r *redisServer) await() error {
	return awaiting(r.name, func() error { return r.do("PING") })
}

// do runs one command on a connection of its own.
func (r *redisServer) do(words ...string) error {
	_, err := r.ask(words...)
	return err
}

func (r *redisServer) ask(words ...string) (string, error) {
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(context.Background(), "tcp", r.address)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := fmt.Fprintf(conn, "%s\r\n", strings.Join(words, " ")); err != nil {
		return "", err
	}
	reader := bufio.NewReader(conn)
	line, err := reader.ReadString('\n')
	line = strings.TrimSpace(line)
	switch {
	case err != nil:
		return "", err
	case strings.HasPrefix(line, "-"):
		return "", fmt.Errorf("%s: %v: %s", r.name, words, line)
	case strings.HasPrefix(line, "$"): // a bulk string: to its end
		text := make([]byte, reader.Buffered())
		n, _ := reader.Read(text)
		return string(text[:n]), nil
	}
	return line, nil
}

// follow makes it a replica of another.
func (r *redisServer) follow(leader *redisServer) error {
	host, port := hostPort(leader.address)
	if err := r.do("REPLICAOF", host, port); err != nil {
		return err
	}
	return awaiting(r.name+" as a replica", func() error {
		text, err := r.ask("INFO", "replication")
		if err == nil && !strings.Contains(text, "master_link_status:up") {
			err = fmt.Errorf("it is not in sync: %.200s", text)
		}
		return err
	})
}

func hostPort(address string) (host, port string) {
	host, port, _ = net.SplitHostPort(address) // of our own making
	return host, port
}
