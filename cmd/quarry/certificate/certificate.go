// Package certificate has both sides of TLS between processes of one user: the certificate
// that a server shows, read again when its file changes, and the pin by which a client
// knows it, whoever has signed it.
package certificate

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
)

// certificateCheck is how often, at most, the files of a certificate are looked at.
const certificateCheck = time.Second

// A Certificate is one that is read again when its files have changed, so that a renewed one
// needs no restart. It is safe for concurrent use.
type Certificate struct {
	cert, key string
	log       *slog.Logger

	mu      sync.Mutex
	now     *tls.Certificate
	seen    [2]time.Time // when the files were written, of those last read
	checked time.Time
}

// Open reads the certificate that the server is to show; nil: it speaks plain HTTP.
func Open(s *config.Settings, log *slog.Logger) (*Certificate, error) {
	switch {
	case s.Server.TLSCert == "" && s.Server.TLSKey == "":
		return nil, nil
	case s.Server.TLSCert == "" || s.Server.TLSKey == "":
		return nil, errors.New("tls-cert and tls-key go together: one of them is missing")
	}
	c := &Certificate{cert: absolute(s.Server.TLSCert), key: absolute(s.Server.TLSKey), log: log}
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

func (c *Certificate) written() (at [2]time.Time, err error) {
	for i, name := range []string{c.cert, c.key} {
		info, err := os.Stat(name)
		if err != nil {
			return at, err
		}
		at[i] = info.ModTime()
	}
	return at, nil
}

func (c *Certificate) load() error {
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err == nil {
		c.now = &pair
	}
	return err
}

// current returns the certificate for a handshake. A new one that cannot be used is logged
// once, and the old one kept.
func (c *Certificate) current(*tls.ClientHelloInfo) (*tls.Certificate, error) {
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

// Config returns the configuration of a server; nil of none.
func (c *Certificate) Config() *tls.Config {
	if c == nil {
		return nil
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.current}
}

// Scheme is what the server's address begins with.
func (c *Certificate) Scheme() string {
	if c == nil {
		return "http://"
	}
	return "https://"
}

// Pin says which certificate clients on this machine trust.
func (c *Certificate) Pin() Pin {
	if c == nil {
		return Pin{}
	}
	return Pin{File: c.cert, SHA256: fingerprint(c.now.Certificate[0])}
}
