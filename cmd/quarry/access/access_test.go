package access

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/access/accesstest"
)

// A clock is moved by the test.
type clock struct {
	mu    sync.Mutex
	ahead time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}

func newTokens(t *testing.T) (*Tokens, *accesstest.Issuer, *clock) {
	i, c := accesstest.New(t), &clock{}
	return NewTokens(Options{Issuer: i.URL, Audiences: []string{"other", accesstest.Audience}, Client: i.Client(), Log: slog.New(slog.NewTextHandler(t.Output(), nil)), now: c.now}), i, c
}

func TestTokens(t *testing.T) {
	tokens, i, _ := newTokens(t)
	in := func(d time.Duration) int64 { return time.Now().Add(d).Unix() }
	public, err := x509.MarshalPKIXPublicKey(i.Key("one").Public())
	if err != nil {
		t.Fatal(err)
	}
	secret := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	foreign, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	claims := map[string]any{"iss": i.URL, "aud": accesstest.Audience, "sub": "eve", "exp": in(time.Hour), "groups": []string{"all"}}
	good := i.Token("one", "ann", []string{"a", "b"}, nil)
	part := strings.Split(good, ".")
	unsigned := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + part[1] + "."
	for _, tc := range []struct {
		what, token string
		groups      []string
		code, word  string
	}{
		{"good", good, []string{"a", "b"}, "", ""},
		{"no groups", i.Token("one", "ann", nil, map[string]any{"groups": nil}), nil, "", ""},
		{"one group", i.Token("one", "ann", nil, map[string]any{"groups": "a"}), []string{"a"}, "", ""},
		{"groups that are none", i.Token("one", "ann", nil, map[string]any{"groups": []any{1, "a", nil}}), []string{"a"}, "", ""},
		{"several audiences", i.Token("one", "ann", nil, map[string]any{"aud": []string{"x", accesstest.Audience}}), nil, "", ""},
		{"expired within the skew", i.Token("one", "ann", nil, map[string]any{"exp": in(-30 * time.Second)}), nil, "", ""},
		{"of a clock that is ahead", i.Token("one", "ann", nil, map[string]any{"iat": in(30 * time.Second), "nbf": in(30 * time.Second)}), nil, "", ""},
		{"no key id", accesstest.Sign(t, jose.ES256, i.Key("one"), "", claims), []string{"all"}, "", ""},

		{"expired", i.Token("one", "ann", nil, map[string]any{"exp": in(-2 * time.Minute)}), nil, wire.CodeUnauthorized, "expired"},
		{"for ever", i.Token("one", "ann", nil, map[string]any{"exp": nil}), nil, wire.CodeUnauthorized, "when it expires"},
		{"later", i.Token("one", "ann", nil, map[string]any{"nbf": in(2 * time.Minute)}), nil, wire.CodeUnauthorized, "not valid yet"},
		{"issued later", i.Token("one", "ann", nil, map[string]any{"iat": in(2 * time.Minute)}), nil, wire.CodeUnauthorized, "not valid yet"},
		{"another issuer", i.Token("one", "ann", nil, map[string]any{"iss": i.URL + "/"}), nil, wire.CodeUnauthorized, "another issuer"},
		{"another audience", i.Token("one", "ann", nil, map[string]any{"aud": "quarry2"}), nil, wire.CodeUnauthorized, "another audience"},
		{"no audience", i.Token("one", "ann", nil, map[string]any{"aud": nil}), nil, wire.CodeUnauthorized, "another audience"},
		{"nobody", i.Token("one", "", nil, nil), nil, wire.CodeUnauthorized, "whose it is"},
		{"unsigned", unsigned, nil, wire.CodeUnauthorized, "no JSON web token"},
		{"the public key as a secret", accesstest.Sign(t, jose.HS256, secret, "one", claims), nil, wire.CodeUnauthorized, "no JSON web token"},
		{"another key", accesstest.Sign(t, jose.RS256, foreign, "one", claims), nil, wire.CodeUnauthorized, "not signed by the issuer"},
		{"another key, without an id", accesstest.Sign(t, jose.RS256, foreign, "", claims), nil, wire.CodeUnauthorized, "not signed by the issuer"},
		{"an unknown key", accesstest.Sign(t, jose.RS256, foreign, "two", claims), nil, wire.CodeUnauthorized, "a key that the issuer does not have"},
		{"changed", part[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"eve"}`)) + "." + part[2], nil, wire.CodeUnauthorized, "not signed by the issuer"},
		{"claims of another kind", i.Token("one", "ann", nil, map[string]any{"exp": "tomorrow"}), nil, wire.CodeUnauthorized, "what it says"},
		{"huge", good + strings.Repeat("x", maxToken), nil, wire.CodeUnauthorized, "longer"},
		{"a word", "x", nil, wire.CodeUnauthorized, "no JSON web token"},
		{"nothing", "", nil, wire.CodeUnauthorized, "no JSON web token"},
	} {
		u, err := tokens.User(t.Context(), tc.token)
		switch p := (*wire.Problem)(nil); {
		case tc.code == "" && (err != nil || !slices.Equal(u.Groups, tc.groups)):
			t.Errorf("%s: %+v, %v", tc.what, u, err)
		case tc.code != "" && (!errors.As(err, &p) || p.Code != tc.code || !strings.Contains(p.Message, tc.word)):
			t.Errorf("%s: %+v, %v, want %s with %q", tc.what, u, err, tc.code, tc.word)
		}
	}
	if n := i.Asked(); n != 1 {
		t.Errorf("the keys were asked for %d times", n)
	}
}

// TestKeys has keys come and go, and the issuer not answer.
func TestKeys(t *testing.T) {
	tokens, i, c := newTokens(t)
	code := func(token string) string {
		_, err := tokens.User(t.Context(), token)
		if p := (*wire.Problem)(nil); errors.As(err, &p) {
			return p.Code
		} else if err != nil {
			t.Fatal(err)
		}
		return ""
	}
	far := map[string]any{"exp": time.Now().Add(100 * time.Hour).Unix()}
	one := i.Token("one", "ann", nil, far)
	i.Down(true)
	if got := code(one); got != wire.CodeUnavailable {
		t.Errorf("never answered: %q", got)
	}
	i.Down(false)
	if got := code(one); got != wire.CodeUnavailable {
		t.Errorf("asked again at once: %q", got)
	}
	c.move(askedAgain)
	if got := code(one); got != "" {
		t.Errorf("it answers: %q", got)
	}
	// A new key is known as soon as somebody shows it, and the old one has gone with it.
	i.Rotate("two")
	two := i.Token("two", "ann", nil, far)
	if got := code(two); got != wire.CodeUnauthorized {
		t.Errorf("asked again at once for a new key: %q", got)
	}
	c.move(askedAgain)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if got := code(two); got != "" {
				t.Errorf("the new key: %q", got)
			}
		})
	}
	group.Wait()
	if got, n := code(one), i.Asked(); got != wire.CodeUnauthorized || n != 2 {
		t.Errorf("the old key: %q, asked %d times", got, n)
	}
	// A key that is withdrawn is so within ten minutes.
	i.Rotate("three")
	if got := code(two); got != "" {
		t.Errorf("within ten minutes: %q", got)
	}
	c.move(keysAfter + time.Second)
	if got := code(two); got != wire.CodeUnauthorized {
		t.Errorf("withdrawn: %q", got)
	}
	// What is known goes on for a day, and what is not cannot be told.
	three := i.Token("three", "ann", nil, far)
	i.Down(true)
	c.move(keysAfter + time.Second)
	if got := code(three); got != "" {
		t.Errorf("the issuer is down: %q", got)
	}
	if got := code(two); got != wire.CodeUnavailable {
		t.Errorf("the issuer is down, another key: %q", got)
	}
	c.move(staleAfter)
	if got := code(three); got != wire.CodeUnavailable {
		t.Errorf("down for a day: %q", got)
	}
	i.Down(false)
	c.move(askedAgain)
	if got := code(three); got != "" {
		t.Errorf("it answers again: %q", got)
	}
}

func TestPermissions(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"[groups]\nx = [\"a/**\"]\ny = [\"a/[\"]\n", "p.toml:3: "},
		{"[groups]\nx = [\"\"]\n", "p.toml:2: "},
		{"[groups]\nx = \"a/b\"\n", "p.toml:2: groups.x must be a list"},
		{"\neveryone = []\n", "p.toml:2: unknown key \"everyone\""},
		{"[groups]\nx = [\n", "p.toml:"},
		{"operators = [1]\n", "p.toml:1: operators must be a list"},
	} {
		if _, err := Parse("p.toml", []byte(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: %v, want %s", tc.text, err, tc.want)
		}
	}
	p, err := Parse("p.toml", []byte(`
operators = ["ops"]
everybody = ["example.com/public/*"]
[groups]
shop = ["example.com/team/shop", "example.com/shop/**"]
"Domain Users" = ["example.com/*/wiki"]
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		groups []string
		name   string
		want   bool
	}{
		{nil, "example.com/public/a", true},
		{nil, "example.com/public/a/b", false},
		{nil, "example.com/team/shop", false},
		{[]string{"shop"}, "example.com/team/shop", true},
		{[]string{"shop"}, "example.com/team/shop2", false},
		{[]string{"shop"}, "example.com/team/Shop", false},
		{[]string{"shop"}, "example.com/shop/a/b", true},
		{[]string{"x", "Domain Users"}, "example.com/team/wiki", true},
		{[]string{"Domain Users"}, "example.com/a/b/wiki", false},
		{[]string{""}, "example.com/team/shop", false},
	} {
		if got := p.sees(tc.groups)(tc.name); got != tc.want {
			t.Errorf("%q see %s: %v", tc.groups, tc.name, got)
		}
	}
	if p.operates([]string{"shop"}) || !p.operates([]string{"a", "ops"}) {
		t.Error("operators are others")
	}
}

// TestFile has a file change, also to something that is not in order.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.toml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	if _, err := OpenFile(path, logger); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is none: %v", err)
	}
	write("everybody = [\"a\"]")
	f, err := OpenFile(path, logger)
	if err != nil {
		t.Fatal(err)
	}
	sees := func(name string) bool { return f.Permissions().sees(nil)(name) }
	write("\n\neverybody = 1")
	for range 2 {
		if err := f.Reload(); err == nil || f.Err() == nil || !strings.Contains(err.Error(), "p.toml:3:") || !sees("a") {
			t.Errorf("not in order: %v", err)
		}
	}
	if n := strings.Count(log.String(), "not in order"); n != 1 {
		t.Errorf("said %d times", n)
	}
	write("everybody = [\"b\"]")
	if err := f.Reload(); err != nil || f.Err() != nil || sees("a") || !sees("b") {
		t.Errorf("in order again: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := f.Reload(); !errors.Is(err, os.ErrNotExist) || !sees("b") {
		t.Errorf("removed: %v", err)
	}
	write("everybody = [\"b\"]")
	if err := f.Reload(); err != nil {
		t.Errorf("there again: %v", err)
	}
}

func TestCheckURL(t *testing.T) {
	for address, want := range map[string]bool{
		"https://login.example/x": true, "http://localhost:1": true, "http://127.0.0.1:1": true, "http://[::1]/x": true,
		"http://login.example": false, "https://": false, "login.example": false, "https://a:b@login.example": false, "file:///x": false, "http://localhost.example": false, "": false,
	} {
		if err := CheckURL(address); (err == nil) != want {
			t.Errorf("%q: %v", address, err)
		}
	}
}
