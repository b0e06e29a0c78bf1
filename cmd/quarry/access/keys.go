package access

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	keysAfter = 10 * time.Minute // a provider that withdraws a key does so by leaving it out
	maxKeys   = 64
)

var (
	errNoKey      = errors.New("it is signed with a key that the issuer does not have")
	errNoProvider = errors.New("the issuer does not say which keys it has")
)

// find returns the keys that a token may be signed with: those of an id, or all where it names
// none.
func (t *Tokens) find(ctx context.Context, id string) ([]jose.JSONWebKey, error) {
	all, known, err := t.keys.get(ctx, func(all []jose.JSONWebKey) bool { return len(keysOf(all, id)) > 0 })
	found := keysOf(all, id)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case known && len(found) > 0:
		return found, nil
	case err != nil:
		return nil, errNoProvider
	}
	return nil, errNoKey
}

func keysOf(all []jose.JSONWebKey, id string) (found []jose.JSONWebKey) {
	for _, one := range all {
		if id == "" || one.KeyID == id {
			found = append(found, one)
		}
	}
	return found
}

// askKeys gets an issuer's keys, as OpenID Connect Discovery 1.0 has it.
func askKeys(ctx context.Context, client *http.Client, issuer string) (all []jose.JSONWebKey, err error) {
	var about struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
	}
	if _, err := getJSON(ctx, client, strings.TrimSuffix(issuer, "/")+"/.well-known/openid-configuration", nil, &about); err != nil {
		return nil, err
	}
	if about.Issuer != issuer {
		return nil, fmt.Errorf("it calls itself %q", about.Issuer)
	}
	if err := CheckURL(about.Keys); err != nil {
		return nil, fmt.Errorf("jwks_uri: %w", err)
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if _, err := getJSON(ctx, client, about.Keys, nil, &set); err != nil {
		return nil, err
	}
	for _, text := range set.Keys {
		var one jose.JSONWebKey
		// Of kinds that are not known here there may be some, too.
		if json.Unmarshal(text, &one) == nil && one.Valid() && one.IsPublic() && (one.Use == "" || one.Use == "sig") && len(all) < maxKeys {
			all = append(all, one)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("it has no key that signs")
	}
	return all, nil
}

// CheckURL refuses addresses at which somebody on the way could say something else: those
// without https, but on this machine.
func CheckURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return fmt.Errorf("%q is not like https://login.example", address)
	}
	ip := net.ParseIP(u.Hostname())
	if u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()) {
		return nil
	}
	return fmt.Errorf("%q must begin with https://", address)
}
