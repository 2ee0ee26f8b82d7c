package redis

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/rueidis"

	"toolgate.dev/toolgate/interceptors"
)

const (
	boardPart    = ":upstreams"
	maxNotices   = 8192
	maxPosts     = 256 // that wait to be sent
	boardPause   = 500 * time.Millisecond
	boardRefresh = 10 * time.Second
)

// board is where the replicas tell one another of upstreams: a hash that has
// what stands, and a channel that has the news.
type board struct {
	mu       sync.Mutex // guards the rest
	watchers map[int]func(interceptors.Notice)
	next     int
	posts    chan interceptors.Notice
}

var _ interceptors.Board = (*Ledger)(nil)

// Post tells the other replicas. What can't be told at once is dropped: they
// will find out.
func (l *Ledger) Post(notice interceptors.Notice) {
	select {
	case l.board.posts <- notice:
	default:
	}
}

// Watch has a function told of what other replicas post, and of what stands.
func (l *Ledger) Watch(tell func(interceptors.Notice)) (stop func()) {
	b := &l.board
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.next
	b.next++
	b.watchers[n] = tell
	if n == 0 {
		l.spawn(l.listening)
	}
	l.spawn(func() { _ = l.readBoard() })
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.watchers, n)
	}
}

// spawn starts a goroutine of the ledger, unless it is closed.
func (l *Ledger) spawn(do func()) {
	l.link.mu.Lock()
	defer l.link.mu.Unlock()
	if l.ctx.Err() == nil {
		l.all.Go(do)
	}
}

func (b *board) init() {
	b.watchers, b.posts = map[int]func(interceptors.Notice){}, make(chan interceptors.Notice, maxPosts)
}

func (b *board) tell(notice interceptors.Notice) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, tell := range b.watchers {
		tell(notice)
	}
}

// posting sends what was posted, in order.
func (l *Ledger) posting() {
	for {
		select {
		case notice := <-l.board.posts:
			l.post(notice)
		case <-l.ctx.Done():
			return
		}
	}
}

var kinds = map[interceptors.NoticeKind]string{
	interceptors.NoticeOpened: "o", interceptors.NoticeClosed: "c", interceptors.NoticePaused: "p",
}

func (l *Ledger) boardKey() string { return l.prefix + marksTag + boardPart }

func (l *Ledger) post(notice interceptors.Notice) {
	key := l.boardKey()
	_, _ = l.ask(l.ctx, l.scripts.post, []string{key}, []string{
		key, notice.Upstream + "\x00" + notice.Tool, l.owner, kinds[notice.Kind],
		micros(notice.Hold), micros(notice.Hint), strconv.Itoa(maxNotices),
	})
}

// listening hears the news, and reads the whole board whenever some may have
// been missed.
func (l *Ledger) listening() {
	for l.ctx.Err() == nil {
		if client := l.link.client.Load(); client != nil && l.Connected() {
			_ = l.readBoard()
			ctx, cancel := context.WithTimeout(l.ctx, boardRefresh) // then it is read anew
			err := (*client).Receive(ctx, (*client).B().Subscribe().Channel(l.boardKey()).Build(), l.hear)
			cancel()
			if errors.Is(err, context.DeadlineExceeded) {
				continue
			}
		}
		select {
		case <-time.After(boardPause):
		case <-l.ctx.Done():
		}
	}
}

// hear reads "now from what hold hint\nfield".
func (l *Ledger) hear(message rueidis.PubSubMessage) {
	head, field, _ := strings.Cut(message.Message, "\n")
	clock, text, _ := strings.Cut(head, " ")
	if now, err := strconv.ParseInt(clock, 10, 64); err == nil {
		l.read(now, field, text)
	}
}

// read reads "from what hold hint"; the last two are moments of the server's
// clock. A replica's own news is no news.
func (l *Ledger) read(now int64, field, text string) {
	parts := strings.Split(text, " ")
	if len(parts) != 4 || parts[0] == l.owner {
		return
	}
	hold, errHold := strconv.ParseInt(parts[2], 10, 64)
	hint, errHint := strconv.ParseInt(parts[3], 10, 64)
	notice := interceptors.Notice{
		Hold: time.Duration(hold-now) * time.Microsecond, Hint: time.Duration(hint-now) * time.Microsecond,
	}
	for kind, letter := range kinds {
		if letter == parts[1] {
			notice.Kind = kind
		}
	}
	if notice.Upstream, notice.Tool, _ = strings.Cut(field, "\x00"); errHold != nil || errHint != nil || notice.Kind == 0 {
		return
	}
	if notice.Kind == interceptors.NoticeClosed || notice.Hold > 0 || notice.Hint > 0 {
		l.board.tell(notice)
	}
}

// readBoard tells what stands.
func (l *Ledger) readBoard() error {
	message, err := l.ask(l.ctx, l.scripts.state, []string{l.boardKey()}, []string{"0"})
	if err != nil {
		return err
	}
	parts, err := message.ToArray()
	if err != nil || len(parts) != 3 {
		return fmt.Errorf("%w: a board of %d parts", errReply, len(parts))
	}
	now, err := parts[0].AsInt64()
	if err != nil {
		return err
	}
	fields, err := parts[1].AsStrSlice()
	for i := 0; i+1 < len(fields); i += 2 {
		l.read(now, fields[i], fields[i+1])
	}
	return err
}
