package methods

import (
	_ "embed"
	"testing"
)

//go:embed testdata/shop.binpb
var shopSet []byte

func shop(t testing.TB, method string) *Method {
	t.Helper()
	services, err := Parse(shopSet)
	if err != nil {
		t.Fatal(err)
	}
	found, ok := services.Find("shop.v1.ShopService/" + method)
	if !ok {
		t.Fatalf("no method %s among %v", method, services.Names())
	}
	return found
}
