package server

// contractSentence is the whole contract for a system prompt; ListTools says it
// once.
const contractSentence = `A failed tool call answers with one JSON object whose "class" says what to do next. ` +
	`"transient": the call is fine, the moment is wrong; the gateway has already waited and tried; report the delay, or repeat the identical call after "retry_after" seconds; use nothing but the alternatives listed and don't answer from memory. ` +
	`"invalid_request": the arguments are wrong; change the field that is named to what is "expected" and call again. ` +
	`"terminal": this call is over; take one of "alternatives", or call "unblock_with" first, or report it; the identical call will be refused. ` +
	`If "maybe_executed" is true, check what happened before anything is repeated.`

// contractShort ends each description: at most 20 tokens.
const contractShort = `On failure obey "class": transient wait, invalid_request fix arguments, terminal stop.`
