// Package loop is the turn of an agent's loop that is easy to get wrong: what the
// model asked for goes out, and what comes back is what the model may read.
//
//   - A turn's calls go out together, so that a mistake made five times in one
//     turn counts once.
//   - Transient failures are waited out, out of the model's sight, within
//     Patience; the identical call is sent again, and nothing else is. The model
//     reads of one only when there is no patience left for it.
//   - A result or a failure is one Answer, in the order of the calls. Answers of
//     failed calls are the gateway's observations, as they stand.
//   - A failed rpc is nobody's tool: it ends the turn as an error and is not shown
//     to the model.
//
// It knows no model's API: a Model is one function.
package loop
