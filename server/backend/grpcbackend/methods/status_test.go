package methods

import (
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/anypb"
)

func TestAStatusIsWrittenWithDetailsOfGoogleAndOfTheService(t *testing.T) {
	m := shop(t, "Upload")
	own, err := m.Encode([]byte(`{"items":[{"sku":"a","quantity":2}]}`), "", "")
	if err != nil {
		t.Fatal(err)
	}
	rpc, err := anypb.New(&errdetails.ErrorInfo{Reason: "SOLD_OUT", Metadata: map[string]string{"sku": "a"}})
	if err != nil {
		t.Fatal(err)
	}
	text := m.Failure(&statuspb.Status{Code: 9, Message: "no", Details: []*anypb.Any{
		rpc, {TypeUrl: "type.googleapis.com/shop.v1.Order", Value: own}, {TypeUrl: "x.example.com/no.Such", Value: []byte{1}},
	}})
	const want = `{"code":9,"status":"FAILED_PRECONDITION","message":"no","details":[` +
		`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SOLD_OUT","metadata":{"sku":"a"}},` +
		`{"@type":"type.googleapis.com/shop.v1.Order","id":"","items":[{"sku":"a","quantity":2}],"labels":{},"status":"STATUS_UNSPECIFIED"},` +
		`{"@type":"x.example.com/no.Such","value":"AQ=="}]}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

func TestCodesHaveTheNamesOfGoogle(t *testing.T) {
	for code, want := range map[codes.Code]string{
		codes.OK: "OK", codes.Canceled: "CANCELLED", codes.InvalidArgument: "INVALID_ARGUMENT", codes.OutOfRange: "OUT_OF_RANGE",
		codes.DataLoss: "DATA_LOSS", codes.Unauthenticated: "UNAUTHENTICATED", 2042: "UNKNOWN",
	} {
		if got := codeName(code); got != want {
			t.Errorf("%d is %s, want %s", code, got, want)
		}
	}
}
