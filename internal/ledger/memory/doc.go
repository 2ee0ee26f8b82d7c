// Package memory keeps the ledger in this process: the embedded default.
//
// Runs are spread over 256 shards with a lock each, so that runs share no lock.
// A run that only succeeds is one record of 80 bytes without pointers, found by
// a 128-bit keyed hash of its name; what failures leave behind (counts, offers,
// memories) stands beside it and is made with the first of them. A run's name is
// kept only until its first result, for the report of runs that brought nothing
// back.
//
// Everything that grows has a bound and a way to forget:
//
//	runs              1 h without a call, and at most 1,048,576: past that the
//	                  one idle for longest among a sample goes, one with an
//	                  unknown outcome last
//	outcomes by id    10 min, at most 256 KiB each and 64 MiB in all: the oldest
//	                  loses its content first, and stays known as lost; at most
//	                  524,288 ids
//	memories          256 per run, and 128 MiB in all: the oldest goes; unknown
//	                  outcomes stay as long as the run, at most 1,024 per run
//	offers            6 standing and 6 taken per tool and run
//	idempotency keys  256 per run
//
// No goroutine is owned. Each shard is swept by the calls that arrive at it, a
// sixteenth of the idle time after the last sweep; Sweep does all of them, for a
// process that has gone quiet and still wants its reports.
package memory
