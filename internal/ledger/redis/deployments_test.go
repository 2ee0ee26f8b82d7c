package redis

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/ledger/ledgertest"
	"toolgate.dev/toolgate/internal/ledger/memory"
	"toolgate.dev/toolgate/internal/redistest"
)

func TestTheContractHoldsOnACluster(t *testing.T) {
	long(t)
	cluster := redistest.StartCluster(t)
	ledgertest.Run(t, ledgertest.Keeper{
		Open: func(t *testing.T) interceptors.Ledger {
			for _, node := range cluster.Nodes {
				node.Do("FLUSHALL")
			}
			return open(t, cluster.URL)
		},
	})
}

func TestRunsSpreadOverACluster(t *testing.T) {
	long(t)
	cluster := redistest.StartCluster(t)
	for _, url := range []string{cluster.URL, cluster.Nodes[1].URL} { // one address is enough
		l := open(t, url)
		for n := range 64 {
			p := &pair{T: t, one: l}
			run := interceptors.RunKey{Principal: "ann", ID: fmt.Sprint(url, n)}
			if _, err := l.Snapshot(t.Context(), run); err != nil {
				t.Fatal(err)
			}
			claim, err := l.Claim(t.Context(), run, "id", interceptors.Key{1}, false)
			p.must(err)
			if claim.State != interceptors.ClaimTaken {
				t.Errorf("run %d: state %d", n, claim.State)
			}
			p.must(l.SettleClaim(t.Context(), run, "id", result("1")))
		}
		if h := l.Health(); !h.Connected || h.Absences > 0 {
			t.Errorf("health is %+v", h)
		}
	}
	for i, node := range cluster.Nodes {
		if keys := node.Do("DBSIZE"); keys == "0" {
			t.Errorf("node %d has nothing", i)
		}
	}
}

func TestAFailoverOfSentinelsIsOvercome(t *testing.T) {
	long(t)
	for name, fail := range map[string]func(*redistest.Sentinels){
		"that was asked for": (*redistest.Sentinels).Failover,
		"after a crash":      func(s *redistest.Sentinels) { s.Primary.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			sentinels := redistest.StartSentinels(t)
			p := &pair{T: t, server: sentinels.Primary}
			p.one, p.other = open(t, sentinels.URL, WithWait(shortWait)), open(t, sentinels.URL, WithWait(shortWait))
			p.run(p.one, "before", "1")
			p.doubt(p.one, 1)
			fail(sentinels)
			await(t, "the replica is the primary", func() bool {
				p.snapshot(p.one)                                       // calls go on meanwhile
				said, _ := sentinels.Replica.Try("INFO", "replication") // it drops connections as it changes
				return strings.Contains(said, "role:master")
			})
			await(t, "both write to it", func() bool {
				p.awaitBoth()
				return p.writesTo(p.one, sentinels.Replica) && p.writesTo(p.other, sentinels.Replica)
			})
			p.wantClaim(p.other, "before", interceptors.ClaimSettled, result("1"))
			p.wantDoubt(p.other, 1, true)
			p.run(p.other, "after", "2")
			p.wantClaim(p.one, "after", interceptors.ClaimSettled, result("2"))
		})
	}
}

func (p *pair) writesTo(l *Ledger, server *redistest.Server) bool {
	run := interceptors.RunKey{ID: rand.Text()}
	if _, err := l.Snapshot(p.Context(), run); err != nil {
		p.Fatal(err)
	}
	names := l.namesOf(run)
	exists, _ := server.Try("EXISTS", names.keys[0])
	return exists == "1"
}

func TestTLSWithACertificateOfTheClient(t *testing.T) {
	var certificates redistest.Certificates
	server := redistest.Start(t, redistest.TLS(&certificates))
	full := server.URL + "?ca=" + certificates.CA + "&cert=" + certificates.Cert + "&key=" + certificates.Key
	p := &pair{T: t}
	p.one = open(t, full)
	p.run(p.one, "id", "1")
	if h := p.one.Health(); !h.Connected || h.Absences > 0 {
		t.Errorf("health is %+v", h)
	}
	for what, url := range map[string]string{
		"an authority that nobody knows": server.URL + "?cert=" + certificates.Cert + "&key=" + certificates.Key,
		"another name":                   full + "&server_name=redis.elsewhere.example",
	} {
		if _, err := Open(url, memory.New()); err == nil || !strings.Contains(err.Error(), "certificate") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// permissions are all that the keeper needs.
var permissions = []string{
	"~toolgate:*", "resetchannels", "&toolgate:*", "-@all", "+evalsha", "+eval", "+script|load", "+exists", "+subscribe", "+unsubscribe", "+publish",
	"+time", "+get", "+set", "+del", "+hget", "+hset", "+hdel", "+hgetall", "+hmget", "+hincrby", "+hlen", "+pexpire", "+pttl", "+ping",
	"+client|setname", "+hello",
}

func TestAUserWithTheLeastPermissions(t *testing.T) {
	server := redistest.Start(t)
	server.Do(append([]string{"ACL", "SETUSER", "gate", "on", ">s3cr@t"}, permissions...)...)
	server.Do("ACL", "SETUSER", "reader", "on", ">s3cr@t", "~*", "+@read", "+@connection")
	socket := strings.TrimPrefix(server.URL, "unix://")
	p := &pair{T: t}
	p.one = open(t, "unix://gate:s3cr%40t@"+socket)
	p.run(p.one, "id", "1")
	p.doubt(p.one, 1)
	if _, err := p.reject(p.one, p.snapshot(p.one)); err != nil {
		t.Error(err)
	}
	if h := p.one.Health(); !h.Connected || h.Absences > 0 {
		t.Errorf("health is %+v", h)
	}
	for what, url := range map[string]string{
		"a wrong password":     "unix://gate:wr0ng@" + socket,
		"a missing permission": "unix://reader:s3cr%40t@" + socket,
		"no such database":     "unix://" + socket + "?db=99",
	} {
		_, err := Open(url, memory.New())
		if err == nil {
			t.Errorf("%s is no error", what)
			continue
		}
		if strings.Contains(err.Error(), "s3cr") || strings.Contains(err.Error(), "wr0ng") {
			t.Errorf("%s shows the password: %v", what, err)
		}
	}
}
