// Package identity says who asks a server that tells those who ask apart, and what they may
// see.
package identity

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
)

// An Identity is who asks. A nil one is of a server that tells nobody apart: it sees all.
type Identity struct {
	// Owner is what sessions and handles belong to: nobody else has the same.
	Owner string
	// Sees says which projects there are for them; nil: all, and also what is said of the
	// server itself.
	Sees func(project string) bool
}

// Operator returns the identity that sees all.
func Operator() *Identity { return &Identity{} }

// Nobody returns the identity that sees nothing.
func Nobody() *Identity { return &Identity{Sees: func(string) bool { return false }} }

// Operates reports whether somebody may know what the server itself does, for whomever.
func (i *Identity) Operates() bool { return i == nil || i.Sees == nil }

// May reports whether there is a project for somebody.
func (i *Identity) May(project string) bool { return i.Operates() || i.Sees(project) }

type key struct{}

// With returns a context in which somebody asks.
func With(ctx context.Context, i *Identity) context.Context { return context.WithValue(ctx, key{}, i) }

// Of returns who asks; nil: that is not known.
func Of(ctx context.Context) *Identity {
	i, _ := ctx.Value(key{}).(*Identity)
	return i
}

// Owner returns whose sessions and handles those of a context are.
func Owner(ctx context.Context) string {
	if i := Of(ctx); i != nil {
		return i.Owner
	}
	return ""
}

// A Secret stands for a token that requests must show, which is not kept itself.
type Secret [sha256.Size]byte

// NewSecret returns nil for "": no token is asked for.
func NewSecret(token string) *Secret {
	if token == "" {
		return nil
	}
	s := Secret(sha256.Sum256([]byte(token)))
	return &s
}

// Is compares hashes, which have one length whatever the tokens have, in a time that says
// nothing about where they differ. Nothing is a nil Secret.
func (s *Secret) Is(token string) bool {
	if s == nil {
		return false
	}
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(s[:], sum[:]) == 1
}
