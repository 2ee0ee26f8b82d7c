package once

import (
	"google.golang.org/grpc"

	"toolgate.dev/toolgate/interceptors"
)

// Interceptor returns the room as a gRPC interceptor.
func (r *Room) Interceptor() grpc.UnaryServerInterceptor {
	return interceptors.Interceptor(r.handle)
}
