package server

import "google.golang.org/grpc"

// room is one room of a chain: its name, and why it stands where it stands.
type room struct {
	name        string
	why         string // why it stands behind the one before
	interceptor grpc.UnaryServerInterceptor
}

// rpcRoom is one room of every rpc, with its stream twin.
type rpcRoom struct {
	name   string
	why    string
	unary  grpc.UnaryServerInterceptor
	stream grpc.StreamServerInterceptor
}

// rpcOrder is the order of the rooms that every rpc passes, outermost first.
func rpcOrder(r *rooms) []rpcRoom {
	return []rpcRoom{
		{"recovery", "outermost: nothing ends the process", r.recovery.Unary(), r.recovery.Stream()},
		{"observe", "counts what recovery made of a panic, and callers that are refused", r.observe.Unary(), r.observe.Stream()},
		{"authenticate", "a stranger is counted, and takes no place", r.authenticate.Unary(), r.authenticate.Stream()},
		{"admit", "a place is given to a known caller only", r.admit.Unary(), r.admit.Stream()},
	}
}

// callOrder is the order of the rooms that every tool call passes, outermost
// first. Every door sends its calls through it.
func callOrder(r *rooms) []room {
	return []room{
		{"seal", "outermost: a panic fails its own call alone", r.seal.Interceptor()},
		{"compact", "whatever the rooms inside answer is bounded, redacted, rendered", r.compact.Interceptor()},
		{"resolve", "pins the tool that every room inside counts and decides by", r.resolve.Interceptor()},
		{"once", "a resend must neither count nor queue a second time", r.once.Interceptor()},
		{"rejectioncap", "sees every rejection, whoever finds it: limits, arguments, repeat, provider", r.rejectioncap.Interceptor()},
		{"limits", "a capped call must not wait for a place", r.limits.Interceptor()},
		{"arguments", "parsing costs: only calls that have their place are parsed", r.arguments.Interceptor()},
		{"repeat", "identity is that of the coerced arguments", r.repeat.Interceptor()},
		{"alternatives", "what is answered from memory carries the alternatives found before", r.alternatives.Interceptor()},
		{"retry", "alternatives are looked up once, for the last word", r.retry.Interceptor()},
		{"breaker", "judges every attempt, not the call", r.breaker.Interceptor()},
	}
}

// lookupOrder is the order of the rooms for an alternatives lookup: one attempt,
// nothing remembered, nothing counted.
func lookupOrder(r *rooms) []room {
	return []room{
		{"arguments", "an expression may produce what the schema refuses", r.arguments.Interceptor()},
		{"breaker", "a lookup that fails counts like any other attempt", r.breaker.Interceptor()},
	}
}

func interceptorsOf(order []room) []grpc.UnaryServerInterceptor {
	all := make([]grpc.UnaryServerInterceptor, len(order))
	for i, room := range order {
		all[i] = room.interceptor
	}
	return all
}
