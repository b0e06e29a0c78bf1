package access

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	renewAfter = 10 * time.Minute // a provider that withdraws a key does so by leaving it out
	staleAfter = 24 * time.Hour   // without an answer of the provider
	askedAgain = 10 * time.Second // at the earliest, whatever tokens name
	askWithin  = 5 * time.Second
	maxDoc     = 1 << 20 // bytes of what the provider answers
	maxKeys    = 64
)

var (
	errNoKey      = errors.New("it is signed with a key that the issuer does not have")
	errNoProvider = errors.New("the issuer does not say which keys it has")
)

// keys are those of an issuer, as it was last asked. They are safe for concurrent use.
type keys struct {
	issuer string
	client *http.Client
	log    *slog.Logger
	now    func() time.Time
	turn   chan struct{} // has room for the one that asks

	mu    sync.Mutex
	all   []jose.JSONWebKey
	got   time.Time // when the issuer answered last; zero: never
	tried time.Time // when it was last asked
	err   error     // what came of that
}

func newKeys(issuer string, client *http.Client, log *slog.Logger, now func() time.Time) *keys {
	return &keys{issuer: issuer, client: client, log: log, now: now, turn: make(chan struct{}, 1)}
}

// find returns the keys that a token may be signed with: those of an id, or all where it names
// none. The issuer is asked where the id is not known, and from time to time; while it does not
// answer, what it said before holds.
func (k *keys) find(ctx context.Context, id string) ([]jose.JSONWebKey, error) {
	found, old := k.known(id)
	if len(found) > 0 && !old {
		return found, nil
	}
	if len(found) > 0 { // whoever comes while another one asks does not wait
		select {
		case k.turn <- struct{}{}:
		default:
			return found, nil
		}
	} else {
		select {
		case k.turn <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	defer func() { <-k.turn }()
	err := k.renew(context.WithoutCancel(ctx))
	found, _ = k.known(id)
	switch {
	case len(found) > 0:
		return found, nil
	case err != nil:
		return nil, errNoProvider
	}
	return nil, errNoKey
}

// known returns the keys of an id as far as they are known, and whether they are to be asked
// for again.
func (k *keys) known(id string) (found []jose.JSONWebKey, old bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	age := k.now().Sub(k.got)
	if k.got.IsZero() || age > staleAfter {
		return nil, true
	}
	for _, one := range k.all {
		if id == "" || one.KeyID == id {
			found = append(found, one)
		}
	}
	return found, age > renewAfter && k.now().Sub(k.tried) > askedAgain
}

// renew asks the issuer, unless it has just been asked.
func (k *keys) renew(ctx context.Context) error {
	k.mu.Lock()
	just, err := !k.tried.IsZero() && k.now().Sub(k.tried) < askedAgain, k.err
	k.mu.Unlock()
	if just {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	all, err := k.ask(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	failed := k.err != nil
	k.tried, k.err = k.now(), err
	switch {
	case err == nil:
		k.all, k.got = all, k.tried
		k.log.Debug("the keys of the issuer are known", "issuer", k.issuer, "keys", len(all))
	case !failed:
		k.log.Error("the issuer of tokens does not say which keys it has: those that are known go on", "issuer", k.issuer, "err", err)
	}
	return err
}

// ask gets the issuer's keys, as OpenID Connect Discovery 1.0 has it.
func (k *keys) ask(ctx context.Context) (all []jose.JSONWebKey, err error) {
	var about struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
	}
	if err := k.get(ctx, strings.TrimSuffix(k.issuer, "/")+"/.well-known/openid-configuration", &about); err != nil {
		return nil, err
	}
	if about.Issuer != k.issuer {
		return nil, fmt.Errorf("it calls itself %q", about.Issuer)
	}
	if err := CheckURL(about.Keys); err != nil {
		return nil, fmt.Errorf("jwks_uri: %w", err)
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := k.get(ctx, about.Keys, &set); err != nil {
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

func (k *keys) get(ctx context.Context, address string, to any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	answer, err := k.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxDoc))
	switch {
	case err != nil:
		return err
	case answer.StatusCode != http.StatusOK:
		return fmt.Errorf("%s: status %d", address, answer.StatusCode)
	}
	if err := json.Unmarshal(text, to); err != nil {
		return fmt.Errorf("%s: %w", address, err)
	}
	return nil
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
