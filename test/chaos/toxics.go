package chaos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// toxics drives a toxiproxy server.
type toxics struct {
	process
	api string
}

func startToxics(program, log string) (*toxics, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	host, port := hostPort(address)
	t := &toxics{api: "http://" + address, process: process{
		name: "toxiproxy", log: log, args: []string{program, "-host", host, "-port", port}, env: []string{"LOG_LEVEL=error"},
	}}
	if err := t.start(); err != nil {
		return nil, err
	}
	return t, awaiting("toxiproxy", func() error { return t.do(http.MethodGet, "/version", nil) })
}

// proxy puts a proxy before an address and returns the proxy's own.
func (t *toxics) proxy(name, upstream string) (string, error) {
	address, err := freeAddress()
	if err != nil {
		return "", err
	}
	return address, t.do(http.MethodPost, "/proxies", map[string]any{
		"name": name, "listen": address, "upstream": upstream, "enabled": true,
	})
}

// set changes a proxy; its connections are cut.
func (t *toxics) set(name string, change map[string]any) error {
	return t.do(http.MethodPost, "/proxies/"+name, change)
}

// add has a share of a proxy's connections suffer, in the direction of stream.
func (t *toxics) add(name, kind, stream string, share float64, attributes map[string]any) error {
	return t.do(http.MethodPost, "/proxies/"+name+"/toxics", map[string]any{
		"name": kind, "type": kind, "stream": stream, "toxicity": share, "attributes": attributes,
	})
}

// remove heals a proxy of one toxic.
func (t *toxics) remove(name, kind string) error {
	return t.do(http.MethodDelete, "/proxies/"+name+"/toxics/"+kind, nil)
}

func (t *toxics) do(method, path string, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return request(method, t.api+path, text)
}

// request sends one request on a connection of its own.
func request(method, url string, body []byte) error {
	client := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := http.NewRequest(method, url, bytes.NewReader(body)) //nolint:noctx // the client's timeout bounds it
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(response.Body, 4<<10))
	if response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: %s %s", method, url, response.Status, text)
	}
	return nil
}
