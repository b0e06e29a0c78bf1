// Package access says who shows a token of an identity provider, and which repositories there
// are for them:
//
//	token ---> Tokens: signed by the issuer, for us, now ---> groups
//	groups --> Permissions: patterns of names, from a file ---> identity.Identity
//	           Forge: what the forge says of its own groups --->
package access

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/quarry-search/quarry/api/wire"
)

const (
	maxToken = 16 << 10    // bytes; with a hundred groups it has some five thousand
	skew     = time.Minute // by which clocks may differ
)

// Options configure Tokens. Issuer and Audiences are needed.
type Options struct {
	Issuer    string
	Audiences []string     // a token must be for one of them
	Claim     string       // that names the groups; "": groups
	Client    *http.Client // asks the issuer; nil: one of its own
	Log       *slog.Logger
	now       func() time.Time // in a test
}

// Tokens are bearer tokens of an issuer of OpenID Connect: they are signed by it, and say of
// which groups somebody is. They are safe for concurrent use.
type Tokens struct {
	opt  Options
	keys *remembered[[]jose.JSONWebKey]
}

// NewTokens returns those of an issuer, which is asked with the first of them.
func NewTokens(opt Options) *Tokens {
	if opt.Claim == "" {
		opt.Claim = "groups"
	}
	if opt.Client == nil {
		opt.Client = newClient()
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.now == nil {
		opt.now = time.Now
	}
	return &Tokens{opt, remember("issuer "+opt.Issuer, keysAfter, opt.Log, opt.now, func(ctx context.Context) ([]jose.JSONWebKey, error) {
		return askKeys(ctx, opt.Client, opt.Issuer)
	})}
}

// A User is who shows a token.
type User struct {
	Subject string // unique with the issuer
	Groups  []string
}

// algorithms are those that need a secret which only the issuer has. With HS256, whoever knows the
// public key could sign, if it were taken for a secret.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// User says whose a token is. Its error is a *wire.Problem, or that of ctx.
func (t *Tokens) User(ctx context.Context, token string) (*User, error) {
	if len(token) > maxToken {
		return nil, refused("it is longer than 16 KiB")
	}
	parsed, err := jwt.ParseSigned(token, algorithms)
	if err != nil || len(parsed.Headers) != 1 {
		return nil, refused("it is no JSON web token with a signature that is accepted")
	}
	header := parsed.Headers[0]
	all, err := t.find(ctx, header.KeyID)
	switch {
	case errors.Is(err, errNoProvider):
		return nil, wire.Problemf(wire.CodeUnavailable, "the token cannot be checked now: %v", err)
	case errors.Is(err, errNoKey):
		return nil, refused(err.Error())
	case err != nil:
		return nil, err
	}
	var claims jwt.Claims
	var more map[string]any
	signed := false
	for _, key := range all {
		if key.Algorithm != "" && key.Algorithm != header.Algorithm {
			continue
		}
		claims, more = jwt.Claims{}, nil
		if signed = parsed.Claims(key.Key, &claims, &more) == nil; signed {
			break
		}
	}
	if !signed {
		return nil, refused("it is not signed by the issuer, or what it says cannot be read")
	}
	if err := t.check(&claims); err != nil {
		return nil, err
	}
	return &User{claims.Subject, texts(more[t.opt.Claim])}, nil
}

// check refuses what the issuer has signed for another time or place.
func (t *Tokens) check(c *jwt.Claims) error {
	err := c.ValidateWithLeeway(jwt.Expected{Issuer: t.opt.Issuer, AnyAudience: t.opt.Audiences, Time: t.opt.now()}, skew)
	switch {
	case errors.Is(err, jwt.ErrInvalidIssuer):
		return refused("it is of another issuer")
	case errors.Is(err, jwt.ErrInvalidAudience):
		return refused("it is for another audience")
	case errors.Is(err, jwt.ErrExpired):
		return refused("it has expired")
	case err != nil:
		return refused("it is not valid yet")
	case c.Expiry == nil:
		return refused("it does not say when it expires")
	case c.Subject == "":
		return refused("it does not say whose it is")
	}
	return nil
}

func refused(why string) error {
	return wire.Problemf(wire.CodeUnauthorized, "the token is refused: %s", why)
}

// texts are those of a claim: a list of them, or one.
func texts(claim any) (all []string) {
	if one, ok := claim.(string); ok {
		return []string{one}
	}
	list, _ := claim.([]any)
	for _, v := range list {
		if text, ok := v.(string); ok {
			all = append(all, text)
		}
	}
	return all
}
