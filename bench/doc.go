// Package bench holds what toolgate's speed is measured with: a back end, a bare
// hop, and a program that makes the calls. `make bench` runs them, docs/performance.md
// says what comes out.
package bench
