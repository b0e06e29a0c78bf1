package client_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadme runs the example in Go of docs/http.md against a server of the folder that
// the pages are about.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../docs/http.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "```go\n")
	program, _, ends := strings.Cut(rest, "```\n")
	if !found || !ends || strings.Contains(rest, "```go\n") {
		t.Fatal("docs/http.md has no example in Go, or several")
	}
	address, _ := shop(t, "")
	const theirs = "http://localhost:3456"
	if strings.Count(program, theirs) != 1 {
		t.Fatalf("the example does not name %s once:\n%s", theirs, program)
	}
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(program, theirs, address)), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "run", file).CombinedOutput()
	if err != nil {
		t.Fatalf("go run: %v\n%s", err, out)
	}
	if !strings.Contains(string(out), "auth/token.go:") {
		t.Errorf("it prints\n%s", out)
	}
}
