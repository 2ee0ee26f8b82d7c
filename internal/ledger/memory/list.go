package memory

// links are an element's place in a list.
type links[T any] struct{ previous, next *T }

// list orders elements, the oldest first. An element carries its own links, so
// that a list costs nothing beside them. It is guarded by its shard's lock.
type list[T any] struct {
	head, tail *T
	of         func(*T) *links[T]
}

func (l *list[T]) push(element *T) {
	at := l.of(element)
	at.previous, at.next = l.tail, nil
	if l.tail == nil {
		l.head = element
	} else {
		l.of(l.tail).next = element
	}
	l.tail = element
}

// remove takes an element of this very list out.
func (l *list[T]) remove(element *T) {
	at := l.of(element)
	if at.previous == nil {
		l.head = at.next
	} else {
		l.of(at.previous).next = at.next
	}
	if at.next == nil {
		l.tail = at.previous
	} else {
		l.of(at.next).previous = at.previous
	}
	at.previous, at.next = nil, nil
}
