package architecture_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/architecture"
	"github.com/quarry-search/quarry/index/treemap"
)

var update = flag.Bool("update", false, "write what is got to testdata")

// TestArchitecture asks the queries of the archives, one of a line of "ask", about their other files,
// and compares with "want".
func TestArchitecture(t *testing.T) {
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
				if f.Name == "want" {
					part[f.Name] = string(f.Data)
					continue
				}
				if rest = append(rest, f); f.Name == "ask" {
					part[f.Name] = string(f.Data)
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
				fmt.Fprintf(&got, "> %s\n%s", strings.TrimSpace(line), asked(t, x, line))
			}
			if *update {
				archive.Files = append(rest, txtar.File{Name: "want", Data: []byte(got.String())})
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := gocmp.Diff(part["want"], got.String()); d != "" {
				t.Errorf("-want +got:\n%s", d)
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

// asked answers a query, given as JSON: an entry a line.
func asked(t *testing.T, x *index.Index, line string) string {
	t.Helper()
	var q architecture.Query
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	a, err := x.Architecture(t.Context(), q)
	if err != nil {
		return fmt.Sprintf("%T: %v\n", err, err)
	}
	var b strings.Builder
	write := func(what string, v any) {
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s", what, out.String())
	}
	write("totals", a.Totals)
	each(write, "layer", a.Layers)
	each(write, "module", a.Modules)
	each(write, "cell", a.Matrix)
	each(write, "cycle", a.Cycles)
	each(write, "hub", a.Hubs)
	each(write, "god file", a.GodFiles)
	each(write, "violation", a.Violations)
	each(write, "together", a.Together)
	each(write, "function", a.Functions)
	b.WriteString(a.Drawing)
	for _, text := range a.NotLookedAt {
		fmt.Fprintf(&b, "not looked at: %s\n", text)
	}
	write("complete", a.Completeness)
	if a.Truncated {
		write("cut", a.Cuts)
	}
	return b.String()
}

func each[T any](write func(string, any), what string, list []T) {
	for _, v := range list {
		write(what, v)
	}
}

// TestTogether has commits change files, and asks which change together, and how often each did.
func TestTogether(t *testing.T) {
	root := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", root, "-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	for i := range 4 {
		change := map[string]string{"a/a.go": "package a", "b/b.go": "package b"}
		if i%2 == 0 {
			change["c/c.go"] = "package c"
		}
		for name, text := range change {
			at := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, fmt.Appendf(nil, "%s\n\nvar V = %d\n", text, i), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		git("add", "-A")
		git("commit", "-qm", "change")
	}
	x := opened(t, root)
	for range 2 { // the second time from what is kept
		a, err := x.Architecture(t.Context(), architecture.Query{Section: architecture.Together})
		if err != nil {
			t.Fatal(err)
		}
		want := []architecture.Pair{{A: "a", B: "b", Commits: 4, CommitsA: 4, CommitsB: 4, Confidence: 1}}
		if d := gocmp.Diff(want, a.Together); d != "" || len(a.NotLookedAt) > 0 {
			t.Errorf("not looked at %v, -want +got:\n%s", a.NotLookedAt, d)
		}
	}
	m, err := x.Treemap(t.Context(), treemap.Query{})
	if err != nil {
		t.Fatal(err)
	}
	churn := map[string]int{}
	for _, n := range m.Nodes {
		churn[n.Path] = *n.Churn
	}
	if d := gocmp.Diff(map[string]int{".": 4, "a": 4, "a/a.go": 4, "b": 4, "b/b.go": 4, "c": 2, "c/c.go": 2}, churn); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}
