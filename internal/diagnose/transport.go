package diagnose

import (
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// transportEntry is what a failure below the protocol means.
type transportEntry struct {
	class   toolgatev1.ErrorClass
	code    string
	message string
	unsent  bool // nothing can have been executed
	health  interceptors.Health
}

// transportTable is the default of each kind. The cause's own text stays
// inside: it names hosts and addresses.
var transportTable = map[interceptors.TransportFailure]transportEntry{
	interceptors.FailureRefused: {transient, interceptors.CodeUnreachable, "connection refused: the tool's server does not accept connections right now",
		true, interceptors.HealthUpstreamDown},
	interceptors.FailureDNSTemporary: {transient, interceptors.CodeUnreachable, "the tool's host name could not be resolved right now",
		true, interceptors.HealthUpstreamDown},
	interceptors.FailureDNSNotFound: {terminal, interceptors.CodeUnreachable, "the tool's host name does not exist",
		true, interceptors.HealthNeutral},
	interceptors.FailureTLSHandshake: {transient, interceptors.CodeUnreachable, "the secure connection to the tool could not be set up",
		true, interceptors.HealthUpstreamDown},
	interceptors.FailureTLSCertificate: {terminal, interceptors.CodeUnreachable, "the tool's certificate was rejected",
		true, interceptors.HealthNeutral},
	interceptors.FailureReset: {transient, interceptors.CodeUnreachable, "connection reset: the tool's server closed the connection before it answered",
		false, interceptors.HealthToolDown},
	interceptors.FailureTimeout: {transient, interceptors.CodeTimeout, "the tool did not answer in time",
		false, interceptors.HealthToolDown},
	interceptors.FailureBodyCut: {transient, interceptors.CodeUnreachable, "the tool's answer ended early",
		false, interceptors.HealthToolDown},
	interceptors.FailureCancelled: {transient, interceptors.CodeTimeout, "the call ended before the tool answered",
		false, interceptors.HealthNeutral},
	interceptors.FailureRequest: {terminal, interceptors.CodeInternal, "the request to the tool could not be made",
		true, interceptors.HealthNeutral},
	interceptors.FailureOther: {transient, interceptors.CodeUnreachable, "the connection to the tool failed",
		false, interceptors.HealthNeutral},
}

// brokenTransport diagnoses a failure below the protocol.
func (d *diagnosis) brokenTransport() (*toolgatev1.ToolError, interceptors.Verdict) {
	r := d.in.Reply
	entry, ok := transportTable[r.Failure]
	if !ok {
		entry = transportTable[interceptors.FailureOther]
	}
	e := &toolgatev1.ToolError{
		ErrorClass: entry.class, Code: entry.code, Message: entry.message,
		ClassifiedBy: toolgatev1.ClassifiedBy_CLASSIFIED_BY_TRANSPORT,
	}
	verdict := interceptors.Verdict{
		Executed: interceptors.ExecutedNo, Health: entry.health, TimedOut: r.Failure == interceptors.FailureTimeout,
	}
	if !entry.unsent && r.Sent {
		verdict.Executed = interceptors.ExecutedMaybe
	}
	d.in.Trail.add("transport", entry.message, true)
	d.secure(e, &verdict)
	return e, verdict
}
