package auth

import (
	"errors"
	"testing"
	"time"
)

func TestVerifyRefusesExpiredTokens(t *testing.T) {
	s := Signer{Key: []byte("key"), Lifetime: time.Hour}
	now := time.Unix(1_700_000_000, 0)
	token := s.Issue("ada", now)
	if who, err := s.Verify(token, now); who != "ada" || err != nil {
		t.Errorf("fresh: %q, %v", who, err)
	}
	if _, err := s.Verify(token, now.Add(2*time.Hour)); !errors.Is(err, ErrExpired) {
		t.Errorf("old: %v", err)
	}
}
