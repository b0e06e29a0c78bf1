package api

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index"
)

// TestExchanges replays testdata/exchange/*.txtar against a real index. Files
// below root/ are what it has; each file "name" is a request, and "name.want" the
// response to it, as in TestRequests.
func TestExchanges(t *testing.T) {
	names, err := filepath.Glob("testdata/exchange/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no exchanges: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			x := exchangeIndex(t, ar)
			h := newServer(t, x, Options{Version: "1.2.3", Limits: Limits{Response: 16 << 10}}).Handler()
			want := map[string]string{}
			for _, f := range ar.Files {
				if n, ok := strings.CutSuffix(f.Name, ".want"); ok {
					want[n] = string(f.Data)
				}
			}
			out := &txtar.Archive{Comment: ar.Comment}
			for _, f := range ar.Files {
				if strings.HasSuffix(f.Name, ".want") {
					continue
				}
				out.Files = append(out.Files, f)
				if strings.HasPrefix(f.Name, "root/") {
					continue
				}
				head, body, _ := strings.Cut(strings.ReplaceAll(string(f.Data), "$ROOT", x.Root()), "\n\n")
				line, fields, _ := strings.Cut(head, "\n")
				method, target, _ := strings.Cut(strings.TrimSpace(line), " ")
				req := request(method, target, strings.TrimSuffix(body, "\n"))
				req.Header.Set("X-Request-Id", "test")
				for sc := bufio.NewScanner(strings.NewReader(fields)); sc.Scan(); {
					k, v, _ := strings.Cut(sc.Text(), ": ")
					req.Header.Set(k, v)
				}
				got := newChecker(t).do(h, req)
				var b bytes.Buffer
				fmt.Fprintf(&b, "%d\n", got.status)
				text := generation.ReplaceAllString(string(got.body), `"generation":7`) // it depends on the speed of the build
				b.WriteString(endedLine(strings.ReplaceAll(text, x.Root(), "$ROOT")))
				if !*update {
					if diff := cmp.Diff(want[f.Name], b.String()); diff != "" {
						t.Errorf("%s: response (-want +got):\n%s", f.Name, diff)
					}
				}
				out.Files = append(out.Files, txtar.File{Name: f.Name + ".want", Data: b.Bytes()})
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(out), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// endedLine ends a text as an archive does, which texts for a model do not.
func endedLine(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

var generation = regexp.MustCompile(`"generation":\d+`)

// exchangeIndex returns the built index of an archive's files below root/.
func exchangeIndex(t testing.TB, ar *txtar.Archive) *index.Index {
	dir := filepath.Join(t.TempDir(), "shop")
	for _, f := range ar.Files {
		name, ok := strings.CutPrefix(f.Name, "root/")
		if !ok {
			continue
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	x, err := index.Open(dir, index.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return x
}
