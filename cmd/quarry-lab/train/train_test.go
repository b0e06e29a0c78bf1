package train

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// writeRepository makes a repository in dir/owner+name with some documented
// functions and some commits that change them.
func writeRepository(t *testing.T, dir, name string, topics []string) Repository {
	t.Helper()
	at := filepath.Join(dir, flat(name))
	run := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", at}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE=2024-01-01T00:00:00Z",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_COMMITTER_DATE=2024-01-01T00:00:00Z")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	write := func(topic string, version int) {
		text := fmt.Sprintf(`// Package %[1]s keeps every %[1]s of the program together.
package %[1]s

// A %[2]s is one open %[1]s with its waiters.
type %[2]s struct{ handle uint64 }

// Open%[2]s opens the %[1]s for reading and says what failed.
func Open%[2]s(path string) (*%[2]s, error) {
	handle, err := acquire%[2]s(path, %[3]d)
	if err != nil {
		return nil, wrap%[2]s(err)
	}
	return &%[2]s{handle: handle}, nil
}

// Close%[2]s gives the %[1]s back to the pool it came from.
func Close%[2]s(item *%[2]s) {
	// Nobody waits for a closed %[1]s any longer.
	item.waiters.release%[2]s(item.handle, %[3]d)
}
`, topic, strings.ToUpper(topic[:1])+topic[1:], version)
		if err := os.WriteFile(filepath.Join(at, topic+".go"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	run("init", "-q")
	for _, topic := range topics {
		write(topic, 1)
	}
	run("add", ".")
	run("commit", "-q", "-m", "Begin")
	for i, topic := range topics {
		write(topic, 2+i)
		run("commit", "-q", "-a", "-m", fmt.Sprintf("Count the waiters of a %s before closing", topic))
	}
	return Repository{name, run("rev-parse", "HEAD")}
}

func smallExtraction(t *testing.T) Extraction {
	dir := t.TempDir()
	return Extraction{
		Clones: dir, Cache: filepath.Join(dir, "cache"), Workers: 2, Log: t.Logf,
		Repositories: []Repository{
			writeRepository(t, dir, "one/store", []string{"record", "segment", "journal", "cursor", "bucket", "ledger"}),
			writeRepository(t, dir, "two/net", []string{"socket", "packet", "session", "router", "gateway", "beacon"}),
		},
	}
}

func smallSettings() Settings {
	s := DefaultSettings()
	s.Dim, s.Batch, s.Epochs = 32, 8, 3
	s.Fields, s.Learn = [fields]float64{1, 1, 1}, true
	s.Words = encoderTable{dim: 48}
	return s
}

// The same seed gives the same bytes, on one core and on many, from clones and
// from the cache; another seed gives others.
func TestModelIsReproducible(t *testing.T) {
	e := smallExtraction(t)
	e.Questions = fstest.MapFS{
		"one+store.tsv": {Data: []byte("# one/store " + e.Repositories[0].Revision + "\nsegment.go:17-20\tlet go of a part of the log\n")},
		"two+net.tsv":   {Data: []byte("# two/net " + e.Repositories[1].Revision + "\nsocket.go:8-14\tbegin to listen to a peer\n")},
	}
	train := func(cores int, s Settings, e Extraction) map[string][]byte {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		out := t.TempDir()
		if _, err := Model(t.Context(), e, s, out); err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{}
		for _, name := range []string{"model.onnx", "vocab.txt", "model.json", "MODEL.md"} {
			b, err := os.ReadFile(filepath.Join(out, name))
			if err != nil {
				t.Fatal(err)
			}
			files[name] = b
		}
		return files
	}
	first := train(1, smallSettings(), e)
	fresh := e
	fresh.Cache = ""
	for name, again := range map[string]map[string][]byte{
		"from the cache on four cores": train(4, smallSettings(), e),
		"from the clones":              train(3, smallSettings(), fresh),
	} {
		for file, b := range first {
			if !bytes.Equal(b, again[file]) {
				t.Errorf("%s: %s differs", name, file)
			}
		}
	}
	for _, said := range []string{"| pairs | doc, remark, commit, file, name, question |", "`" + sum([]byte("table")) + "`"} {
		if !bytes.Contains(first["MODEL.md"], []byte(said)) {
			t.Errorf("the card does not say %q:\n%s", said, first["MODEL.md"])
		}
	}
	s := smallSettings()
	s.Words = nil
	if other := train(1, s, e); bytes.Equal(other["model.onnx"], first["model.onnx"]) || bytes.Contains(other["MODEL.md"], []byte("encoder")) {
		t.Error("without an encoder the model is the same, or its card names one")
	}
	s = smallSettings()
	s.Seed = 2
	if other := train(1, s, e); bytes.Equal(other["model.onnx"], first["model.onnx"]) {
		t.Error("another seed gives the same model")
	} else if !bytes.Equal(other["vocab.txt"], first["vocab.txt"]) {
		t.Error("another seed gives another vocabulary")
	}
}

func TestExtract(t *testing.T) {
	e := smallExtraction(t)
	files, err := Extract(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	var got [kinds]int
	var doc, remark, commit, file, name Pair
	for _, p := range slices.Concat(readAll(t, files[0][0]), readAll(t, files[0][1]), readAll(t, files[0][2])) {
		got[p.Kind]++
		if !strings.Contains(p.Path, "segment") {
			continue
		}
		switch {
		case p.Kind == DocComment && strings.HasPrefix(p.Query, "Open"):
			doc = p
		case p.Kind == RemarkPair:
			remark = p
		case p.Kind == CommitPair:
			commit = p
		case p.Kind == FilePair:
			file = p
		case p.Kind == NamePair:
			name = p
		}
	}
	// Of each of six files two docs (the type is too short), one remark, the docs of the package and of the type; a commit changes two hunks;
	// one function is long enough for its name.
	if got != [kinds]int{DocComment: 12, RemarkPair: 6, CommitPair: 12, FilePair: 12, NamePair: 6} {
		t.Errorf("pairs by kind: %v", got)
	}
	if doc.Query != "OpenSegment opens the segment for reading and says what failed." || doc.Names != "OpenSegment" ||
		doc.Language != "go" || !strings.HasPrefix(doc.Text, "func OpenSegment(") || strings.Contains(doc.Text, "//") {
		t.Errorf("doc: %+v", doc)
	}
	if remark.Query != "Nobody waits for a closed segment any longer." || remark.Names != "CloseSegment" || !strings.Contains(remark.Text, "releaseSegment") {
		t.Errorf("remark: %+v", remark)
	}
	if commit.Query != "Count the waiters of a segment before closing" || !strings.Contains(commit.Text, "3)") || strings.Contains(commit.Text, ", 1)") {
		t.Errorf("commit: %+v", commit)
	}
	if file.Query != "A Segment is one open segment with its waiters." || file.Names != "Segment handle OpenSegment CloseSegment" || file.Text != "" {
		t.Errorf("file: %+v", file)
	}
	if name.Query != "open segment" || name.Names != "" || !strings.HasPrefix(name.Text, "func (path string) (*Segment, error)") ||
		!strings.Contains(name.Text, "acquireSegment") || strings.Contains(name.Text, "OpenSegment") {
		t.Errorf("name: %+v", name)
	}

	// What is there is not made again: the clones may go.
	if err := os.RemoveAll(filepath.Join(e.Clones, "one+store")); err != nil {
		t.Fatal(err)
	}
	if _, err := Extract(t.Context(), e); err != nil {
		t.Error(err)
	}
}

func readAll(t *testing.T, file string) []Pair {
	t.Helper()
	var list []Pair
	if err := readPairs(file, func(p *Pair) { list = append(list, *p) }); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestExtractErrors(t *testing.T) {
	e := smallExtraction(t)
	for _, c := range []struct {
		name   string
		change func(*Extraction)
		want   string
	}{
		{"excluded", func(e *Extraction) { e.Excluded = []string{"ONE/Store"} }, "the model is measured on one/store"},
		{"no clone", func(e *Extraction) { e.Repositories = []Repository{{"no/body", strings.Repeat("0", 40)}} }, "no clone of no/body"},
		{"no commit", func(e *Extraction) {
			e.Repositories = []Repository{{"one/store", strings.Repeat("0", 40)}}
		}, "lacks the commit 0000"},
	} {
		bad := e
		c.change(&bad)
		if _, err := Extract(t.Context(), bad); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Extract(ctx, e); err == nil {
		t.Error("a cancelled context is no error")
	}
}

func TestReadRepositories(t *testing.T) {
	id := strings.Repeat("a", 40)
	for text, want := range map[string]string{
		"# list\n\na/b " + id + "\n":       "",
		"a/b " + id + "\nA/B " + id + "\n": "line 2 names A/B again, after line 1",
		"a/b main\n":                       "line 1",
		"../b " + id + "\n":                "line 1",
		"\n":                               "no repository",
	} {
		_, err := ReadRepositories(strings.NewReader(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestReadPairsRefusesDamage(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.pairs")
	if err := writePairs(name, []Pair{{Kind: CommitPair, Query: "q", Text: strings.Repeat("text ", 100)}}); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, name); len(got) != 1 || got[0].Kind != CommitPair || got[0].Query != "q" || len(got[0].Text) != 500 {
		t.Errorf("read back: %+v", got)
	}
	for n := range whole {
		if err := os.WriteFile(name, whole[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		if err := readPairs(name, func(*Pair) {}); err == nil {
			t.Fatalf("%d of %d bytes are read without an error", n, len(whole))
		}
	}
}
