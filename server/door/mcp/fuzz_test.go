package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolgate.dev/toolgate/internal/rawjson"
)

// Whatever a client says, a message that is let through is one that the SDK reads,
// and arguments come out as they went in.
func FuzzTame(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":1.10}}}`)
	f.Add(`{"params":{"arguments":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}}`)
	f.Add(`{"params":{"arguments":` + strings.Repeat(`{"a":"]`, 1000))
	f.Add(`{"params":` + strings.Repeat("[", 2000) + `{"arguments":{}}`)
	f.Add(`{"params":{"arguments":{},"arguments":` + strings.Repeat("[", 1500) + strings.Repeat("]", 1500) + `}}`)
	d := &Door{seal: "SEAL"}
	f.Fuzz(func(t *testing.T, message string) {
		tamed, err := d.tame([]byte(message))
		if err != nil {
			return
		}
		if !json.Valid(tamed) || nestsDeeper(tamed, maxNesting) {
			t.Fatalf("let through: %q", tamed)
		}
		before, _ := rawjson.Find([]byte(message), "/params/arguments")
		after, _ := rawjson.Find(tamed, "/params/arguments")
		if got := d.argumentsOf(after); got != string(before) && got != string([]rune(string(before))) && !strings.Contains(message, "SEAL") {
			t.Errorf("arguments %q became %q", before, got)
		}
	})
}

// _meta is a stranger's: what is let through is bounded, and nothing panics.
func FuzzMeta(f *testing.F) {
	f.Add(`{"dev.toolgate/run_id":"r","dev.toolgate/call_id":"c","dev.toolgate/fresh":true}`)
	f.Add(`{"dev.toolgate/run_id":1}`)
	f.Add(`{"dev.toolgate/structured":null,"progressToken":{}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var meta sdk.Meta
		if json.Unmarshal([]byte(text), &meta) != nil {
			return
		}
		got, err := wishesOf(meta)
		if err == nil && (len(got.run) > maxIDBytes || len(got.call) > maxIDBytes) {
			t.Errorf("let through: %+v", got)
		}
		if run, there := meta[MetaRunID]; err == nil && there && run != nil && got.run != run {
			t.Errorf("the run %v became %q", run, got.run)
		}
	})
}

// A pipe ends, whatever comes through it, and what it hands on is messages.
func FuzzPipe(f *testing.F) {
	f.Add("{}\n\n[1]\nx\n")
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	f.Fuzz(func(t *testing.T, text string) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // nobody is owed anything
		var refused bytes.Buffer
		p := &pipe{in: bufio.NewReaderSize(strings.NewReader(text), 16), out: &refused, tame: (&Door{seal: "SEAL"}).tame, ctx: ctx}
		read, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(append(read, refused.Bytes()...)) {
			if !json.Valid(line) {
				t.Errorf("%q gave %q", text, line)
			}
		}
	})
}
