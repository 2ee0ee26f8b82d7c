// Package web is the door for browsers and for whoever has a client generated
// from the protos but no gRPC: the service of the contract in the Connect,
// gRPC-Web and gRPC protocols, over HTTP/1.1 and HTTP/2.
//
// Messages are protobuf or ProtoJSON; a tool's failure is in the response, a
// status is the runtime's or the gateway's fault, just as over gRPC. Messages of
// more than 32 MiB are refused with RESOURCE_EXHAUSTED. A caller's timeout
// (Connect-Timeout-Ms, Grpc-Timeout) is the call's deadline.
package web
