package index

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/grep"
	"github.com/quarry-search/quarry/index/search"
)

// TestMasked has a key in a file that is indexed, in one that is too large for that, and in
// one that nobody has saved: no way out of the index has it, and no snapshot. With
// KeepSecrets all have.
func TestMasked(t *testing.T) {
	key := "Zq7Rk2Vw9Ty4Lm1Xn8Bc" + "Gd3Hf6Js5Pa0Ue7Wi"[:16] // 36 random letters and digits
	line := "var deployKey = \"ghp_" + key + "\"\n"
	for _, keep := range []bool{false, true} {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"deploy.go":   "package deploy\n\n// Deploy uses the key of the deployment.\nfunc Deploy() string { return deployKey }\n\n" + line,
			"large.txt":   line + strings.Repeat("a line of a large file\n", 500),
			"ci/start.sh": "export DEPLOY_TOKEN=ghp_" + key + "\n",
		} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		opt := Options{MaxFileBytes: 5000, KeepSecrets: keep}
		x, err := Open(dir, opt)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if _, err := x.Build(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		all := map[string]string{}
		a, err := x.Search(t.Context(), search.Query{Text: "deploy key", Limit: 10})
		if err != nil || len(a.Results) == 0 {
			t.Fatal(a, err)
		}
		for _, r := range a.Results {
			all["search"] += r.Content
		}
		for _, path := range []string{"deploy.go", "large.txt", "ci/start.sh"} {
			f, err := x.Read(t.Context(), grep.ReadQuery{Path: path})
			if err != nil {
				t.Fatal(err)
			}
			all["read "+path] = f.Text
			if f.Changed {
				t.Errorf("%s seems to have changed", path)
			}
		}
		var raw bytes.Buffer
		if _, err := x.GrepRaw(t.Context(), grep.GrepQuery{Pattern: "ghp_"}, grep.RawOptions{}, &raw); err != nil {
			t.Fatal(err)
		}
		all["raw grep"] = raw.String()
		v, err := x.With(t.Context(), []Overlay{{Path: "deploy.go", Content: "package deploy\n\n// Rotate.\nfunc Rotate() string { return \"ghp_" + key + "\" }\n"}})
		if err != nil {
			t.Fatal(err)
		}
		o, err := v.Index.Search(t.Context(), search.Query{Text: "Rotate", Limit: 10})
		if err != nil || len(o.Results) == 0 {
			t.Fatal(o, err)
		}
		all["overlay"] = o.Results[0].Content
		v.Release()
		for what, text := range all {
			if has, masked := strings.Contains(text, key), strings.Contains(text, "ghp_"+MaskMark); has != keep || masked == keep {
				t.Errorf("%s, kept %v: %q", what, keep, text)
			}
		}
		// Nobody finds the key out by asking for the beginnings of it.
		g, err := x.Grep(t.Context(), grep.GrepQuery{Pattern: "ghp_" + key[:2]})
		if err != nil || (g.Matches > 0) != keep {
			t.Errorf("kept %v: %d lines match, %v", keep, g.Matches, err)
		}

		snap := filepath.Join(t.TempDir(), "s.quarry")
		if err := x.Save(t.Context(), snap, false); err != nil {
			t.Fatal(err)
		}
		opt.KeepSecrets = !keep
		other, err := Open(dir, opt)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		if err := other.Restore(snap); err == nil || !strings.Contains(err.Error(), "masks of version") {
			t.Errorf("what was made with secrets kept %v was taken over without: %v", keep, err)
		}
	}
}
