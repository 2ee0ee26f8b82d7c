// Package tokens fetches the token that the gateway shows to an upstream, by OAuth
// 2.0's client credentials grant (RFC 6749 section 4.4), and keeps it.
//
// A token is fetched by one request for all calls that wait, and once more shortly
// before it expires [a tenth of its life, 60 s at most], while the former still
// serves; one without an expiry after an hour. A token that the upstream refuses is
// replaced, but not within 10 s of having been fetched: then it is not the token that
// is wrong. A client that is not accepted is not tried again for 10 s.
//
// A token that can't be had ends the attempt before anything was sent, in a Reply:
// the failure of the network as it is, transient where the token endpoint asks for
// patience, else terminal, for an operator to mend. Nothing that the endpoint says
// reaches a caller.
package tokens
