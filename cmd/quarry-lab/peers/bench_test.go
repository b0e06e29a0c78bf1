package peers

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"
	"go.uber.org/goleak"
)

// run runs a command as main does.
func run(ctx context.Context, args []string, out, errOut io.Writer) error {
	root := &cobra.Command{Use: "quarry-lab", SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(Commands()...)
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errOut)
	return root.ExecuteContext(ctx)
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// section returns a file of an archive, with the root in place of ROOT.
func section(t *testing.T, a *txtar.Archive, name, root string) (string, bool) {
	t.Helper()
	for _, f := range a.Files {
		if f.Name == name {
			return strings.ReplaceAll(string(f.Data), "ROOT", filepath.ToSlash(root)), true
		}
	}
	return "", false
}

func archive(t *testing.T, name string) *txtar.Archive {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestCallersOfPeers reads what each peer prints for callers. A peer without an example
// fails it.
func TestCallersOfPeers(t *testing.T) {
	a := archive(t, "callers.txtar")
	p := place{root: t.TempDir()}
	source, _ := section(t, a, "root/shop.py", p.root)
	if err := os.WriteFile(filepath.Join(p.root, "shop.py"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, peer := range peers("quarry") {
		if peer.called == nil {
			continue
		}
		out, ok := section(t, a, peer.name, p.root)
		want, _ := section(t, a, peer.name+".want", p.root)
		if !ok {
			t.Errorf("%s has no example", peer.name)
			continue
		}
		var got []string
		for _, c := range peer.called(p, "price", []byte(out)) {
			got = append(got, c.file+":"+c.function)
		}
		if s := strings.Join(got, " "); !sameWords(s, want) {
			t.Errorf("%s: %s, want %s", peer.name, s, want)
		}
		if bad := peer.called(p, "price", []byte("{no json")); len(bad) > 0 {
			t.Errorf("%s reads callers from what is no answer: %v", peer.name, bad)
		}
	}
}

func sameWords(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	for _, w := range x {
		if !strings.Contains(" "+strings.Join(y, " ")+" ", " "+w+" ") {
			return false
		}
	}
	return len(x) == len(y)
}

// TestAnswersOfPeers reads what each peer prints for a question, in its order.
func TestAnswersOfPeers(t *testing.T) {
	a := archive(t, "answers.txtar")
	p := place{root: "/the/root"}
	for _, peer := range peers("quarry") {
		if peer.answer == nil {
			continue
		}
		out, ok := section(t, a, peer.name, p.root)
		if !ok {
			t.Errorf("%s has no example", peer.name)
			continue
		}
		want, _ := section(t, a, peer.name+".want", p.root)
		var got []string
		for _, h := range peer.answer(p, "close file", []byte(out)) {
			got = append(got, fmt.Sprintf("%s:%d-%d", h.File, h.Line, h.End))
		}
		if s := strings.Join(got, " "); s != strings.TrimSpace(want) {
			t.Errorf("%s: %s, want %s", peer.name, s, want)
		}
	}
}

func TestParseTruth(t *testing.T) {
	all, err := parseTruth("Prose.\n\na.py Cart.total <- b.py:show c.py:Page.draw b.py:Other.show\n")
	if got := fmt.Sprint(all); err != nil || got != "[{a.py Cart.total [{b.py show} {c.py draw}]}]" {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range []string{"a.py <- b.py:show", "a.py total <- show"} {
		if _, err := parseTruth(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	names, err := planted.ReadDir("planted")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		text, err := planted.ReadFile("planted/" + n.Name())
		if err != nil {
			t.Fatal(err)
		}
		a := txtar.Parse(text)
		truth, err := parseTruth(string(a.Comment))
		if err != nil || len(truth) < 4 {
			t.Errorf("%s: %d symbols, %v", n.Name(), len(truth), err)
		}
		for _, w := range truth {
			for _, c := range append(w.callers, caller{w.file, lastName(w.symbol)}) {
				if text, ok := section(t, a, c.file, ""); !ok || !strings.Contains(text, c.function) {
					t.Errorf("%s: there is no %s in %s", n.Name(), c.function, c.file)
				}
			}
		}
	}
}

func TestScore(t *testing.T) {
	s := new(score)
	s.add([]caller{{"a", "f"}, {"a", "g"}}, []caller{{"a", "f"}, {"b", "f"}, {"c", "f"}})
	if got := s.String(); got != "0.33 / 0.50" {
		t.Error(got)
	}
	none := new(score)
	none.add([]caller{{"a", "f"}}, nil)
	if got := none.String(); got != "none given / 0.00" {
		t.Error(got)
	}
}

func TestRatios(t *testing.T) {
	text := `goos: linux
cpu: A Processor
BenchmarkHTTP-2 	 1	 100 call-p50-µs	 150.0 http-p50-µs
BenchmarkHTTP-2 	 1	 100 call-p50-µs	 250.0 http-p50-µs
BenchmarkHTTP-2 	 1	 100 call-p50-µs	 200.0 http-p50-µs
BenchmarkQuery/regex-2 	 1	 10 bare-µs	 5 query-µs
BenchmarkBroken-2 	 what
PASS
`
	var b bytes.Buffer
	if err := writeRatios(&b, parseBenchmarks(text)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"HTTP, median 2.00 HTTP 200 µs call in process 100 µs 100 µs", "regex query 0.50 query 5 µs", "cold build not measured", "edit until visible not measured"} {
		if got := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	if err := printRatios(t.Context(), &b, "PASS\n"); err == nil {
		t.Error("a file without benchmarks is taken")
	}
}

func TestVersionAndReason(t *testing.T) {
	for text, want := range map[string]string{
		"ripgrep 15.2.0 (rev 1)\n": "15.2.0", "Universal Ctags 5.9.0(p5), Copyright": "5.9.0", "v1.2": "1.2", "no number": "", "": "",
	} {
		if got := firstVersion(text); got != want {
			t.Errorf("firstVersion(%q) = %q, want %q", text, got, want)
		}
	}
	if got := reason("first\nno model | offline\nSee https://example.com\n\n", os.ErrClosed); got != "no model / offline" {
		t.Error(got)
	}
	if got := reason("", os.ErrClosed); got != os.ErrClosed.Error() {
		t.Error(got)
	}
}

func TestZoektQuery(t *testing.T) {
	if got := zoektQuery(query{text: "err", word: true}); got != `case:yes content:"\\berr\\b"` {
		t.Error(got)
	}
	if got := zoektQuery(query{text: `a "b\w`}); got != `case:yes content:"a \"b\\w"` {
		t.Error(got)
	}
	if got := zoektLines([]byte(`{"result":{"FileMatches":[{"Matches":[{"LineNum":1},{"LineNum":4}]},{"Matches":[{"LineNum":1}]}]}}`)); got != 3 {
		t.Error(got)
	}
}

func TestBetween(t *testing.T) {
	page, err := between([]byte("a\n<!-- peers: begin -->\nold\n<!-- peers: end -->\nb\n"), "new\n")
	if want := "a\n<!-- peers: begin -->\nnew\n<!-- peers: end -->\nb\n"; err != nil || string(page) != want {
		t.Errorf("%q, %v", page, err)
	}
	if _, err := between([]byte("no markers"), ""); err == nil {
		t.Error("a page without markers is taken")
	}
}

// TestAbsentPeers compares no peer but a stand-in for quarry that does nothing: every
// peer is in the tables all the same, with the reason.
func TestAbsentPeers(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "project")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	source := "package p\n\nfunc listeners() { onlytwice, onlytwice := 1, 2 }\n"
	if err := os.WriteFile(filepath.Join(root, "a.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	var out, log bytes.Buffer
	err := run(context.Background(), []string{"peers", "--quarry", filepath.Join(dir, "absent"), "--repos", root}, &out, &log)
	if err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
	for _, p := range peers("quarry") {
		if !strings.Contains(out.String(), "| "+p.name+" | "+p.from+" | unknown | not installed |") {
			t.Errorf("%s is not named as absent:\n%s", p.name, &out)
		}
	}
	for _, bad := range [][]string{{"peers"}, {"peers", "--repos", root, "--suite", "x"}, {"peers", "--repos", root, "-n", "0"}, {"ratios"}, {"peers", "--repos", root, "more"}} {
		if err := run(context.Background(), bad, &out, &log); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// TestDo runs a step with its exit codes, and ends one that hangs.
func TestDo(t *testing.T) {
	f := find(t.Context(), peer{name: "sh", programs: []string{"sh"}}, nil)
	if f.why != "" {
		t.Skip("there is no sh")
	}
	sh := func(script string, none int) step { return step{args: []string{"sh", "-c", script}, none: none} }
	out, c, err := f.do(t.Context(), sh("echo found", 0))
	if err != nil || string(out) != "found\n" || c.wall <= 0 || c.peak <= 0 {
		t.Errorf("%q, %+v, %v", out, c, err)
	}
	if _, _, err := f.do(t.Context(), sh("exit 1", 1)); err != nil {
		t.Errorf("nothing found: %v", err)
	}
	if _, _, err := f.do(t.Context(), sh("echo why >&2; exit 2", 1)); err == nil || err.Error() != "why" {
		t.Errorf("a failure: %v", err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, _, err := f.do(soon, sh("sleep 60 & wait", 0)); err == nil {
		t.Error("a step that hangs is not ended")
	}
}
