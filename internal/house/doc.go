// Package house holds the tests that read the code itself: who may import whom,
// how large a file or function may be, and what stands nowhere (rooms for
// leftovers, init functions, mutable globals, sleeping tests). Generated code is
// exempt.
package house
