package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	accessv1 "toolgate.dev/toolgate/gen/go/toolgate/access/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/authenticate"
	"toolgate.dev/toolgate/internal/access"
	"toolgate.dev/toolgate/server/catalog"
)

// Access is who may call what: an access file, as it stands. Open it with OpenAccess
// or ParseAccess and give it to one server, as Config.Access. It is safe for
// concurrent use, but for Reload and Changed, which belong to one goroutine at a time.
type Access struct {
	file    *followedFile
	remote  *access.Remote
	policy  atomic.Pointer[access.Policy]
	quotas  access.Quotas
	metrics *accessMetrics
	log     atomic.Pointer[slog.Logger]
	quiet   sparse
}

// OpenAccess reads an access file. The error is a catalog.Problems where the file
// could be read, and wraps fs.ErrNotExist where there is none.
func OpenAccess(path string) (*Access, error) {
	a := newAccess()
	a.file = &followedFile{path: path}
	text, err := a.file.read()
	if err != nil {
		return nil, fmt.Errorf("read the access file: %w", err)
	}
	if err := a.load(path, text); err != nil {
		return nil, err
	}
	return a, nil
}

// ParseAccess reads an access file's text. name stands in the places of problems, and
// its folder is where files that it names are looked for. It follows nothing.
func ParseAccess(name string, text []byte) (*Access, error) {
	a := newAccess()
	a.file = &followedFile{path: name}
	if err := a.load(name, text); err != nil {
		return nil, err
	}
	return a, nil
}

func newAccess() *Access {
	a := &Access{metrics: newAccessMetrics()}
	a.log.Store(slog.New(slog.DiscardHandler))
	a.remote = access.NewRemote(issuersClient(), a.tellIssuer)
	return a
}

// load compiles a text and, where nothing is wrong with it, has it count from now on.
func (a *Access) load(name string, text []byte) error {
	written := &accessv1.Access{}
	form := catalog.ReadForm(name, text, written)
	policy, faults := access.Compile(written, access.Options{ReadFile: a.file.beside, Remote: a.remote})
	unread := form.Err() != nil
	for _, fault := range faults {
		if unread && len(fault.Steps) == 0 {
			continue // what it misses may be what could not be read
		}
		form.Say(catalog.Problem{Message: fault.Message, Accepted: fault.Accepted}, fault.Steps...)
	}
	if err := form.Err(); err != nil {
		return err
	}
	if policy == nil { // what is wrong stands where nothing could be read
		return errors.New("the access file can't be read")
	}
	a.policy.Store(policy)
	return nil
}

// Reload reads the file again. With an error nothing has changed. A text that is in no
// file stays as it is.
func (a *Access) Reload() error {
	if a.file.loaded == nil {
		return nil
	}
	text, err := a.file.read()
	if err == nil {
		err = a.load(a.file.path, text)
	}
	a.metrics.reloaded(err)
	return err
}

// Changed reports whether the file, or one that it names, holds something else than
// at the latest reading, and has kept it since the previous question.
func (a *Access) Changed() bool { return a.file.changed() }

// Policy is what counts now.
func (a *Access) Policy() *access.Policy { return a.policy.Load() }

// into has a config ask here.
func (a *Access) into(config Config) (Config, error) {
	if a == nil {
		return config, nil
	}
	if config.Identity != nil || config.Permitted != nil {
		return config, errors.New("server: Config.Access stands beside Identity or Permitted: one of them decides")
	}
	a.log.Store(config.Logger)
	config.Identity, config.Permitted = a.identify, a.permitted
	return config, nil
}

// identify is authenticate's.
func (a *Access) identify(ctx context.Context) (string, error) {
	caller, err := a.known(ctx)
	if err == nil {
		a.metrics.judged(caller.By, nil)
	}
	return caller.Principal, err
}

// atDoor is a door's, which asks before there is an rpc. Whoever passes is counted
// by the room.
func (a *Access) atDoor(ctx context.Context) (string, error) {
	caller, err := a.known(ctx)
	return caller.Principal, err
}

// known tells who calls. A refusal is counted and logged; its error is the status.
func (a *Access) known(ctx context.Context) (access.Caller, error) {
	shown := authenticate.Presented(ctx)
	caller, refusal := a.judge(ctx, shown)
	if refusal == nil {
		return caller, nil
	}
	a.metrics.judged(caller.By, refusal)
	a.tell(ctx, shown, caller, refusal)
	return access.Caller{}, statusOf(refusal)
}

func (a *Access) judge(ctx context.Context, shown authenticate.Credential) (access.Caller, *access.Refusal) {
	if shown.Twice {
		return access.Caller{By: "none"}, &access.Refusal{Reason: access.Invalid, Detail: "shown_twice"}
	}
	return a.Policy().Identify(ctx, access.Credential{Key: shown.Key, Bearer: shown.Bearer, Certificate: shown.Certificate})
}

// statusOf tells a caller as much as it needs to mend the credential, and no more:
// whether a key exists, and what is wrong with a token, stands in the log.
func statusOf(refusal *access.Refusal) error {
	switch refusal.Reason {
	case access.Missing:
		return interceptors.StatusUnauthenticated(interceptors.ReasonCredentialMissing,
			"a credential is required: x-api-key, authorization: Bearer, or a client certificate")
	case access.Expired:
		return interceptors.StatusUnauthenticated(interceptors.ReasonCredentialExpired, "the credential has expired")
	case access.Unavailable:
		return interceptors.StatusIdentityUnavailable(refusal.Retry)
	case access.NoRights:
		return interceptors.StatusForbidden(interceptors.ReasonNoRights, "the caller is known, and nothing is allowed to it")
	}
	return interceptors.StatusUnauthenticated(interceptors.ReasonCredentialInvalid, "the credential is not accepted")
}

// permitted is everybody's who names a tool.
func (a *Access) permitted(principal, tool string) bool {
	return a.Policy().Rights(principal).Permits(tool)
}

// quota is admit's.
func (a *Access) quota(ctx context.Context, n int64) (leave func(), err error) {
	principal := interceptors.PrincipalFrom(ctx)
	leave, over, wait := a.quotas.Enter(principal, a.Policy().Rights(principal).Limits(), n)
	switch over {
	case access.OverRate:
		a.metrics.over.WithLabelValues("rate").Inc()
		return nil, interceptors.StatusCallerOver(interceptors.ReasonCallerRate, "the caller asks for more per second than it may", wait)
	case access.OverInFlight:
		a.metrics.over.WithLabelValues("in_flight").Inc()
		return nil, interceptors.StatusCallerOver(interceptors.ReasonCallerInFlight, "the caller has as many requests in flight as it may", wait)
	}
	return leave, nil
}
