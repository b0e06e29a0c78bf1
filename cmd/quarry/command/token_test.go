package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
)

func TestReadToken(t *testing.T) {
	dir, err := folder.Real(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	secrets := filepath.Join(dir, "run", "secrets")
	const good = "0123456789abcdef"
	for _, test := range []struct {
		name, text string
		mode       os.FileMode
		want       string // in the error; "": the token is good
	}{
		{"600", good, 0o600, ""},
		{"400", "  " + good + "\r\n", 0o400, ""},
		{"640", good, 0o640, "is open to others than its owner (mode 0640): chmod 600 it"},
		{"604", good, 0o604, "is open to others"},
		{"620", good, 0o620, "is open to others"},
		{"run/secrets/token", good, 0o444, ""},
		{"run/secrets/deep/token", good, 0o644, ""},
		{"run/secrets-not/token", good, 0o644, "is open to others"},
		{"short", good[1:] + "\n", 0o600, "has 15 bytes, and 16 are needed"},
		{"empty", "", 0o600, "has 0 bytes"},
		{"two-lines", good + "\n" + good, 0o600, "one word of printable ASCII"},
		{"umlaut", good + "ü", 0o600, "one word of printable ASCII"},
		{"huge", strings.Repeat("x", config.MaxToken+1), 0o600, "has more than 4096 bytes"},
	} {
		path := filepath.Join(dir, filepath.FromSlash(test.name))
		write(t, path, test.text)
		if err := os.Chmod(path, test.mode); err != nil {
			t.Fatal(err)
		}
		got, err := config.ReadToken(path, secrets)
		switch {
		case test.want == "" && (err != nil || got != good):
			t.Errorf("%s: %q, %v", test.name, got, err)
		case test.want != "" && (err == nil || got != "" || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: %q, %v; want %q", test.name, got, err, test.want)
		case err != nil && (strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), good[1:])):
			t.Errorf("%s: the error has the token, or two lines: %v", test.name, err)
		}
	}
	if _, err := config.ReadToken(dir, secrets); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := config.ReadToken(filepath.Join(dir, "none"), secrets); err == nil || !strings.HasSuffix(err.Error(), "none: no such file or directory") {
		t.Errorf("a file that is not there: %v", err)
	}
	// A link counts as what it leads to, from inside the secrets too.
	link := filepath.Join(secrets, "link")
	if err := os.Symlink(filepath.Join(dir, "640"), link); err != nil {
		t.Fatal(err)
	}
	if _, err := config.ReadToken(link, secrets); err == nil {
		t.Error("a link out of the secrets was taken")
	}
	pipe := filepath.Join(dir, "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { _, err := config.ReadToken(pipe, secrets); done <- err }()
	select {
	case err := <-done:
		if err == nil {
			t.Error("a pipe was taken")
		}
	case <-time.After(5 * time.Second):
		t.Fatal("reading waits for the pipe")
	}
}

// What a running server has written down for others does not hold its token.
func TestTokenIsNotRegistered(t *testing.T) {
	root, data := t.TempDir(), t.TempDir()
	write(t, filepath.Join(root, "a.go"), "package a\n")
	const token = "a-token-for-this-test"
	file := filepath.Join(t.TempDir(), "token")
	write(t, file, token)
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatal(err)
	}
	s := startServer(t, root, "--data-dir", data, "--token-file", file, "--log-level", "debug")
	err := filepath.WalkDir(data, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), token) {
			t.Errorf("%s holds the token", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if strings.Contains(s.log.String(), token) {
		t.Error("the log holds the token")
	}
}
