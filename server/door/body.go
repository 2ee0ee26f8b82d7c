package door

// MaxBodyBytes is the most that a request over HTTP may send. Arguments have
// bounds of their own, far below it, and are refused in-band.
const MaxBodyBytes = 32 << 20
