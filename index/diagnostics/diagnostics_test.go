package diagnostics_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/diagnostics"
)

var update = flag.Bool("update", false, "write what is got to testdata")

// TestDiagnostics asks the queries of the archives, one of a line of "ask", about their other files,
// and compares with "want". A query with "sarif" names a file of the archive.
func TestDiagnostics(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var rest []txtar.File
			part := map[string]string{}
			root := t.TempDir()
			for _, f := range archive.Files {
				if f.Name != "want" {
					rest = append(rest, f)
				}
				part[f.Name] = string(f.Data)
				if f.Name == "want" || f.Name == "ask" || strings.HasSuffix(f.Name, ".sarif") {
					continue
				}
				at := filepath.Join(root, filepath.FromSlash(f.Name))
				if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(at, f.Data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			x := opened(t, root)
			var got strings.Builder
			for line := range strings.Lines(part["ask"]) {
				fmt.Fprintf(&got, "> %s\n%s", strings.TrimSpace(line), asked(t, x, line, part))
			}
			if *update {
				archive.Files = append(rest, txtar.File{Name: "want", Data: []byte(got.String())})
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := gocmp.Diff(part["want"], got.String()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func opened(t *testing.T, root string) *index.Index {
	t.Helper()
	x, err := index.Open(root, index.Options{Workers: 2})
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

// asked answers a query, given as JSON: a finding a line.
func asked(t *testing.T, x *index.Index, line string, part map[string]string) string {
	t.Helper()
	var q diagnostics.Query
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	if q.SARIF != "" {
		q.SARIF = strings.ReplaceAll(part[q.SARIF], "$ROOT", filepath.ToSlash(x.Root()))
	}
	a, err := x.Diagnostics(t.Context(), q)
	if err != nil {
		return fmt.Sprintf("error: %v\n", err)
	}
	var b strings.Builder
	for _, f := range a.Findings {
		fmt.Fprintf(&b, "%s:%d:%d-%d %s %s %s: %s [%s %s] %s\n", f.File, f.Line, f.Column, f.EndLine, f.Kind, f.Severity, f.Confidence, f.Message, f.Source, f.Rule, f.Symbol)
		if f.Changed {
			t.Errorf("%s is changed", f.File)
		}
	}
	fmt.Fprintf(&b, "%d of %d, next %d, counts %v, files %d, complete %v\n", len(a.Findings), a.Total, a.Next, a.Counts, a.Files, a.Complete)
	for _, why := range a.NotLookedAt {
		fmt.Fprintf(&b, "# %s\n", why)
	}
	return b.String()
}

// TestDeadline asks when there is no time left: nothing is looked at, and that is said.
func TestDeadline(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.go"), []byte("package a\n\nfunc f() {\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	x := opened(t, root)
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Hour))
	defer cancel()
	a, err := x.Diagnostics(ctx, diagnostics.Query{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Complete || a.Files != 0 || len(a.Cuts) != 1 || a.Cuts[0] != answer.CutTime || !strings.HasPrefix(a.NotLookedAt[0], "1 of 1 files") {
		t.Errorf("%+v", a)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if _, err := x.Diagnostics(ctx, diagnostics.Query{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// TestSARIF writes findings and reads them.
func TestSARIF(t *testing.T) {
	want := []diagnostics.Finding{
		{Kind: diagnostics.Reported, Severity: "error", File: "a b/c#.go", Line: 3, Column: 2, EndLine: 4, Message: "no\nway", Rule: "R1", Source: "one"},
		{Kind: diagnostics.Reported, Severity: "note", File: "/elsewhere/x.py", Message: "all of it", Source: "one"},
		{Kind: diagnostics.Reported, Severity: "warning", Message: "nowhere", Rule: "R2", Source: "two"},
	}
	var b bytes.Buffer
	if err := diagnostics.WriteSARIF(&b, want, "1.0"); err != nil {
		t.Fatal(err)
	}
	got, err := diagnostics.ReadSARIF(b.Bytes())
	if diff := gocmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, -want +got\n%s", err, diff)
	}
}
