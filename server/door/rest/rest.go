package rest

import (
	"net/http"

	"toolgate.dev/toolgate/server/door"
)

// Door serves the paths of the JSON door. It is safe for concurrent use.
type Door struct{ house door.House }

// New makes the door of a house.
func New(house door.House) *Door { return &Door{house: house} }

// ServeHTTP implements http.Handler.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	door.Problem{Status: http.StatusNotFound, Reason: "NO_SUCH_PATH", Detail: "there is no " + r.URL.EscapedPath()}.Write(w)
}
