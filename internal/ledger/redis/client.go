package redis

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/redis/rueidis"
)

const (
	dialTimeout = 2 * time.Second
	// A connection on which nothing comes back for so long is given up.
	connTimeout = 2 * time.Second
	// Commands that come within so short a time share a write.
	flushDelay = 20 * time.Microsecond
	bufferSize = 64 << 10 // for each connection and direction
	// Sentinels are asked anew so often, in case that their word was missed.
	sentinelRefresh = 5 * time.Second
)

// option makes the client's. dialed is told of every connection that is to be
// made.
func (t *target) option(dialed func(address string)) rueidis.ClientOption {
	dialer := net.Dialer{Timeout: dialTimeout, KeepAlive: time.Second}
	option := rueidis.ClientOption{
		InitAddress: t.addresses, Dialer: dialer, TLSConfig: t.tls,
		Username: t.username, Password: t.password, SelectDB: t.database, ClientName: "toolgate",
		ConnWriteTimeout: connTimeout, MaxFlushDelay: flushDelay,
		ReadBufferEachConn: bufferSize, WriteBufferEachConn: bufferSize,
		PipelineMultiplex: -1,   // one connection for each server: then a second one is news
		AlwaysPipelining:  true, // the other way closes a connection when one caller's time is over
		DisableRetry:      true, // the time is short, and what was sent may have been done
		DisableCache:      true,
	}
	option.DialCtxFn = func(ctx context.Context, address string, d *net.Dialer, config *tls.Config) (net.Conn, error) {
		dialed(address)
		switch {
		case t.unix:
			return d.DialContext(ctx, "unix", address)
		case config != nil:
			return (&tls.Dialer{NetDialer: d, Config: config}).DialContext(ctx, "tcp", address)
		default:
			return d.DialContext(ctx, "tcp", address)
		}
	}
	switch t.mode {
	case modeSingle:
		option.ForceSingleClient = true
	case modeSentinel:
		option.Sentinel = rueidis.SentinelOption{
			Dialer: dialer, TLSConfig: t.tls, MasterSet: t.masterName,
			Username: t.sentinelUser, Password: t.sentinelPassword, TopologyRefreshInterval: sentinelRefresh,
		}
	}
	return option
}

// misconfigured reports that trying again would not help: the server, or its
// certificate, turned us down for what we are.
func misconfigured(err error) bool {
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var hostname x509.HostnameError
	if errors.As(err, &unknown) || errors.As(err, &invalid) || errors.As(err, &hostname) {
		return true
	}
	return turnedDown(err) || spoken(err) && !errors.Is(err, errReply)
}

// turnedDown reports that the server knows us, and will not have us.
func turnedDown(err error) bool {
	reply, ok := rueidis.IsRedisErr(err)
	if !ok {
		return false
	}
	code, _, _ := strings.Cut(reply.Error(), " ")
	return slices.Contains([]string{"WRONGPASS", "NOAUTH", "NOPERM"}, code)
}

// unwell are what a server says that can't do its work now. Redis 6 wraps what
// stopped a script into another error.
var unwell = []string{
	"READONLY", "OOM ", "MISCONF", "LOADING", "BUSY", "CLUSTERDOWN", "MASTERDOWN", "NOREPLICAS", "TRYAGAIN", "max number of clients",
}

// spoken reports that an error is the server's answer to one command alone: the
// server itself is well.
func spoken(err error) bool {
	reply, ok := rueidis.IsRedisErr(err)
	if !ok {
		return errors.Is(err, errReply)
	}
	return !turnedDown(err) && !slices.ContainsFunc(unwell, func(word string) bool { return strings.Contains(reply.Error(), word) })
}
