package config

import (
	"bytes"
	"fmt"
	"net/url"
	"time"

	"github.com/spf13/pflag"
)

// gatewaySettings say how a gateway answers for all repositories.
type gatewaySettings struct {
	Peers         words    `toml:"peers"` // the addresses of all gateways
	Poll          Duration `toml:"poll"`
	WebhookSecret string   `toml:"webhook_secret_file"` // "": there are no webhooks
}

func defaultGateway() gatewaySettings { return gatewaySettings{Poll: Duration(10 * time.Second)} }

func (s *gatewaySettings) bind(fs *pflag.FlagSet) {
	fs.Var(&s.Peers, "peers", "the address of a gateway of this catalogue, such as https://gateway-1.example:3456; each has the same list, itself included; may be repeated, or have commas")
	fs.Var(&s.Poll, "gateway-poll", "how often a gateway looks for repositories that come and go, and for newer snapshots of those that it has in memory")
	fs.StringVar(&s.WebhookSecret, "webhook-secret-file", s.WebhookSecret, "the file with the secret that webhooks of a forge must know; without it there are none")
}

func (s *gatewaySettings) check() error {
	if p := time.Duration(s.Poll); p < 100*time.Millisecond || p > 20*time.Second {
		return fmt.Errorf("gateway-poll must be 100ms to 20s, not %s", s.Poll)
	}
	for _, p := range s.Peers {
		u, err := url.Parse(p)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" {
			return fmt.Errorf("peers must be like https://gateway-1.example:3456, not %q", p)
		}
	}
	return nil
}

// WebhookSecret reads the secret of webhooks; nil where there are none.
func (s *Settings) WebhookSecret() ([]byte, error) {
	path := s.Gateway.WebhookSecret
	if path == "" {
		return nil, nil
	}
	text, err := ReadSecret("webhook secret file", path, SecretsDir)
	if err != nil {
		return nil, err
	}
	if text = bytes.TrimSpace(text); len(text) < MinToken {
		return nil, fmt.Errorf("the secret in %s has %d bytes, and %d are needed", path, len(text), MinToken)
	}
	return text, nil
}
