package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/spf13/pflag"
)

// bindAccess declares the flags that say who may ask over HTTP, and how.
func (s *Settings) bindAccess(fs *pflag.FlagSet) {
	fs.StringVar(&s.Server.TLSKey, "tls-key", s.Server.TLSKey, "the file with the key of the certificate of --tls-cert")
	fs.Var(&s.Server.AllowOrigin, "allow-origin", "an origin such as https://ide.example whose pages may send requests; may be repeated")
	fs.Var(&s.Server.AllowHost, "allow-host", "a name besides those of this machine that requests may have in Host; may be repeated")
}

// checkAccess refuses what would let in everybody, and what no browser sends.
func (s *Settings) checkAccess() error {
	if s.Server.TLSKey != "" && s.Server.TLSCert == "" {
		return errors.New("tls-cert and tls-key go together: one of them is missing")
	}
	for _, o := range s.Server.AllowOrigin {
		u, err := url.Parse(o)
		if err != nil || u.Scheme == "" || u.Host == "" || u.Scheme+"://"+u.Host != o || strings.Contains(o, "*") || strings.ToLower(o) != o {
			return fmt.Errorf("allow-origin must be like https://ide.example, in lower case and without a path, not %q", o)
		}
	}
	for _, h := range s.Server.AllowHost {
		if strings.ContainsAny(h, "*/: ") {
			return fmt.Errorf("allow-host must be a name without a port, not %q", h)
		}
	}
	return nil
}

// bindCertificate declares the flag that servers and their clients have.
func (s *Settings) bindCertificate(fs *pflag.FlagSet) {
	fs.StringVar(&s.Server.TLSCert, "tls-cert", s.Server.TLSCert, "the file with the server's certificate, by which commands recognise it; with it, the server speaks HTTPS")
}

// Loopback reports whether only this machine reaches the bind address.
func (s *Settings) Loopback() bool {
	if s.Server.Bind == "localhost" {
		return true
	}
	ip := net.ParseIP(s.Server.Bind)
	return ip != nil && ip.IsLoopback()
}
