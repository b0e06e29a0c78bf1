package certificate

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"os"
)

func fingerprint(der []byte) string {
	sum := sha256.Sum256(der)
	return hex.EncodeToString(sum[:])
}

// A Pin says by which certificate a client knows a server, whatever names are in it and
// whoever has signed it: the file that the server reads, or the one that it began with.
// The zero pin leaves that to the authorities of the system.
type Pin struct {
	File   string `json:"certificate,omitempty"`
	SHA256 string `json:"certificate_sha256,omitempty"`
}

// Transport returns one that trusts the pin, and uses no proxy: servers are on this
// machine, or the user has named them.
func (p Pin) Transport() *http.Transport {
	t := &http.Transport{}
	if p != (Pin{}) {
		t.TLSClientConfig = &tls.Config{
			MinVersion:         tls.VersionTLS12,
			InsecureSkipVerify: true, // verify compares the whole certificate, which no name or signature adds to
			VerifyConnection:   p.verify,
		}
	}
	return t
}

func (p Pin) verify(state tls.ConnectionState) error {
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
