package config

import (
	"bytes"
	"fmt"
	"os"
	"runtime"

	"github.com/quarry-search/quarry/cmd/quarry/folder"
)

const (
	MinToken = 16   // bytes; 16 random hexadecimal digits are 64 bits
	MaxToken = 4096 // bytes; more is not a token but another file
	// SecretsDir is where containers get their secrets. Their modes are not the
	// user's to choose, and nobody else is in the container.
	SecretsDir = "/run/secrets"
)

// Token returns the text of the token file, "" when there is none.
func (s *Settings) Token() (string, error) {
	if s.Server.TokenFile == "" {
		return "", nil
	}
	return ReadToken(s.Server.TokenFile, SecretsDir)
}

// ReadToken returns a token file's text without the white space around it.
func ReadToken(path, secrets string) (string, error) {
	text, err := ReadSecret("token file", path, secrets)
	if err != nil {
		return "", err
	}
	text = bytes.TrimSpace(text)
	if len(text) < MinToken {
		return "", fmt.Errorf("the token in %s has %d bytes, and %d are needed", path, len(text), MinToken)
	}
	for _, c := range text {
		if c <= ' ' || c > '~' { // it is to stand in a header
			return "", fmt.Errorf("the token in %s must be one word of printable ASCII", path)
		}
	}
	return string(text), nil
}

// ReadSecret returns what is in a small file, which is called what. One that others than
// its owner can read is refused, except below secrets.
func ReadSecret(what, path, secrets string) ([]byte, error) {
	real, err := folder.Real(path)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", what, path, folder.Reason(err))
	}
	info, err := os.Stat(real)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", what, path, folder.Reason(err))
	}
	if !info.Mode().IsRegular() { // opening a pipe could wait for ever
		return nil, fmt.Errorf("%s %s is not a regular file", what, path)
	}
	// Windows has no such modes.
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		base, err := folder.Real(secrets)
		if _, ok := folder.Inside(base, real); err != nil || !ok {
			return nil, fmt.Errorf("%s %s is open to others than its owner (mode %04o): chmod 600 it", what, path, mode)
		}
	}
	if info.Size() > MaxToken {
		return nil, fmt.Errorf("%s %s has more than %d bytes", what, path, MaxToken)
	}
	text, err := os.ReadFile(real)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", what, path, folder.Reason(err))
	}
	return text, nil
}
