package grpcbackend

import (
	"errors"

	"google.golang.org/grpc/mem"
)

// frame is one encoded message.
type frame struct{ text []byte }

// frames passes messages on as they are encoded.
type frames struct{}

var errNoFrame = errors.New("this is no frame")

// Marshal implements encoding.CodecV2.
func (frames) Marshal(v any) (mem.BufferSlice, error) {
	f, ok := v.(*frame)
	if !ok {
		return nil, errNoFrame
	}
	return mem.BufferSlice{mem.SliceBuffer(f.text)}, nil
}

// Unmarshal implements encoding.CodecV2.
func (frames) Unmarshal(data mem.BufferSlice, v any) error {
	f, ok := v.(*frame)
	if !ok {
		return errNoFrame
	}
	f.text = data.Materialize()
	return nil
}

// Name implements encoding.CodecV2: what is sent is protobuf.
func (frames) Name() string { return "proto" }
