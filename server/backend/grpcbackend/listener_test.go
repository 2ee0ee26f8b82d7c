package grpcbackend

import (
	"net"
	"sync"
)

// kept is a listener that can cut its connections.
type kept struct {
	net.Listener

	mu    sync.Mutex
	conns []net.Conn // guarded by mu
}

// Accept implements net.Listener.
func (k *kept) Accept() (net.Conn, error) {
	conn, err := k.Listener.Accept()
	if err == nil {
		k.mu.Lock()
		k.conns = append(k.conns, conn)
		k.mu.Unlock()
	}
	return conn, err
}

// drop cuts all connections, and reports how many there were ever.
func (k *kept) drop() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, conn := range k.conns {
		_ = conn.Close()
	}
	return len(k.conns)
}

func (k *kept) count() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.conns)
}
