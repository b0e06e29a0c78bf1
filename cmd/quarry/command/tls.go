package command

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
)

// certificateCheck is how often, at most, the files of a certificate are looked at.
const certificateCheck = time.Second

// A certificate is one that is read again when its files have changed, so that a renewed one
// needs no restart. It is safe for concurrent use.
type certificate struct {
	cert, key string
	log       *slog.Logger

	mu      sync.Mutex
	now     *tls.Certificate
	seen    [2]time.Time // when the files were written, of those last read
	checked time.Time
}

// openCertificate reads the certificate that the server is to show; nil: it speaks plain HTTP.
func openCertificate(s *config.Settings, log *slog.Logger) (*certificate, error) {
	switch {
	case s.Server.TLSCert == "" && s.Server.TLSKey == "":
		return nil, nil
	case s.Server.TLSCert == "" || s.Server.TLSKey == "":
		return nil, errors.New("tls-cert and tls-key go together: one of them is missing")
	}
	c := &certificate{cert: absolute(s.Server.TLSCert), key: absolute(s.Server.TLSKey), log: log}
	seen, err := c.written()
	if err == nil {
		err = c.load()
	}
	if err != nil {
		return nil, fmt.Errorf("the certificate %s cannot be used with the key %s: %w", c.cert, c.key, folder.Reason(err))
	}
	c.seen, c.checked = seen, time.Now()
	return c, nil
}

// absolute returns a path that other processes understand.
func absolute(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

func (c *certificate) written() (at [2]time.Time, err error) {
	for i, name := range []string{c.cert, c.key} {
		info, err := os.Stat(name)
		if err != nil {
			return at, err
		}
		at[i] = info.ModTime()
	}
	return at, nil
}

func (c *certificate) load() error {
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err == nil {
		c.now = &pair
	}
	return err
}

// current returns the certificate for a handshake. A new one that cannot be used is logged
// once, and the old one kept.
func (c *certificate) current(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.checked) < certificateCheck {
		return c.now, nil
	}
	c.checked = time.Now()
	seen, err := c.written()
	if err == nil && seen == c.seen {
		return c.now, nil
	}
	if err == nil {
		err = c.load()
	}
	switch {
	case err == nil:
		c.log.Info("the certificate was read again", "file", c.cert)
	case seen != c.seen:
		c.log.Warn("the new certificate cannot be used, the old one is kept", "file", c.cert, "err", err)
	}
	c.seen = seen
	return c.now, nil
}

// config returns the configuration of a server; nil of none.
func (c *certificate) config() *tls.Config {
	if c == nil {
		return nil
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.current}
}

// scheme is what the server's address begins with.
func (c *certificate) scheme() string {
	if c == nil {
		return "http://"
	}
	return "https://"
}

// pin says which certificate clients on this machine trust.
func (c *certificate) pin() pin {
	if c == nil {
		return pin{}
	}
	return pin{File: c.cert, SHA256: fingerprint(c.now.Certificate[0])}
}

func fingerprint(der []byte) string {
	sum := sha256.Sum256(der)
	return hex.EncodeToString(sum[:])
}

// A pin says by which certificate a client knows a server, whatever names are in it and
// whoever has signed it: the file that the server reads, or the one that it began with.
// The zero pin leaves that to the authorities of the system.
type pin struct {
	File   string `json:"certificate,omitempty"`
	SHA256 string `json:"certificate_sha256,omitempty"`
}

// transport returns one that trusts the pin, and uses no proxy: servers are on this
// machine, or the user has named them.
func (p pin) transport() *http.Transport {
	t := &http.Transport{}
	if p != (pin{}) {
		t.TLSClientConfig = &tls.Config{
			MinVersion:         tls.VersionTLS12,
			InsecureSkipVerify: true, // verify compares the whole certificate, which no name or signature adds to
			VerifyConnection:   p.verify,
		}
	}
	return t
}

func (p pin) verify(state tls.ConnectionState) error {
	if len(state.PeerCertificates) == 0 {
		return errors.New("the server has no certificate")
	}
	leaf := state.PeerCertificates[0]
	if fingerprint(leaf.Raw) == p.SHA256 || inFile(p.File, leaf) {
		return nil
	}
	return fmt.Errorf("the server's certificate is not that of %s", p.File)
}

// inFile reports whether a certificate is the first one of a file.
func inFile(name string, leaf *x509.Certificate) bool {
	if name == "" {
		return false
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return false
	}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "CERTIFICATE" {
			return bytes.Equal(block.Bytes, leaf.Raw)
		}
	}
	return false
}
