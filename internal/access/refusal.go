package access

import "time"

// Reason is why a caller is refused.
type Reason int

// The reasons.
const (
	Missing     Reason = iota + 1 // no credential was shown
	Invalid                       // it is not known, or not genuine
	Expired                       // it was
	Unavailable                   // whether it is genuine can't be told right now
	NoRights                      // it is, and nothing is allowed with it
)

// Refusal says why a caller is not let in.
type Refusal struct {
	Reason Reason
	// Detail is for logs and metrics, one of a fixed list: `wrong_key`,
	// `unknown_issuer`. It holds nothing of the credential, and callers are not told.
	Detail string
	// Retry is when to come back, of Unavailable.
	Retry time.Duration
}

func refuse(reason Reason, detail string) *Refusal { return &Refusal{Reason: reason, Detail: detail} }
