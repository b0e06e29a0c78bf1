package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/outline"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/verify"
)

// pool returns a ParserPool whose processes are this test.
func pool(t testing.TB) *ParserPool {
	t.Helper()
	p := NewParserPool(ParserOptions{Command: []string{os.Args[0], "parse-worker"}, Size: 2, Memory: 64 << 20, Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(p.Close)
	return p
}

// openPooled opens an index whose files are parsed in processes of their own.
func openPooled(t testing.TB, root string, p *ParserPool) *Index {
	t.Helper()
	return openWith(t, root, Options{Parsers: p, Workers: 2})
}

// openWith opens an index with options.
func openWith(t testing.TB, root string, o Options) *Index {
	t.Helper()
	x, err := Open(root, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

// An ending is the input of a process that parses for a test. It ends where a request
// says so.
type ending struct{ io.Reader }

func (e ending) Read(b []byte) (int, error) {
	n, err := e.Reader.Read(b)
	if bytes.Contains(b[:n], []byte("# ends what parses it")) {
		abort()
	}
	for bytes.Contains(b[:n], []byte("# holds what parses it")) {
	}
	return n, err
}

// abort ends the process in the way in which a fault of C does, where the system has one.
func abort() {
	if p, err := os.FindProcess(os.Getpid()); err == nil && p.Signal(syscall.SIGABRT) == nil {
		select {}
	}
	os.Exit(134)
}

// rubyBomb ends every process that parses it.
func rubyBomb(n int) string {
	return fmt.Sprintf("# %d ends what parses it\ndef before%d\nend\n# ends what parses it\n", n, n)
}

// TestCrashingFiles: files that end their parser are indexed as text and listed, those
// next to them are parsed, and neither a restart nor another root tries them again.
func TestCrashingFiles(t *testing.T) {
	root := t.TempDir()
	for n := range 3 {
		write(t, root, fmt.Sprintf("bad%d.rb", n), rubyBomb(n))
	}
	for n := range 20 {
		write(t, root, fmt.Sprintf("good%d.rb", n), fmt.Sprintf("def good%d\n  good%d\nend\n", n, (n+1)%20))
	}
	p := pool(t)
	x := openPooled(t, root, p)
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	check := func(x *Index, want int) {
		t.Helper()
		s := x.Status(2)
		if s.Coverage.Indexed != 23 || s.Coverage.Skipped != 0 || s.Coverage.Unparsed["parser_crashed"] != want || len(s.Coverage.Texts) != min(want, 2) {
			t.Errorf("coverage %+v", s.Coverage)
		}
		a, err := x.Search(t.Context(), search.Query{Text: "before1", Limit: 3, Mode: search.Lexical})
		if err != nil || len(a.Results) == 0 || a.Results[0].File != "bad1.rb" {
			t.Errorf("its text is not found: %d results, %v", len(a.Results), err)
		}
		if calls, err := x.Calls(t.Context(), calls.CallsQuery{Target: "good3", Limit: 10}); err != nil || len(calls.Edges) == 0 {
			t.Errorf("calls of a healthy file: %+v, %v", calls.Edges, err)
		}
	}
	check(x, 3)
	if v, err := x.Verify(t.Context(), verify.VerifyOptions{}); err != nil || len(v.Differences) > 0 {
		t.Errorf("verify: %+v, %v", v.Differences, err)
	}

	// A request that looks at the syntax of such a file again.
	before := p.Counts()
	if _, err := x.Skeleton(t.Context(), outline.SkeletonQuery{Path: "bad0.rb"}); err == nil {
		t.Error("there is a skeleton without a tree")
	}
	if after := p.Counts(); after.Crashed != before.Crashed || after.Started > before.Started+1 {
		t.Errorf("a request tried again: %+v, then %+v", before, after)
	}

	// A restart, with processes that know nothing.
	snapshot := filepath.Join(t.TempDir(), "snapshot")
	if err := x.Save(t.Context(), snapshot, false); err != nil {
		t.Fatal(err)
	}
	again := pool(t)
	y := openPooled(t, root, again)
	if err := y.Restore(snapshot); err != nil {
		t.Fatal(err)
	}
	if _, err := y.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	check(y, 3)
	if c := again.Counts(); c.Crashed != 0 {
		t.Errorf("a restart tried again: %+v", c)
	}

	// When the text changes it is.
	write(t, root, "bad0.rb", "def before0\nend\n")
	write(t, root, "bad1.rb", rubyBomb(1)+"# changed\n")
	if _, err := y.Update(t.Context(), []string{"bad0.rb", "bad1.rb"}); err != nil {
		t.Fatal(err)
	}
	check(y, 2)
	if c := again.Counts(); c.Crashed != 1 {
		t.Errorf("%+v", c)
	}
}

// TestPooledIsTheSame: an index whose files were parsed in processes equals one whose
// files were not.
func TestPooledIsTheSame(t *testing.T) {
	root := t.TempDir()
	n := 0
	err := filepath.WalkDir("internal/graph/testdata", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || n > 200 {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for file := range bytes.SplitSeq(text, []byte("\n-- ")) {
			if name, body, ok := bytes.Cut(file, []byte(" --\n")); ok && filepath.IsLocal(string(name)) {
				n++
				write(t, root, fmt.Sprintf("%d/%s", n, name), string(body))
			}
		}
		return nil
	})
	if err != nil || n < 100 {
		t.Fatal(n, err)
	}
	here, there := open(t, root), openPooled(t, root, pool(t))
	here.Opt.Embedder, here.Dim = nil, 0
	for _, x := range []*Index{here, there} {
		if _, err := x.Build(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range here.Table.Files {
		got := there.Table.Files[path]
		if got == nil || got.Fault != want.Fault || got.Grammar != want.Grammar || !bytes.Equal(got.Lowered, want.Lowered) || len(got.Symbols) != len(want.Symbols) {
			t.Errorf("%s: another record", path)
		}
	}
	a, b := here.Status(0), there.Status(0)
	if diff := gocmp.Diff(a.Coverage, b.Coverage); diff != "" {
		t.Error(diff)
	}
}

// TestNoProcess: a file for which no process can be started waits, with what was indexed
// before, and is parsed when there is one.
func TestNoProcess(t *testing.T) {
	program := filepath.Join(t.TempDir(), "parser")
	p := NewParserPool(ParserOptions{Command: []string{program, "parse-worker"}, Size: 1})
	t.Cleanup(p.Close)
	root := t.TempDir()
	write(t, root, "a.py", "def first():\n    pass\n")
	x := openPooled(t, root, p)
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if s := x.Status(1); s.Coverage.Pending != 1 || s.Coverage.Reasons["pending"] != 1 || s.Freshness == answer.Fresh {
		t.Errorf("without a process: %s, %+v", s.Freshness, s.Coverage)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, program); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- x.Run(ctx, nil) }()
	for s := x.Status(0); (s.Freshness != answer.Fresh || s.Coverage.Indexed == 0) && t.Context().Err() == nil; s = x.Status(0) {
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	<-ended
	if s := x.Status(1); s.Freshness != answer.Fresh || s.Coverage.Indexed != 1 || s.Symbols != 1 || len(s.Coverage.Unparsed) != 0 {
		t.Errorf("with a process: %s, %d symbols, %+v", s.Freshness, s.Symbols, s.Coverage)
	}
}

// TestSlowFile: a file that takes long to parse keeps no other from being updated. It is
// pending until it is done, by itself.
func TestSlowFile(t *testing.T) {
	root := t.TempDir()
	write(t, root, "good.rb", "def good\nend\n")
	x := openWith(t, root, Options{Parsers: pool(t), Workers: 2, Background: true})
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	write(t, root, "slow.rb", "# holds what parses it\ndef slow\nend\n")
	write(t, root, "good.rb", "def better\nend\n")
	report, err := x.Update(t.Context(), []string{"slow.rb", "good.rb"})
	if err != nil || report.Pending != 1 || report.Changed != 1 {
		t.Fatalf("%+v, %v", report, err)
	}
	if s := x.Status(1); s.Coverage.Pending != 1 || s.Coverage.Unparsed["parser_late"] != 0 {
		t.Errorf("%+v", s.Coverage)
	}
	for {
		due := x.Retries.Next()
		if due.IsZero() {
			break
		}
		time.Sleep(time.Until(due))
		if _, err := x.Retry(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s := x.Status(1)
	if s.Coverage.Pending != 0 || s.Coverage.Unparsed["parser_late"] != 1 || s.Coverage.Indexed != 2 {
		t.Errorf("%+v", s.Coverage)
	}
	if a, err := x.Search(t.Context(), search.Query{Text: "slow", Limit: 3, Mode: search.Lexical}); err != nil || len(a.Results) == 0 || a.Results[0].File != "slow.rb" {
		t.Errorf("its text is not found: %d results, %v", len(a.Results), err)
	}
}

// TestFlushSlowFile: who waits for what was queued waits for a file that takes long to
// parse, too.
func TestFlushSlowFile(t *testing.T) {
	root := t.TempDir()
	write(t, root, "good.rb", "def good\nend\n")
	x := openWith(t, root, Options{Parsers: pool(t), Workers: 2, Background: true})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- x.Run(ctx, nil) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	flush := func(path, text string) {
		t.Helper()
		write(t, root, path, text)
		if _, _, err := x.Invalidate(Invalidation{Paths: []string{path}}); err != nil {
			t.Fatal(err)
		}
		if err := x.Flush(ctx); err != nil {
			t.Fatal(err)
		}
	}
	flush("good.rb", "def better\nend\n")
	flush("slow.rb", "# holds what parses it\ndef slow\nend\n")
	if s := x.Status(1); s.Coverage.Pending != 0 || s.Coverage.Unparsed["parser_late"] != 1 {
		t.Errorf("%+v", s.Coverage)
	}
	short, cancel := context.WithCancel(ctx)
	cancel()
	write(t, root, "slow.rb", "# holds what parses it again\n")
	if _, err := x.Update(ctx, []string{"slow.rb"}); err != nil {
		t.Fatal(err)
	}
	err := x.Flush(short)
	x.Retries.Mu.Lock()
	defer x.Retries.Mu.Unlock()
	if !errors.Is(err, context.Canceled) || len(x.Retries.Waits) > 0 {
		t.Errorf("%v, %d wait", err, len(x.Retries.Waits))
	}
}
