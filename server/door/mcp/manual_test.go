package mcp_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"toolgate.dev/toolgate/server/door/mcp"
)

func TestTheManualNamesEveryKeyAndNoOther(t *testing.T) {
	page, err := os.ReadFile("../../../docs/mcp-door.md")
	if err != nil {
		t.Fatal(err)
	}
	keys := []string{
		mcp.MetaRunID, mcp.MetaCallID, mcp.MetaWantAlternatives, mcp.MetaFresh, mcp.MetaStructured,
		mcp.MetaError, mcp.MetaResult, mcp.MetaCatalogVersion,
	}
	known := map[string]bool{}
	for _, key := range keys {
		known[key] = true
		if !strings.Contains(string(page), "`"+key+"`") {
			t.Errorf("the manual is silent about %s", key)
		}
	}
	for _, key := range regexp.MustCompile(`dev\.toolgate/\w+`).FindAllString(string(page), -1) {
		if !known[key] {
			t.Errorf("the manual knows a key %s", key)
		}
	}
	if !strings.Contains(string(page), "`"+mcp.HeaderRunID+"`") {
		t.Errorf("the manual is silent about %s", mcp.HeaderRunID)
	}
}
