// Package redis keeps the ledger in Redis (6 or later) or Valkey, for gateways
// that have several replicas.
//
// # Where
//
// One URL names every kind of deployment:
//
//	redis://user:password@host:6379/0          one server; rediss:// with TLS
//	redis://host1:6379,host2:6379              a cluster (or one address with mode=cluster)
//	redis://sentinel1:26379?sentinel=NAME      whatever primary the sentinels name
//	unix:///run/redis.sock?db=0                a socket
//
// and has the parameters ca, cert, key, server_name (paths, and a name, for
// TLS), password_file, sentinel_user, sentinel_password_file, db, mode, and
// prefix of all keys and channels [toolgate:]. docs/state.md has them at length.
//
// # What stands there
//
// A run is one hash (its numbers, the counts of its tools, a head for each
// memory), one hash with what the memories hold, and one hash per call id; all
// in one slot, under a hash that does not tell who runs what. Everything has a
// time to live: runs 1 h without a call, outcomes by call id 10 min, a running
// call's id its lease [6 s, renewed] and 10 min more. Scripts are atomic and
// touch one slot. Sequences are moments of the server's clock that never stand
// still within a run; so they go on where data was lost.
//
// # What a call waits for
//
// One answer: that to its arrival or, where it has a call id, to its claim,
// brings the whole run along (contents of memories up to 64 KiB), and is kept in
// the context for the questions of the rooms. It answers for 100 ms, or until
// this replica wrote to the run; then it is asked for anew. What follows a
// success is one message that nobody waits for, with the moment of the success
// in it, so that it does not matter how late it comes; only where the success
// has something to forgive is it waited for. What failures leave behind is waited
// for always. A budget of calls (Spend) is a second answer.
//
// # When the server is away
//
// No call waits longer than 50 ms for an answer [WithWait]. When one is missing
// and nothing else came in that time, when a connection breaks, or when the server
// says that it can't work (read-only, full, loading, a cluster that is down), the
// local keeper takes over, at once and for every run. A new connection is such an
// end, too: nothing that the server behind it says is believed before it was seen
// whether it lost its memory. The server is looked for
// [20 ms to 1 s apart, jittered] with a write, and when it answers in time it is
// told what it must know, and serves again.
//
// The local keeper is always told what must not be forgotten: the call ids that
// this replica claims and their outcomes, unknown outcomes, kept idempotency
// keys. It is told what forgets, too. Counts and failures it keeps only while the
// server is away. A call that arrived under one keeper and ends under the other
// is older than everything to it: it is never capped there, and its rejection and
// its failure count nowhere; what it knew on arrival still holds for it.
//
// So, while the server is away,
//
//   - an identical write whose unknown outcome another replica saw may be sent
//     again, and so may a write that is resent under its call id to another
//     replica than the one that ran it. This replica's own are refused and
//     answered as ever. A call that was running on another replica when this one
//     last heard of it is taken to be running.
//   - an idempotency key that another replica kept is not known: a resend without
//     a call id gets a new one.
//   - counts of rejections, memories of failures, offers and budgets of calls
//     begin anew on each replica: a cap of 3 lets through at most 3 per replica
//     besides those before.
//   - EndRun and `fresh` hold on this replica alone, and must be said again.
//   - a verification does not settle what the server told of.
//
// When it comes back,
//
//   - it is told the outcomes, unknown outcomes and keys of the absence, which
//     calls run here, and all that was told it in the last 10 s before; all that
//     this replica remembers (131,072 outcomes of the last 10 min, 16,384 marks of
//     the last hour) where it has lost its data. What was erased or settled since
//     by others may stand again: then it is verified again.
//   - counts, failures, offers and tallies of the absence are forgotten.
//
// When the server is lost in the very moment in which a call ends, what followed
// a success (its tally, that it forgave) is lost, and so is that a call id was
// given free: after its lease it answers outcome_unknown.
//
// A replica that dies takes with it what its calls knew. Their ids answer as lost
// when their lease is over: a write says outcome_unknown, a read runs again.
//
// What one replica stores in outcomes is bounded as in memory, 64 MiB; the
// server's own bound must not evict (maxmemory-policy noeviction): a full server
// is an absence, while an eviction forgets without a word. Runs that end by idling
// are not reported; GetRun and EndRun tell of them while they live.
package redis
