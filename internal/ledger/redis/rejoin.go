package redis

import (
	"context"
	"slices"
	"time"

	"github.com/redis/rueidis"

	"toolgate.dev/toolgate/interceptors"
)

// toldAgain marks for the scripts what the server knew once.
const toldAgain = "again"

// rejoin tells the server what it must know before anybody asks it again, and
// begins the next term.
func (l *Ledger) rejoin() error {
	l.link.mu.Lock()
	since := l.link.since.Add(-l.tail)
	l.link.mu.Unlock()
	kept, err := l.recognised()
	if err != nil {
		return err
	}
	if !kept {
		since = time.Time{} // it began anew: it lost everything
	}
	for {
		if err := l.tell(since); err != nil {
			return err
		}
		if l.begin() {
			_ = l.sign() // it is signed again and again
			return nil
		}
		since = time.Now() // more came meanwhile
	}
}

// begin begins the next term, unless there is something to tell first.
func (l *Ledger) begin() bool {
	l.link.mu.Lock()
	defer l.link.mu.Unlock()
	if l.journal.untold() > 0 {
		return false
	}
	l.link.term.Add(1)
	l.link.since, l.link.cause, l.link.suspect = time.Now(), nil, ""
	return true
}

func (l *Ledger) signature() string { return l.prefix + marksTag + ":here:" + l.owner }

// Replicas is how many replicas share the server, this one included: those that
// were heard of within three renewals of a lease. While the server is away it is
// what was known last; at least 1.
func (l *Ledger) Replicas() int { return int(max(l.fleet.Load(), 1)) }

// count tells the server that this replica is here.
func (l *Ledger) count() {
	n, err := l.number(l.ctx, l.scripts.here, []string{l.prefix + marksTag + ":replicas"}, []string{l.owner, millis(l.lease + time.Second)})
	if err == nil {
		l.fleet.Store(n)
	}
}

// sign leaves a sign by which the server's memory is recognised.
func (l *Ledger) sign() error {
	l.count()
	client := l.link.client.Load()
	if client == nil {
		return errAway
	}
	return l.scripts.probe.Exec(l.ctx, *client, []string{l.signature()}, []string{millis(idle)}).Error()
}

// recognised reports that the server has the sign of this replica still.
func (l *Ledger) recognised() (bool, error) {
	client := l.link.client.Load()
	if client == nil {
		return false, errAway
	}
	ctx, cancel := context.WithTimeout(l.ctx, restoreWait)
	defer cancel()
	n, err := (*client).Do(ctx, (*client).B().Exists().Key(l.signature()).Build()).AsInt64()
	return n == 1, err
}

// tell tells the server what it was never told, what it was told since then, and
// which calls run here.
func (l *Ledger) tell(since time.Time) error {
	marks, ends := l.journal.toTell(since)
	for _, m := range marks {
		if err := l.tellMark(m); err != nil {
			return err
		}
		l.journal.toldMark(m)
	}
	if err := l.tellEnds(ends); err != nil {
		return err
	}
	return l.tellRunning()
}

func (l *Ledger) tellMark(m *mark) error {
	ctx, cancel := context.WithTimeout(l.ctx, restoreWait)
	defer cancel()
	script, args := l.scripts.remember, m.memory
	if m.memory == nil {
		script, args = l.scripts.keepKey, []string{millis(idle), string(m.key[:]), m.idempotencyKey}
	}
	if l.journal.again(&m.news) {
		args = append(slices.Clip(args), toldAgain)
	}
	client := l.link.client.Load()
	if client == nil {
		return errAway
	}
	names := l.namesOf(m.run)
	return script.Exec(ctx, *client, names.keys, args).Error()
}

func (l *Ledger) tellEnds(ends []*ending) error {
	for from := 0; from < len(ends); from += restoreBatch {
		batch := ends[from:min(from+restoreBatch, len(ends))]
		var told []*ending
		var multi []rueidis.LuaExec
		for _, end := range batch {
			if became, content, ok := l.outcomeOf(end); ok {
				told = append(told, end)
				restoring := l.restoring(&end.held, end.key, became, content)
				if l.journal.again(&end.news) {
					restoring.Args = append(restoring.Args, toldAgain)
				}
				multi = append(multi, restoring)
			} else {
				l.journal.told(end, true) // nobody has it any more
			}
		}
		if err := l.restore(multi); err != nil {
			return err
		}
		for _, end := range told {
			l.journal.told(end, true)
		}
	}
	return nil
}

