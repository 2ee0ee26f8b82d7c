package evidence

// Filter chooses among calls; an empty field chooses all.
type Filter struct{ Tool, Class, Run, Code string }

// Takes reports whether a call is chosen.
func (f Filter) Takes(c *Call) bool {
	is := func(wanted, had string) bool { return wanted == "" || wanted == had }
	return is(f.Tool, c.Tool) && is(f.Class, c.Class) && is(f.Run, c.Run) && is(f.Code, c.Code)
}
