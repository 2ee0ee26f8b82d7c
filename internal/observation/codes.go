package observation

import (
	"net/http"

	"google.golang.org/grpc/codes"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// setCodes fills http_status and grpc_code. A status that fits the class is
// kept: whoever set it knew more than the status that came.
func setCodes(e *toolgatev1.ToolError) {
	switch e.GetErrorClass() {
	case interceptors.Transient:
		set(e, e.GetHttpStatus() == http.StatusTooManyRequests || (e.GetHttpStatus() == 0 && limited(e)),
			pair{http.StatusTooManyRequests, codes.ResourceExhausted}, pair{http.StatusServiceUnavailable, codes.Unavailable})
	case interceptors.InvalidRequest:
		e.HttpStatus, e.GrpcCode = http.StatusBadRequest, uint32(codes.InvalidArgument)
	default:
		set(e, e.GetHttpStatus() == http.StatusForbidden || (e.GetHttpStatus() == 0 && forbidden(e)),
			pair{http.StatusForbidden, codes.PermissionDenied}, pair{http.StatusUnprocessableEntity, codes.FailedPrecondition})
	}
}

type pair struct {
	http int
	grpc codes.Code
}

func set(e *toolgatev1.ToolError, special bool, yes, no pair) {
	chosen := no
	if special {
		chosen = yes
	}
	e.HttpStatus, e.GrpcCode = uint32(chosen.http), uint32(chosen.grpc)
}

// limited reports a wait for a rate or a place rather than for an outage.
func limited(e *toolgatev1.ToolError) bool {
	switch e.GetUpstreamStatus() {
	case http.StatusTooManyRequests, uint32(codes.ResourceExhausted):
		return true
	}
	switch e.GetCode() {
	case interceptors.CodeBusy, interceptors.CodeCoolingDown:
		return true
	}
	return false
}

func forbidden(e *toolgatev1.ToolError) bool {
	switch e.GetUpstreamStatus() {
	case http.StatusUnauthorized, http.StatusForbidden, uint32(codes.PermissionDenied), uint32(codes.Unauthenticated):
		return true
	}
	return false
}
