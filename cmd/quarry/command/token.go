package command

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
)

const (
	minToken = 16   // bytes; 16 random hexadecimal digits are 64 bits
	maxToken = 4096 // bytes; more is not a token but another file
	// secretsDir is where containers get their secrets. Their modes are not the
	// user's to choose, and nobody else is in the container.
	secretsDir = "/run/secrets"
)

// token returns the text of the token file, "" when there is none.
func (s *settings) token() (string, error) {
	if s.Server.TokenFile == "" {
		return "", nil
	}
	return readToken(s.Server.TokenFile, secretsDir)
}

// readToken returns a token file's text without the white space around it.
func readToken(path, secrets string) (string, error) {
	text, err := readSecret("token file", path, secrets)
	if err != nil {
		return "", err
	}
	text = bytes.TrimSpace(text)
	if len(text) < minToken {
		return "", fmt.Errorf("the token in %s has %d bytes, and %d are needed", path, len(text), minToken)
	}
	for _, c := range text {
		if c <= ' ' || c > '~' { // it is to stand in a header
			return "", fmt.Errorf("the token in %s must be one word of printable ASCII", path)
		}
	}
	return string(text), nil
}

// readSecret returns what is in a small file, which is called what. One that others than
// its owner can read is refused, except below secrets.
func readSecret(what, path, secrets string) ([]byte, error) {
	real, err := realPath(path)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", what, path, reason(err))
	}
	info, err := os.Stat(real)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", what, path, reason(err))
	}
	if !info.Mode().IsRegular() { // opening a pipe could wait for ever
		return nil, fmt.Errorf("%s %s is not a regular file", what, path)
	}
	// Windows has no such modes.
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		base, err := realPath(secrets)
		if _, ok := inside(base, real); err != nil || !ok {
			return nil, fmt.Errorf("%s %s is open to others than its owner (mode %04o): chmod 600 it", what, path, mode)
		}
	}
	if info.Size() > maxToken {
		return nil, fmt.Errorf("%s %s has more than %d bytes", what, path, maxToken)
	}
	text, err := os.ReadFile(real)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", what, path, reason(err))
	}
	return text, nil
}
