package cli

import toolgate "toolgate.dev/toolgate/sdk/go"

// palette colours text for a person at a terminal, and leaves it alone for
// everybody else.
type palette struct{ on bool }

// newPalette respects NO_COLOR (no-color.org: set and not empty) and a terminal
// that can't show colours.
func newPalette(p Program, terminal bool) palette {
	return palette{on: terminal && p.Getenv("NO_COLOR") == "" && p.Getenv("TERM") != "dumb"}
}

func (p palette) wrap(code, text string) string {
	if !p.on || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p palette) bold(text string) string { return p.wrap("1", text) }
func (p palette) dim(text string) string  { return p.wrap("2", text) }
func (p palette) good(text string) string { return p.wrap("32", text) }
func (p palette) warn(text string) string { return p.wrap("33", text) }
func (p palette) bad(text string) string  { return p.wrap("31", text) }

// class colours the name of a class.
func (p palette) class(class toolgate.Class) string {
	switch class {
	case toolgate.Transient:
		return p.warn(string(class))
	case toolgate.InvalidRequest:
		return p.wrap("35", string(class))
	default:
		return p.bad(string(class))
	}
}
