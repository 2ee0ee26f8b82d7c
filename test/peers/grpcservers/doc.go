// Package grpcservers puts a whole gateway before gRPC servers that nobody here
// wrote: OpenFGA, which tells what its services are, and etcd, whose descriptors are
// in a file.
package grpcservers
