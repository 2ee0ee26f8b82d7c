package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"

	toolgate "toolgate.dev/toolgate/sdk/go"
)

func TestAStageIsDrivenOverItsControlAndEndsWithItsInput(t *testing.T) {
	input, stop := io.Pipe()
	output, lines := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(t.Context(), input, lines) }()
	line, err := bufio.NewReader(output).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var at directory
	if err := json.Unmarshal(line, &at); err != nil {
		t.Fatal(err)
	}

	client, err := toolgate.Dial(at.Gateway)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if code := book(t, client, "first"); code != "slot_unavailable" {
		t.Errorf("the taken slot: %q", code)
	}
	if counts := requests(t, at); counts["clinic"] != 2 || counts["billing"] != 0 { // the booking, and the slots around it
		t.Errorf("requests %v", counts)
	}
	response, err := http.Post(at.Control+"/reset", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if counts := requests(t, at); response.StatusCode != http.StatusNoContent || counts["clinic"] != 0 {
		t.Errorf("reset answered %d, requests %v", response.StatusCode, counts)
	}

	_ = stop.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if response, err := http.Get(at.Control + "/requests"); err == nil {
		_ = response.Body.Close()
		t.Error("the control listens on")
	}
}

func book(t *testing.T, client *toolgate.Client, run string) string {
	t.Helper()
	_, err := client.Do(t.Context(), run, toolgate.Call{Tool: "book_slot", Args: `{"practitioner_id":"p_17","start":"2026-03-12T14:30:00Z"}`})
	var failure *toolgate.ToolError
	if !errors.As(err, &failure) {
		t.Fatalf("got %v", err)
	}
	return failure.Code
}

func requests(t *testing.T, at directory) (counts map[string]int64) {
	t.Helper()
	response, err := http.Get(at.Control + "/requests")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&counts); err != nil {
		t.Fatal(err)
	}
	return counts
}
