// Package demo plays the four stories: what an agent lives through with
// toolgate, and with the naive stack, before the same back ends. It prints what
// it counted and nothing that was known before.
package demo
