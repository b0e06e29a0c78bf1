package api

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestChangedFiles edits a file that the server has not been told about: every
// answer that names it says that it is no longer what was indexed.
func TestChangedFiles(t *testing.T) {
	x, _ := openReal(t)
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	c, h := newChecker(t), newServer(t, x, Options{}).Handler()
	targets := []string{
		"/search?query=ValidateToken&mode=symbol", "/search?queries=ValidateToken&queries=Allow", "/extract?symbol=ValidateToken",
		"/extract?file=src/auth/token.go", "/skeleton?path=src", "/calls?target=ValidateToken", "/impact?target=ValidateToken", "/references?target=ValidateToken",
		"/context?target=ValidateToken", "/trace?symbol=ValidateToken", "/cfg?target=ValidateToken", "/dfg?target=ValidateToken",
	}
	for _, edited := range []bool{false, true} {
		if edited {
			file := filepath.Join(x.Root(), "src", "auth", "token.go")
			if err := os.WriteFile(file, []byte("package auth\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, target := range targets {
			r := c.get(h, target)
			if r.status != 200 {
				t.Errorf("%s: %d %s", target, r.status, r.body)
			}
			if strings.Contains(string(r.body), `"changed":true`) != edited || strings.Contains(string(r.body), `"changed":1`) != edited {
				t.Errorf("%s: edited %v, but %s", target, edited, r.body)
			}
		}
	}
}
