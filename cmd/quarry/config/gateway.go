package config

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/spf13/pflag"
)

// gatewaySettings say how a gateway answers for all repositories.
type gatewaySettings struct {
	Peers         words    `toml:"peers"` // the addresses of all gateways
	Poll          Duration `toml:"poll"`
	Across        int      `toml:"across"`
	WebhookSecret string   `toml:"webhook_secret_file"` // "": there are no webhooks
	Issuer        string   `toml:"oidc_issuer"`         // of tokens; "": there is one token for everybody
	Audience      words    `toml:"oidc_audience"`
	GroupsClaim   string   `toml:"oidc_groups_claim"`
	Permissions   string   `toml:"permissions_file"`
	Forge         string   `toml:"forge"` // that is asked, too; "": none
	ForgeURL      string   `toml:"forge_url"`
	ForgeToken    string   `toml:"forge_token_file"`
}

func defaultGateway() gatewaySettings {
	return gatewaySettings{Poll: Duration(10 * time.Second), Across: 32, GroupsClaim: "groups"}
}

func (s *gatewaySettings) bind(fs *pflag.FlagSet) {
	fs.Var(&s.Peers, "peers", "the address of a gateway of this catalogue, such as https://gateway-1.example:3456; each has the same list, itself included; may be repeated, or have commas")
	fs.Var(&s.Poll, "gateway-poll", "how often a gateway looks for repositories that come and go, and for newer snapshots of those that it has in memory")
	fs.IntVar(&s.Across, "gateway-across", s.Across, "how many repositories a search over all of them asks at most: those that are the likeliest to have something")
	fs.StringVar(&s.WebhookSecret, "webhook-secret-file", s.WebhookSecret, "the file with the secret that webhooks of a forge must know; without it there are none")
	fs.StringVar(&s.Issuer, "oidc-issuer", s.Issuer, "the OpenID Connect issuer whose tokens say who asks, such as https://login.example/realms/team; --permissions-file says which repositories there are for whom")
	fs.Var(&s.Audience, "oidc-audience", "the audience that a token of --oidc-issuer must be for; may be repeated, or have commas")
	fs.StringVar(&s.GroupsClaim, "oidc-groups-claim", s.GroupsClaim, "the claim of a token that names the groups of its user")
	fs.StringVar(&s.Permissions, "permissions-file", s.Permissions, "the file that says which repositories there are for the groups of --oidc-issuer")
	fs.StringVar(&s.Forge, "forge", s.Forge, "github or gitlab: a forge that is asked which repositories its groups have; groups of tokens are teams as ORGANISATION/TEAM, or groups by their path")
	fs.StringVar(&s.ForgeURL, "forge-url", s.ForgeURL, "the address of the API of --forge (default: https://api.github.com or https://gitlab.com/api/v4)")
	fs.StringVar(&s.ForgeToken, "forge-token-file", s.ForgeToken, "the file with a token of --forge that may read groups and their repositories")
}

func (s *gatewaySettings) check() error {
	if p := time.Duration(s.Poll); p < 100*time.Millisecond || p > 20*time.Second {
		return fmt.Errorf("gateway-poll must be 100ms to 20s, not %s", s.Poll)
	}
	if s.Across < 1 || s.Across > 100 {
		return fmt.Errorf("gateway-across must be 1 to 100, not %d", s.Across)
	}
	switch {
	case s.Issuer == "" && s.Permissions == "" && len(s.Audience) == 0 && s.Forge == "":
	case s.Issuer == "" || s.Permissions == "" || len(s.Audience) == 0:
		return errors.New("oidc-issuer, oidc-audience and permissions-file go together: one of them is missing")
	case s.Forge != "" && s.ForgeToken == "" || s.Forge == "" && (s.ForgeToken != "" || s.ForgeURL != ""):
		return errors.New("forge and forge-token-file go together: one of them is missing")
	case s.GroupsClaim == "":
		return errors.New("oidc-groups-claim must name a claim")
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

// ForgeToken reads the token for the forge.
func (s *Settings) ForgeToken() (string, error) {
	text, err := ReadSecret("forge token file", s.Gateway.ForgeToken, SecretsDir)
	return string(bytes.TrimSpace(text)), err
}
