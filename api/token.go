package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// A tokenHash stands for the token that requests must show; the server does not
// keep the token itself.
type tokenHash [sha256.Size]byte

// hashToken returns nil for "": no token is asked for.
func hashToken(token string) *tokenHash {
	if token == "" {
		return nil
	}
	h := tokenHash(sha256.Sum256([]byte(token)))
	return &h
}

// matches compares hashes, which have one length whatever the tokens have, in
// a time that says nothing about where they differ.
func (h *tokenHash) matches(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(h[:], sum[:]) == 1
}

// openPath reports whether a path is one of the two probes: a container's health check
// and a load balancer have no token to show. They say less without it.
func openPath(path string) bool { return path == "/health" || path == "/ready" }

// trusts reports whether a request may know what the server serves.
func (s *Server) trusts(r *http.Request) bool { return fromInside(r) || s.authorize(r) == nil }

// authorize refuses a request without the server's token, if there is one.
func (s *Server) authorize(r *http.Request) error {
	if s.token == nil {
		return nil
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return problemf(codeUnauthorized, "the server asks for a token: Authorization: Bearer TOKEN")
	}
	if !s.token.matches(strings.TrimSpace(token)) {
		return problemf(codeUnauthorized, "the token is not the server's")
	}
	return nil
}
