package command

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry/certificate"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
)

// selfSigned writes a certificate that nobody has signed, for a name that is not this
// machine's, and its key.
func selfSigned(t *testing.T, cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "quarry.example"}, DNSNames: []string{"quarry.example"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	text, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write(t, cert, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	write(t, key, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text})))
}

// TestTLS has the commands find and ask a server that speaks HTTPS with a certificate that
// nobody has signed, and nobody else take it for one that they know.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	root, data := filepath.Join(dir, "root"), filepath.Join(dir, "data")
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	write(t, filepath.Join(root, "vault.go"), "package vault\n\n// OpenVault opens it.\nfunc OpenVault() {}\n")
	selfSigned(t, cert, key)
	s := startServer(t, root, "--data-dir", data, "--tls-cert", cert, "--tls-key", key, "--tldr-socket=false")
	if !strings.HasPrefix(s.URL, "https://") {
		t.Fatal(s.URL)
	}
	for _, args := range [][]string{
		{"ping", "--root", root}, {"status", "--root", root}, {"status", "--root", root, "--json"}, {"search", "--root", root, "OpenVault", "--json"},
		{"te", "grep", "OpenVault", "--root", root}, {"serve", "status"}, {"structure", "--root", root}, {"ensure", root},
		{"ping", "--url", s.URL, "--tls-cert", cert}, {"search", "OpenVault", "--url", s.URL, "--tls-cert", cert},
	} {
		out, err := execute(t, append(args, "--data-dir", data)...)
		if err != nil {
			t.Errorf("%v: %v", args, err)
		}
		if bytes.Contains(out, []byte("http://")) || args[0] != "te" && args[0] != "structure" && !bytes.Contains(out, []byte(s.URL)) && args[len(args)-1] != cert {
			t.Errorf("%v says another address: %s", args, out)
		}
	}
	// Who does not know it by its certificate asks the authorities.
	if out, err := execute(t, "ping", "--url", s.URL, "--data-dir", data); err == nil {
		t.Errorf("a certificate that nobody has signed is trusted: %s", out)
	}
	other, otherKey := filepath.Join(dir, "other.pem"), filepath.Join(dir, "other-key.pem")
	selfSigned(t, other, otherKey)
	if out, err := execute(t, "ping", "--url", s.URL, "--tls-cert", other, "--data-dir", data); err == nil {
		t.Errorf("another certificate is trusted: %s", out)
	}
	for version, want := range map[uint16]bool{tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		conn, err := tls.Dial("tcp", strings.TrimPrefix(s.URL, "https://"), &tls.Config{InsecureSkipVerify: true, MinVersion: version, MaxVersion: version})
		if (err == nil) != want {
			t.Errorf("TLS %#x: %v", version, err)
		}
		if err == nil {
			conn.Close()
		}
	}
	if resp, err := http.Get("http" + strings.TrimPrefix(s.URL, "https") + "/search?query=OpenVault"); err == nil {
		if resp.Body.Close(); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("plain HTTP is answered %s", resp.Status)
		}
	}
	// A renewed certificate is shown without a start, and one that cannot be used is not.
	selfSigned(t, cert, key)
	later := time.Now().Add(time.Minute)
	if err := errors.Join(os.Chtimes(cert, later, later), os.Chtimes(key, later, later)); err != nil {
		t.Fatal(err)
	}
	renewed := registry.Remote{URL: s.URL, Pin: certificate.Pin{File: cert}}
	eventually(t, func() error { _, err := renewed.Health(t.Context()); return err })
	text, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(dir, "kept.pem")
	write(t, kept, string(text))
	write(t, cert, "no certificate\n")
	eventually(t, func() error {
		if _, err := (registry.Remote{URL: s.URL, Pin: certificate.Pin{File: kept}}).Health(t.Context()); err != nil {
			t.Fatalf("the old one is not kept: %v", err)
		}
		if !strings.Contains(s.log.String(), "the new certificate cannot be used") {
			return errors.New("nothing is logged")
		}
		return nil
	})
}

func TestCertificateSettings(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	selfSigned(t, cert, key)
	other, otherKey := filepath.Join(dir, "other.pem"), filepath.Join(dir, "other-key.pem")
	selfSigned(t, other, otherKey)
	write(t, filepath.Join(dir, "root", "a.go"), "package a\n")
	for want, flags := range map[string][]string{
		"one of them is missing":  {"--tls-cert", cert},
		"go together":             {"--tls-key", key},
		"cannot be used with the": {"--tls-cert", cert, "--tls-key", otherKey},
		"no such file":            {"--tls-cert", cert + "x", "--tls-key", key},
		"failed to find any PEM":  {"--tls-cert", filepath.Join(dir, "root", "a.go"), "--tls-key", key},
		"allow-origin must be":    {"--allow-origin", "*"},
		"without a path":          {"--allow-origin", "https://ide.example/"},
		"in lower case":           {"--allow-origin", "https://ide.example,https://IDE.example"},
		"allow-host must be":      {"--allow-host", "*"},
		"without a token file":    {"--bind", "0.0.0.0", "--tls-cert", cert, "--tls-key", key},
	} {
		out, err := execute(t, append([]string{"serve", filepath.Join(dir, "root"), "--port", "0", "--backend", "none", "--data-dir", filepath.Join(dir, "data")}, flags...)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v %s", flags, err, out)
		}
	}
	var none *certificate.Certificate
	if none.Config() != nil || none.Scheme() != "http://" || none.Pin() != (certificate.Pin{}) {
		t.Error("without a certificate there is TLS")
	}
	s := config.Default()
	s.Server.TLSCert, s.Server.TLSKey = cert, key
	c, err := certificate.Open(&s, slog.New(slog.DiscardHandler))
	if err != nil || c.Config().MinVersion != tls.VersionTLS12 {
		t.Error(c, err)
	}
}
