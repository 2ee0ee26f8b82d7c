// Package backend holds what the back ends of all protocols have in common: how a
// connection is opened and through which proxy, who we are and whom we trust, who
// shows a token, what an operator hears of, and how a fault of an entry is told. What
// a back end does stands in a package of its own for each protocol, which implements
// [interceptors.Backend].
package backend
