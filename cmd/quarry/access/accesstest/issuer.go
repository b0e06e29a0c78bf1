// Package accesstest has an issuer of tokens for tests.
package accesstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// Audience is whom the tokens are for.
const Audience = "quarry"

// An Issuer is an identity provider on this machine.
type Issuer struct {
	URL string

	t      testing.TB
	server *httptest.Server
	mu     sync.Mutex
	keys   map[string]*ecdsa.PrivateKey
	down   bool
	asked  int
}

// New returns an issuer with a key that is called one, which ends with the test.
func New(t testing.TB) *Issuer {
	t.Helper()
	i := &Issuer{t: t, keys: map[string]*ecdsa.PrivateKey{"one": newKey(t)}}
	i.server = httptest.NewServer(i)
	i.URL = i.server.URL
	t.Cleanup(i.server.Close)
	return i
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Client asks the issuer.
func (i *Issuer) Client() *http.Client { return i.server.Client() }

// ServeHTTP says which keys there are.
func (i *Issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.down {
		http.Error(w, "down", http.StatusBadGateway)
		return
	}
	if r.URL.Path == "/.well-known/openid-configuration" {
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": i.URL, "jwks_uri": i.URL + "/keys"})
		return
	}
	i.asked++
	set := []any{map[string]string{"kty": "of another kind", "kid": "odd"}}
	for id, key := range i.keys {
		set = append(set, jose.JSONWebKey{Key: key.Public(), KeyID: id, Use: "sig", Algorithm: string(jose.ES256)})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"keys": set})
}

// Rotate replaces the keys by one of an id.
func (i *Issuer) Rotate(id string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys = map[string]*ecdsa.PrivateKey{id: newKey(i.t)}
}

// Down has the issuer answer nobody, or again.
func (i *Issuer) Down(is bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.down = is
}

// Asked returns how often somebody has got the keys.
func (i *Issuer) Asked() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asked
}

// Key returns a key.
func (i *Issuer) Key(id string) *ecdsa.PrivateKey {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.keys[id]
}

// Token returns a token of somebody in some groups, signed with the key of an id. What is in
// other goes over its claims; nil takes one away.
func (i *Issuer) Token(id, subject string, groups []string, other map[string]any) string {
	i.t.Helper()
	now := time.Now()
	claims := map[string]any{"iss": i.URL, "aud": Audience, "sub": subject, "groups": groups, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix()}
	maps.Copy(claims, other)
	maps.DeleteFunc(claims, func(_ string, v any) bool { return v == nil })
	return Sign(i.t, jose.ES256, i.Key(id), id, claims)
}

// Sign returns a token.
func Sign(t testing.TB, algorithm jose.SignatureAlgorithm, key any, id string, claims any) string {
	t.Helper()
	options := &jose.SignerOptions{}
	if id != "" {
		options = options.WithHeader("kid", id)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, options)
	if err != nil {
		t.Fatal(err)
	}
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}
