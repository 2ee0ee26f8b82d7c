package rest

import (
	"net/http"
	"slices"
	"strings"

	"toolgate.dev/toolgate/server/door"
)

// Door serves the paths of the JSON door. It is safe for concurrent use.
type Door struct {
	house  door.House
	routes []route
}

// New makes the door of a house.
func New(house door.House) *Door {
	d := &Door{house: house}
	d.routes = []route{
		newRoute(http.MethodGet, "/v1/tools", d.listTools),
		newRoute(http.MethodPost, "/v1/tools/{tool}:call", d.callTool),
		newRoute(http.MethodPost, "/v1/tools:callBatch", d.callTools),
		newRoute(http.MethodGet, "/v1/runs/{run}", d.getRun),
		newRoute(http.MethodDelete, "/v1/runs/{run}", d.endRun),
		newRoute(http.MethodPost, "/v1/runs/{run}:end", d.endRun),
		newRoute(http.MethodGet, "/v1/report", d.report),
		newRoute(http.MethodGet, "/openapi.json", describe),
	}
	return d
}

// ServeHTTP implements http.Handler. What there is no path for is a problem, too.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, route := range d.routes {
		name, ok := route.match(r.URL.EscapedPath())
		if !ok {
			continue
		}
		allowed = append(allowed, route.method)
		if route.method == r.Method || (route.method == http.MethodGet && r.Method == http.MethodHead) {
			r.Pattern = route.path // what a trace calls it
			answer(w, route.handle(w, r, name))
			return
		}
	}
	if len(allowed) == 0 {
		noSuchPath(r).Write(w)
		return
	}
	if slices.Contains(allowed, http.MethodGet) {
		allowed = append(allowed, http.MethodHead)
	}
	allowed = append(allowed, http.MethodOptions)
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	door.Problem{
		Status: http.StatusMethodNotAllowed, Reason: "METHOD_NOT_ALLOWED", Detail: r.URL.EscapedPath() + " does not take this method", Accepted: allowed,
	}.Write(w)
}

// answer writes what kept a handler from answering.
func answer(w http.ResponseWriter, err error) {
	if err != nil {
		door.ProblemOf(err).Write(w)
	}
}

const maxPathEcho = 200 // bytes of a path that is shown again

func noSuchPath(r *http.Request) door.Problem {
	path := r.URL.EscapedPath()
	problem := door.Problem{Status: http.StatusNotFound, Reason: "NO_SUCH_PATH", Detail: "there is no " + path[:min(len(path), maxPathEcho)]}
	switch {
	case strings.HasPrefix(path, "/v1/tools/"):
		problem.Accepted = []string{"/v1/tools/{tool}:call"}
	case strings.HasPrefix(path, "/v1/"):
		problem.Accepted = []string{"/v1/tools", "/v1/tools/{tool}:call", "/v1/tools:callBatch", "/v1/runs/{run}", "/v1/runs/{run}:end", "/v1/report"}
	default:
		problem.Detail += "; /openapi.json says what there is"
	}
	return problem
}
