// Package redistest starts real Redis servers for tests: one alone, with or
// without persistence, a clock that the test moves, TLS, a cluster, sentinels.
// Each lives as long as its test, stands on a socket or a free loopback port,
// and can be paused, killed, and started again with what it kept.
//
// redis-server is looked for in PATH (valkey-server does as well) and in .bin;
// `make peers` installs it. TOOLGATE_TEST_REDIS names another one.
package redistest
