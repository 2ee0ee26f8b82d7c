package chaos

import (
	"net"

	"golang.org/x/net/http2"
)

// strangers connects clients that do no good: some never say a word, some begin
// to speak HTTP/2 and die without a word of goodbye, and none reads.
func strangers(s *stage) error {
	for _, r := range s.gateways {
		for n := range 20 {
			conn, err := net.Dial("tcp", r.address) //nolint:noctx // loopback
			if err != nil {
				return err
			}
			s.strangers = append(s.strangers, conn)
			if n%2 == 0 {
				if _, err := conn.Write([]byte(http2.ClientPreface)); err != nil {
					return err
				}
				if err := http2.NewFramer(conn, nil).WriteSettings(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// dismiss ends what is left of them.
func (s *stage) dismiss() {
	for _, conn := range s.strangers {
		_ = conn.Close()
	}
}
