package methods

// Fault is an argument that the request can't hold.
type Fault struct {
	// Field is where, as google.rpc.BadRequest writes it; empty: the whole.
	Field string
	// Value is what stands there, as JSON; nil: nothing does.
	Value []byte
	// Problem says what is wrong, Accepted what would be right; it may be empty.
	Problem, Accepted string
}

func (f *Fault) Error() string {
	text := f.Problem
	if f.Field != "" {
		text = f.Field + ": " + text
	}
	if f.Accepted != "" {
		text += "; accepted: " + f.Accepted
	}
	return text
}
