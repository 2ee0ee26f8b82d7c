// Package chaos breaks everything around three replicas of the gateway and
// decides, from two records, whether they kept their word.
//
// The parts are real: built gateways behind grpc's own round_robin, a
// redis-server with a replica of it, a back end in a process of its own, and
// toxiproxy between gateway and back end and between each gateway and Redis.
// One fault after another strikes while calls go on. The back end writes down
// every request that took effect before it answers, the client every outcome or
// status, and the verdict compares the two:
//
//   - lost: an rpc that ended with neither an outcome nor a status that says what
//     to do, or did not end; a result of a call that never took effect; an error
//     that hides an effect.
//   - doubled: a write that took effect twice. A call that its client sent again
//     under one call_id while a replica could not reach Redis is counted apart:
//     nobody can know of it there, and the number of such calls is the bound.
//
// docs/chaos.md says what it shows and what it can't.
package chaos
