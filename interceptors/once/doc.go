// Package once makes each call_id one call. A runtime that lost its connection
// sends the call again under its id, and nothing happens twice.
//
// Place: behind resolve, since an answer depends on whether the tool may run
// twice; before rejectioncap and limits, since a resend is no further call and
// must not be counted, queued or refused as one.
//
// A call without an id passes. With an id it is claimed before anything else
// happens. The same call (tool and bytes of arguments_json) under a claimed id
// joins the running call, or gets its final outcome [kept 10 min, at most 256
// KiB each, 64 MiB in all, by the ledger]. TRANSIENT outcomes and refusals from
// memory are not kept: the same id passes on, and is dispatched anew. A running
// call lives as long as one of its callers waits, until the latest of their
// deadlines.
//
// What it answers itself:
//
//	INVALID_ARGUMENT CALL_ID_REUSED   the id belongs to another call
//	terminal call_id_reused           the same inside a batch
//	terminal already_executed         a write's result was too large to keep
//	terminal outcome_unknown          a write's outcome was lost
//	terminal internal                 to those who joined a call that broke down
//
// A read or an idempotent call whose result is gone runs again. `fresh` replaces
// an outcome, never a running call. Without a ledger, resends still join within
// this process.
package once
