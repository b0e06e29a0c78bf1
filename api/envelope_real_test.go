package api

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Nothing outside of the root and no secret comes through the envelope, however it is
// named and whichever command asks, raw or not.
func TestEnvelopeStaysInside(t *testing.T) {
	x := exchangeIndex(t, txtar.Parse([]byte(`
-- root/src/a.go --
package a
-- root/.env --
KEY=canary
-- root/.aws/config --
canary
-- root/.gitignore --
build/
-- root/build/out.txt --
canary
`)))
	root := x.Root()
	evil := root + "-evil"
	if err := os.Mkdir(evil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(evil, "canary.go"), []byte("package canary\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"out": evil, "canary.go": filepath.Join(evil, "canary.go"), "env": ".env"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	c, h := newChecker(t), newServer(t, x, Options{}).Handler()
	for _, path := range []string{
		"../" + filepath.Base(evil), evil, evil + "/canary.go", "out", "out/canary.go", "canary.go", "src/../../" + filepath.Base(evil), "/etc/passwd", "a\x00b",
		".env", "env", ".aws/config", "build/out.txt", ".git/config",
	} {
		for _, command := range []string{"grep?pattern=.&", "cat?", "find?"} {
			secret := path[0] == '.' && path[1] != '.' || path == "env" || strings.HasPrefix(path, "build")
			if secret && command != "cat?" {
				continue // what is searched and listed below it is none of it
			}
			for _, form := range []string{"format=json", "format=te", "raw=true"} {
				r := c.get(h, fmt.Sprintf("/%s%s&path=%s", command, form, url.QueryEscape(path)))
				want := 400
				if secret {
					want = 403
				}
				if path == ".git/config" { // there is no such file
					want = 404
				}
				if r.status != want || strings.Contains(strings.ReplaceAll(string(r.body), path, ""), "canary") {
					t.Errorf("/%s%s of %q: %d %s", command, form, path, r.status, r.body)
				}
			}
		}
	}
	r := c.get(h, "/find?format=te")
	if strings.Contains(string(r.body), "canary\n") || strings.Contains(string(r.body), ".env") || strings.Contains(string(r.body), ".aws") ||
		!strings.Contains(string(r.body), "# TE: 2 with names of keys or credentials are not listed\n") {
		t.Errorf("%s", r.body)
	}
}
