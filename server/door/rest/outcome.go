package rest

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/door"
)

const jsonType = "application/json"

// writeJSON answers with a text that is JSON.
func writeJSON(w http.ResponseWriter, status int, text []byte) {
	header := w.Header()
	header.Set("Content-Type", jsonType)
	header.Set("X-Content-Type-Options", "nosniff")
	if header.Get("Cache-Control") == "" {
		header.Set("Cache-Control", "no-store")
	}
	header.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text) //nolint:gosec // JSON, and said to be so; a caller that is gone reads nothing
}

// resultFrame is what stands around the JSON of a result, as a rule.
const resultFrame = 256

// writeOutcome answers one call. What the body of a failure has no room for, since
// a model reads it, stands in headers.
func writeOutcome(w http.ResponseWriter, resp *toolgatev1.CallToolResponse) {
	if failed := resp.GetError(); failed != nil {
		describeError(w.Header(), failed)
		writeJSON(w, statusOf(failed), []byte(failed.GetObservation()))
		return
	}
	result := resp.GetResult()
	w.Header().Set("Toolgate-Attempts", strconv.FormatUint(uint64(result.GetAttempts()), 10))
	writeJSON(w, http.StatusOK, appendResult(make([]byte, 0, len(result.GetStructuredJson())+resultFrame), result))
}

func describeError(header http.Header, failed *toolgatev1.ToolError) {
	header.Set("Toolgate-Class", className(failed.GetErrorClass()))
	header.Set("Toolgate-Attempts", strconv.FormatUint(uint64(failed.GetAttempts()), 10))
	header.Set("Toolgate-Classified-By", classifiedBy(failed.GetClassifiedBy()))
	header.Set("Toolgate-Correlation-Id", failed.GetCorrelationId())
	if failed.GetExhausted() {
		header.Set("Toolgate-Exhausted", "true")
	}
	if n := failed.GetRejectionsInRun(); n > 0 {
		header.Set("Toolgate-Rejections-In-Run", strconv.FormatUint(uint64(n), 10))
	}
	if n := failed.GetUpstreamStatus(); n > 0 {
		header.Set("Toolgate-Upstream-Status", strconv.FormatUint(uint64(n), 10))
	}
	if failed.GetErrorClass() == interceptors.Transient {
		header.Set("Retry-After", door.WholeSeconds(failed.GetRetryAfter()))
	}
}

// statusOf is the error's own status; of one that nobody gave a status, that of its
// class.
func statusOf(failed *toolgatev1.ToolError) int {
	if status := int(failed.GetHttpStatus()); status >= http.StatusBadRequest {
		return status
	}
	switch failed.GetErrorClass() {
	case interceptors.Transient:
		return http.StatusServiceUnavailable
	case interceptors.InvalidRequest:
		return http.StatusBadRequest
	}
	return http.StatusUnprocessableEntity
}

// className is the class as an observation has it.
func className(class toolgatev1.ErrorClass) string {
	switch class {
	case interceptors.Transient:
		return "transient"
	case interceptors.InvalidRequest:
		return "invalid_request"
	}
	return "terminal"
}

func classifiedBy(by toolgatev1.ClassifiedBy) string {
	return strings.ToLower(strings.TrimPrefix(by.String(), "CLASSIFIED_BY_"))
}

// appendDone writes the outcome of a call of a batch or a stream, with what the
// answer to a single call has in its head.
func appendDone(text []byte, index uint32, resp *toolgatev1.CallToolResponse) []byte {
	w := writer{text: append(text, '{')}
	w.number("index", uint64(index))
	failed := resp.GetError()
	if failed == nil {
		w.number("status", http.StatusOK)
		w.key("result")
		w.text = appendResult(w.text, resp.GetResult())
		return w.end()
	}
	w.number("status", uint64(statusOf(failed)))
	w.raw("error", failed.GetObservation())
	w.number("attempts", uint64(failed.GetAttempts()))
	w.flag("exhausted", failed.GetExhausted())
	w.some("rejections_in_run", uint64(failed.GetRejectionsInRun()))
	w.string("classified_by", classifiedBy(failed.GetClassifiedBy()))
	w.some("upstream_status", uint64(failed.GetUpstreamStatus()))
	w.string("correlation_id", failed.GetCorrelationId())
	return w.end()
}

// appendResult writes a tool's answer. What is not set is left out.
func appendResult(text []byte, result *toolgatev1.ToolResult) []byte {
	w := writer{text: append(text, '{')}
	if content := result.GetContent(); len(content) > 0 {
		w.key("content")
		w.list(len(content), func(i int) { w.block(content[i]) })
	}
	w.compact("structured", result.GetStructuredJson())
	if coercions := result.GetCoercions(); len(coercions) > 0 {
		w.key("coercions")
		w.list(len(coercions), func(i int) { w.coercion(coercions[i]) })
	}
	w.number("attempts", uint64(result.GetAttempts()))
	if result.GetReturned() > 0 || result.Matched != nil {
		w.number("returned", result.GetReturned())
	}
	if result.Matched != nil {
		w.number("matched", result.GetMatched())
	}
	w.flag("truncated", result.GetTruncated())
	return w.end()
}

func (w *writer) coercion(c *toolgatev1.Coercion) {
	w.open()
	w.always("field", c.GetField())
	w.compact("from", c.GetFromJson())
	w.compact("to", c.GetToJson())
	w.string("rule", c.GetRule())
	w.close()
}

func (w *writer) block(block *toolgatev1.ContentBlock) {
	w.open()
	switch kind := block.GetBlock().(type) {
	case *toolgatev1.ContentBlock_Text:
		w.string("type", "text")
		w.always("text", kind.Text.GetText())
	case *toolgatev1.ContentBlock_Image:
		w.string("type", "image")
		w.blob(kind.Image)
	case *toolgatev1.ContentBlock_Audio:
		w.string("type", "audio")
		w.blob(kind.Audio)
	case *toolgatev1.ContentBlock_Resource:
		w.string("type", "resource")
		w.string("uri", kind.Resource.GetUri())
		w.string("mime_type", kind.Resource.GetMimeType())
		w.string("text", kind.Resource.GetText())
		w.string("data", base64.StdEncoding.EncodeToString(kind.Resource.GetData()))
	}
	w.close()
}

func (w *writer) blob(blob *toolgatev1.BlobBlock) {
	w.string("mime_type", blob.GetMimeType())
	w.always("data", base64.StdEncoding.EncodeToString(blob.GetData()))
}
