package httpbackend

import (
	"bytes"
	"compress/gzip"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// diagnosisRoom is read beyond the tool's limit, so that what is said at the end
// of a long answer can still be seen.
const diagnosisRoom = 64 << 10

// maxPooledBytes is the largest buffer that is kept for the next body.
const maxPooledBytes = 2 << 20

// bodies lends out buffers for bodies of unknown length.
type bodies struct{ buffers sync.Pool }

// read returns at most limit bytes of the body, in memory of its own. size is 0
// where they are all of it, else the whole size, -1 where nobody knows. An error
// means that the body ended early; what came before it is returned.
func (b *bodies) read(resp *http.Response, limit int64) (body []byte, size int64, err error) {
	source, length := io.Reader(resp.Body), resp.ContentLength
	if resp.Request.Method == http.MethodHead {
		return nil, 0, nil
	}
	if zipped(resp) {
		if source, err = gzip.NewReader(resp.Body); err != nil {
			return nil, -1, err
		}
		length = -1
		resp.Header.Del("Content-Encoding") // as the answer is passed on, it has none
		resp.Header.Del("Content-Length")
	}
	if length >= 0 && length <= limit {
		body = make([]byte, length)
		n, err := io.ReadFull(source, body)
		if err != nil {
			return body[:n], length, err
		}
		return body, 0, nil
	}
	body, err = b.copy(io.LimitReader(source, limit+1))
	if int64(len(body)) > limit {
		return body[:limit], length, nil
	}
	if err != nil {
		return body, -1, err
	}
	return body, 0, nil
}

// zipped reports whether the body is compressed. The transport unpacks nothing,
// since it did not ask for it.
func zipped(resp *http.Response) bool {
	kind := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding")))
	return kind == "gzip" || kind == "x-gzip"
}

func (b *bodies) copy(source io.Reader) ([]byte, error) {
	buffer, _ := b.buffers.Get().(*bytes.Buffer)
	if buffer == nil {
		buffer = &bytes.Buffer{}
	}
	buffer.Reset()
	_, err := buffer.ReadFrom(source)
	body := bytes.Clone(buffer.Bytes())
	if buffer.Cap() <= maxPooledBytes {
		b.buffers.Put(buffer)
	}
	return body, err
}

// toUTF8 decodes a body whose charset is declared, or told by a byte order mark.
// What nobody can decode stays as it is.
func toUTF8(header http.Header, body []byte) []byte {
	if mark := []byte("\xEF\xBB\xBF"); bytes.HasPrefix(body, mark) {
		return body[len(mark):]
	}
	if plainUTF8(header, body) {
		return body
	}
	kind, parameters, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		parameters = nil
	}
	charset := charsetOf(parameters["charset"], body)
	if charset == nil {
		return body
	}
	decoded, err := charset.NewDecoder().Bytes(body)
	if err != nil {
		return body
	}
	if kind != "" {
		parameters["charset"] = "utf-8"
		header.Set("Content-Type", mime.FormatMediaType(kind, parameters))
	}
	return decoded
}

// plainUTF8 knows the two ways in which nearly every answer is declared, without
// taking them apart.
func plainUTF8(header http.Header, body []byte) bool {
	declared := header["Content-Type"]
	if len(declared) == 0 || len(body) > 0 && body[0] >= 0xFE {
		return false
	}
	_, parameters, any := strings.Cut(declared[0], ";")
	return !any || strings.EqualFold(strings.TrimSpace(parameters), "charset=utf-8")
}

// charsetOf returns nil for UTF-8 and for what is not known.
func charsetOf(declared string, body []byte) encoding.Encoding {
	switch {
	case declared == "" && (bytes.HasPrefix(body, []byte("\xFE\xFF")) || bytes.HasPrefix(body, []byte("\xFF\xFE"))):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case declared == "", strings.EqualFold(declared, "utf-8"), strings.EqualFold(declared, "us-ascii"):
		return nil
	}
	found, err := htmlindex.Get(declared)
	if err != nil || found == unicode.UTF8 {
		return nil
	}
	return found
}
