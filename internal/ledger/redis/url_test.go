package redis

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgate.dev/toolgate/internal/ledger/memory"
)

func TestAURLNamesEveryKindOfDeployment(t *testing.T) {
	secretFile := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secretFile, []byte("from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]target{
		"redis://localhost":                         {addresses: []string{"localhost:6379"}},
		"valkey://localhost:7000/":                  {addresses: []string{"localhost:7000"}},
		"redis://h:1/3":                             {addresses: []string{"h:1"}, database: 3, mode: modeSingle},
		"redis://h:1?db=3":                          {addresses: []string{"h:1"}, database: 3, mode: modeSingle},
		"redis://[::1]:7000":                        {addresses: []string{"[::1]:7000"}},
		"redis://[::1]":                             {addresses: []string{"[::1]:6379"}},
		"redis://a:1,b:2,c":                         {addresses: []string{"a:1", "b:2", "c:6379"}, mode: modeCluster},
		"redis://a:1?mode=cluster":                  {addresses: []string{"a:1"}, mode: modeCluster},
		"redis://s1:26379,s2:26379?sentinel=m":      {addresses: []string{"s1:26379", "s2:26379"}, mode: modeSentinel, masterName: "m"},
		"redis://ann:s%40cr%2Ft@h":                  {addresses: []string{"h:6379"}, username: "ann", password: "s@cr/t"},
		"redis://:only@h":                           {addresses: []string{"h:6379"}, password: "only"},
		"redis://ann:a@b@h":                         {addresses: []string{"h:6379"}, username: "ann", password: "a@b"},
		"unix:///run/redis.sock?db=2":               {addresses: []string{"/run/redis.sock"}, unix: true, database: 2, mode: modeSingle},
		"unix://ann:pw@/run/redis.sock":             {addresses: []string{"/run/redis.sock"}, unix: true, username: "ann", password: "pw", mode: modeSingle},
		"redis://h?prefix=gate-7:":                  {addresses: []string{"h:6379"}, prefix: "gate-7:"},
		"redis://ann@h?password_file=" + secretFile: {addresses: []string{"h:6379"}, username: "ann", password: "from a file"},
	} {
		got, err := parseURL(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		want.address = got.address
		if !slices.Equal(got.addresses, want.addresses) {
			t.Errorf("%s: addresses %v", text, got.addresses)
		}
		got.addresses, want.addresses = nil, nil
		if !equalTargets(got, &want) {
			t.Errorf("%s:\n got %+v\nwant %+v", text, got, want)
		}
		if strings.Contains(got.address, "@") {
			t.Errorf("%s: %s is shown", text, got.address)
		}
	}
	if got, err := parseURL("rediss://h?server_name=redis.internal"); err != nil || got.tls == nil || got.tls.ServerName != "redis.internal" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func equalTargets(a, b *target) bool {
	return a.unix == b.unix && a.username == b.username && a.password == b.password && a.database == b.database &&
		(a.tls == nil) == (b.tls == nil) && a.mode == b.mode && a.prefix == b.prefix && a.masterName == b.masterName
}

func TestAWrongURLIsExplainedWithoutItsPassword(t *testing.T) {
	const password = "hunter2"
	for text, says := range map[string]string{
		"localhost:6379":                             "no scheme",
		"http://ann:hunter2@h":                       "want redis, rediss or unix",
		"redis://ann:hunter2@":                       "want host:port",
		"redis://ann:hunter2@h:0":                    "want host:port",
		"redis://ann:hunter2@h:99999":                "want host:port",
		"redis://ann:hunter2@a:1,,b:1":               "want host:port",
		"redis://ann:hunter2@h/zero":                 "want a number",
		"redis://ann:hunter2@h?color=red":            "unknown parameter \"color\"",
		"redis://ann:hunter2@h?db=1&db=2":            "twice",
		"redis://ann:hunter2@h?db=%zz":               "can't be read",
		"redis://ann:hunter2%zz@h":                   "percent-encoded",
		"redis://ann:hunter2@h?ca=/ca.pem":           "rediss://",
		"rediss://ann:hunter2@h?ca=/no/such/file":    "no such file",
		"rediss://ann:hunter2@h?cert=/cert.pem":      "belong together",
		"redis://ann:hunter2@h?password_file=/no/it": "no such file",
		"redis://ann:hunter2@h?mode=sentinel":        "sentinel=NAME",
		"redis://ann:hunter2@h?mode=ring":            "single, cluster or sentinel",
		"redis://ann:hunter2@a,b?mode=single":        "several addresses",
		"redis://ann:hunter2@a,b/1":                  "no databases",
		"redis://ann:hunter2@h?prefix={x}":           "braces",
		"unix://run/redis.sock":                      "absolute",
		"unix://ann:hunter2@":                        "absolute",
	} {
		_, err := Open(text, memory.New())
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
		if err != nil && strings.Contains(err.Error(), password) {
			t.Errorf("%s: the password is shown: %v", text, err)
		}
	}
	if _, err := Open("redis://localhost", nil); err == nil {
		t.Error("no local keeper is fine")
	}
}
