package quarry_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestVersions: what is released together has the version of the program, and so have the
// commands that the pages name.
func TestVersions(t *testing.T) {
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	found := regexp.MustCompile(`(?m)^const Release = "(.+)"$`).FindStringSubmatch(read("cmd/quarry/version/version.go"))
	if found == nil {
		t.Fatal("scripts/release/release.sh does not find the version either")
	}
	version := found[1]
	for _, name := range []string{"client/typescript/package.json", "client/typescript/package-lock.json", "editors/vscode/package.json", "web/package.json", "web/package-lock.json"} {
		var m struct{ Version string }
		if err := json.Unmarshal([]byte(read(name)), &m); err != nil || m.Version != version {
			t.Errorf("%s has the version %q, the program %q: %v", name, m.Version, version, err)
		}
	}
	for name, want := range map[string]string{"README.md": "quarry_" + version + "_amd64.deb", "docs/install.md": "make release VERSION=" + version} {
		if !strings.Contains(read(name), want) {
			t.Errorf("%s lacks %q", name, want)
		}
	}
}
