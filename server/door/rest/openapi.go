package rest

import (
	_ "embed"
	"net/http"
)

// document is the door in OpenAPI 3.1.
//
//go:embed openapi.json
var document []byte

// describe answers GET /openapi.json.
func describe(w http.ResponseWriter, _ *http.Request, _ string) error {
	w.Header().Set("Cache-Control", "public, max-age=3600")
	writeJSON(w, http.StatusOK, document)
	return nil
}
