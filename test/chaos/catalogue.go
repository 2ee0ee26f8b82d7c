package chaos

import "strings"

// The tools of the trial.
const (
	toolRead  = "look"  // a read
	toolPay   = "pay"   // a write that nobody may repeat
	toolKeyed = "order" // a write with an idempotency key
	toolPut   = "put"   // an idempotent write
	toolBook  = "book"  // a write that is always refused
)

// rejectionCap is what the catalogue leaves at its default.
const rejectionCap = 3

// catalogue writes the tools with UPSTREAM for the back end's address. Its times
// are short, so that a fault is survived within seconds; VERSION changes with a
// reload.
const catalogue = `
upstreams:
  tools: {url: "http://UPSTREAM"}
defaults:
  backoff: 50ms
  backoff_max: 400ms
  max_wait: 2s
  call_deadline: 6s
  attempt_timeout: 1s
  breaker_failures: 20
  breaker_open: 1s
  cooldown_max: 1s
tools:
  - name: look
    description: Reads. VERSION
    upstream: tools
    http: {method: GET, url: /tool/look}
    input_schema: &schema
      type: object
      properties: {ref: {type: string}, run: {type: string}}
      required: [ref, run]
      additionalProperties: false
  - name: pay
    description: Writes.
    upstream: tools
    http: {method: POST, url: /tool/pay}
    input_schema: *schema
  - name: order
    description: Writes under a key.
    upstream: tools
    http: {method: POST, url: /tool/order}
    idempotency_key: {}
    input_schema: *schema
  - name: put
    description: Writes as often as you like.
    upstream: tools
    http: {method: PUT, url: /tool/put}
    input_schema: *schema
  - name: book
    description: Is always refused.
    upstream: tools
    http: {method: POST, url: /tool/book}
    input_schema: *schema
`

func catalogueText(upstream, version string) []byte {
	return []byte(strings.NewReplacer("UPSTREAM", upstream, "VERSION", version).Replace(catalogue))
}
