package interceptors

import (
	"strings"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// NoteSeparator stands between the gateway's sentences in ToolError.note.
const NoteSeparator = "; "

// AddNote puts a sentence of the gateway's own in front of the others, unless
// it is there already. What does not fit is cut from the end, whole sentences,
// when the error is finished. Rooms see an outcome from the inside out, so the
// sentence of the outermost room (the cap) stands first and survives longest,
// and the guess of the diagnosis goes first.
func AddNote(e *toolgatev1.ToolError, sentence string) {
	sentence = strings.TrimRight(sentence, ". ")
	switch {
	case sentence == "":
	case e.GetNote() == "":
		e.Note = sentence
	case !hasSentence(e.GetNote(), sentence):
		e.Note = sentence + NoteSeparator + e.GetNote()
	}
}

func hasSentence(note, sentence string) bool {
	for part := range strings.SplitSeq(note, NoteSeparator) {
		if part == sentence {
			return true
		}
	}
	return false
}
