package cli

import (
	"crypto/tls"
	"errors"
	"io/fs"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
)

// accessFlags say who may call, and how callers and gateway recognise each other.
type accessFlags struct {
	file       string
	tls        server.TLSFiles
	clientCert string
	minVersion string
}

func (a *accessFlags) register(cmd *cobra.Command, getenv func(string) string) {
	f := cmd.Flags()
	f.StringVar(&a.file, "access", getenv("TOOLGATE_ACCESS"), "who may call what; followed like the catalogue; also TOOLGATE_ACCESS (default: everybody, on loopback alone)")
	f.StringVar(&a.tls.CertFile, "tls-cert", "", "certificate that the listeners show, PEM; it and the files below are read again when they change")
	f.StringVar(&a.tls.KeyFile, "tls-key", "", "its key")
	f.StringVar(&a.tls.ClientCAFile, "tls-client-ca", "", "authorities of callers' certificates; with it callers need one")
	f.StringVar(&a.clientCert, "tls-client-cert", "required", "whether callers need a certificate: required, or optional where another credential does")
	f.StringVar(&a.minVersion, "tls-min-version", "1.2", "the oldest version of TLS, 1.2 or 1.3")
}

// secure has a gateway know its callers.
func (s *session) secure(config *server.Config, flags *accessFlags, log *slog.Logger) (err error) {
	if config.TLS, err = flags.listenerTLS(log); err != nil || flags.file == "" {
		return err
	}
	config.Access, err = s.openAccess(flags.file)
	return err
}

func (a *accessFlags) listenerTLS(log *slog.Logger) (*tls.Config, error) {
	files := a.tls
	switch a.minVersion {
	case "1.2":
	case "1.3":
		files.TLS13 = true
	default:
		return nil, usage("--tls-min-version "+a.minVersion+" is no version of TLS that is spoken", "1.2 or 1.3")
	}
	switch a.clientCert {
	case "required":
	case "optional":
		files.ClientCertOptional = true
	default:
		return nil, usage("--tls-client-cert "+a.clientCert+" is not an answer", "required or optional")
	}
	if files.CertFile == "" && files.KeyFile == "" {
		if files.ClientCAFile != "" {
			return nil, usage("callers show certificates only where the gateway shows one", "--tls-cert and --tls-key beside --tls-client-ca")
		}
		return nil, nil
	}
	config, err := server.NewTLS(files, func(err error) {
		log.Warn("certificates have changed and can't be read; the former are in force", slog.String("cause", err.Error()))
	})
	if err != nil {
		return nil, usage(err.Error(), "--tls-cert and --tls-key name PEM files")
	}
	return config, nil
}

// openAccess reads an access file and prints what is wrong with it.
func (s *session) openAccess(path string) (*server.Access, error) {
	opened, err := server.OpenAccess(path)
	var problems catalog.Problems
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usage("there is no file "+path, "docs/security.md shows an access file; toolgate access new-key makes keys for it")
	case errors.As(err, &problems):
		text, _ := os.ReadFile(path) //nolint:gosec // only to show the lines
		printProblems(s.Stderr, s.err, err, text)
		return nil, usage("the access file "+path+" can't be used", "mend what is named above; toolgate access check tries it without serving")
	}
	return opened, err
}
