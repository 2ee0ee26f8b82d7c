// Package runner plays the vectors of a folder through the executors of the SDKs
// and compares what each of them makes of a call.
//
// Every vector has a stage of its own: a back end that does what the vector says
// and a gateway that was built and started as an operator would (or, for clients
// that meet a gateway of another version, one that answers from the vector). An
// executor is a program around one SDK, see proto/toolgate/conformance/v1.
package runner
