// Package backend holds what the back ends of all protocols have in common: who shows
// a token, and how a rejected certificate is known. What a back end does stands in a
// package of its own for each protocol, which implements [interceptors.Backend].
package backend
