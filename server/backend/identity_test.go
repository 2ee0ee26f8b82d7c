package backend

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

func TestFilesThatCantBeReadAreTriedAgainOnceTheyChange(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	whole := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	settings := TLS{CAFile: filepath.Join(t.TempDir(), "ca.pem")}
	write := func(text []byte) {
		t.Helper()
		if err := os.WriteFile(settings.CAFile, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	write(whole)
	first, err := settings.Read()
	if err != nil || first.Stale() || !first.HasFiles() {
		t.Fatalf("%v, stale %v, of files %v", err, first.Stale(), first.HasFiles())
	}
	write([]byte("half a file"))
	if !first.Stale() {
		t.Error("a changed file is not seen")
	}
	broken, err := settings.Read()
	if err == nil || broken.Config.RootCAs == nil {
		t.Errorf("what can't be read is no error, or everybody is trusted: %v", err)
	}
	kept := first.InPlaceOf(broken)
	if kept.Stale() || kept.Config != first.Config {
		t.Error("the broken file is read again, or the former is not in force")
	}
	write(append(whole, '\n'))
	if !kept.Stale() {
		t.Error("the mended file is not seen")
	}
}

func TestATransportWithoutFilesIsNeverStale(t *testing.T) {
	identity, err := TLS{ServerName: "crm.test", TLS13: true}.Read()
	if err != nil || identity.Stale() || identity.HasFiles() || identity.Config.ServerName != "crm.test" || identity.Config.RootCAs != nil {
		t.Errorf("%v, %+v", err, identity)
	}
}