// outcomeOf finds the content of an end with the local keeper.
func (l *Ledger) outcomeOf(end *ending) (became, content string, ok bool) {
	claim, err := l.local.Claim(l.ctx, end.run, end.callID, end.same, false)
	if err != nil {
		return "", "", false
	}
	switch claim.State {
	case interceptors.ClaimTaken: // it was forgotten, and is not claimed by this question
		_ = l.local.ReleaseClaim(l.ctx, end.run, end.callID)
		return "", "", false
	case interceptors.ClaimSettled:
		became, content, err = encodeOutcome(claim.Response)
		return became, content, err == nil
	case interceptors.ClaimTooLarge:
		return claimTooLarge, "", true
	case interceptors.ClaimLost:
		return claimLost, "", true
	default:
		return "", "", false // it runs again, or the id is another call's by now
	}
}

func (l *Ledger) restoring(h *held, key, became, content string) rueidis.LuaExec {
	names := l.namesOf(h.run)
	return rueidis.LuaExec{
		Keys: names.and(key),
		Args: []string{millis(idle), string(h.same[:]), h.token, became, content, millis(claimKept), millis(l.lease)},
	}
}

func (l *Ledger) restore(multi []rueidis.LuaExec) error { return l.execute(l.scripts.restore, multi) }

func (l *Ledger) execute(script *rueidis.Lua, multi []rueidis.LuaExec) error {
	client := l.link.client.Load()
	if len(multi) == 0 || client == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(l.ctx, restoreWait)
	defer cancel()
	for _, result := range script.ExecMulti(ctx, *client, multi...) {
		if err := result.Error(); err != nil {
			return err
		}
	}
	return nil
}

// tellRunning claims the ids of the calls that began while the server was away.
func (l *Ledger) tellRunning() error {
	var multi []rueidis.LuaExec
	here := l.running.where(func(*held) bool { return true })
	for key, h := range here {
		multi = append(multi, l.restoring(&h, key, claimRunning, ""))
	}
	for from := 0; from < len(multi); from += restoreBatch {
		if err := l.restore(multi[from:min(from+restoreBatch, len(multi))]); err != nil {
			return err
		}
	}
	l.running.known(here)
	return nil
}

// known notes that the server knows of these.
func (r *running) known(told map[string]held) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, was := range told {
		if h := r.all[key]; h != nil && h.token == was.token {
			h.known = true
		}
	}
}

// where returns copies of those that pass.
func (r *running) where(pass func(*held) bool) map[string]held {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := map[string]held{}
	for key, h := range r.all {
		if pass(h) {
			found[key] = *h
		}
	}
	return found
}

const leaseShare = 3 // a lease is renewed so often in its time

// renewing keeps the ids of the calls that run here, the sign of this replica,
// and tells what could not be told at its time.
func (l *Ledger) renewing() {
	ticker := time.NewTicker(l.lease / leaseShare)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-l.ctx.Done():
			return
		}
		l.renew(time.Now().Add(-l.lease / leaseShare))
	}
}

// renew does it once, for the calls that began before then: most end sooner than
// their lease.
func (l *Ledger) renew(before time.Time) {
	if !l.Connected() {
		return
	}
	_ = l.sign()
	var multi []rueidis.LuaExec
	for key, h := range l.running.where(func(h *held) bool { return h.known && h.since.Before(before) }) {
		multi = append(multi, rueidis.LuaExec{Keys: []string{key}, Args: []string{h.token, millis(l.lease), millis(claimKept)}})
	}
	for from := 0; from < len(multi); from += restoreBatch {
		_ = l.execute(l.scripts.renew, multi[from:min(from+restoreBatch, len(multi))])
	}
	if l.journal.untold() > 0 {
		_ = l.tell(time.Now())
	}
}
