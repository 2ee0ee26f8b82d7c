package rest

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/door"
)

// listTools answers GET /v1/tools. The list is the caller's own.
func (d *Door) listTools(w http.ResponseWriter, r *http.Request, _ string) error {
	if err := checkQuery(r); err != nil {
		return err
	}
	resp, err := d.house.ListTools(door.Caller(r), &toolgatev1.ListToolsRequest{})
	if err != nil {
		return err
	}
	text := toolsText(resp)
	sum := sha256.Sum256(text)
	tag := `"` + hex.EncodeToString(sum[:tagBytes]) + `"`
	header := w.Header()
	header.Set("ETag", tag)
	header.Set("Cache-Control", "private, no-cache") // kept, and asked about each time
	header.Add("Vary", "Authorization, X-Api-Key")
	if matches(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	writeJSON(w, http.StatusOK, text)
	return nil
}

const tagBytes = 8

func matches(headers []string, tag string) bool {
	for _, header := range headers {
		for one := range strings.SplitSeq(header, ",") {
			if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == tag {
				return true
			}
		}
	}
	return false
}

func toolsText(resp *toolgatev1.ListToolsResponse) []byte {
	w := writer{text: []byte{'{'}}
	w.string("catalog_version", resp.GetCatalogVersion())
	w.string("contract", resp.GetContract())
	w.key("tools")
	tools := resp.GetTools()
	w.list(len(tools), func(i int) {
		w.open()
		w.string("name", tools[i].GetName())
		w.always("description", tools[i].GetDescription())
		w.string("effect", strings.ToLower(strings.TrimPrefix(tools[i].GetEffect().String(), "EFFECT_")))
		w.compact("input_schema", tools[i].GetInputSchemaJson())
		w.close()
	})
	return w.end()
}
