package index

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/grep"
	"github.com/quarry-search/quarry/index/internal/ingest"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/oserror"
	"github.com/quarry-search/quarry/index/search"
)

// A saboteur has calls of the system fail.
type saboteur struct{ plan atomic.Pointer[sabotage] }

type sabotage struct {
	hits  func(call, name string) bool
	errno syscall.Errno
}

func (s *saboteur) fault(call, name string) error {
	if p := s.plan.Load(); p != nil && p.hits(call, name) {
		return p.errno
	}
	return nil
}

// begin has calls about a path, or about all of a name, fail; none: all calls.
func (s *saboteur) begin(errno syscall.Errno, name string, calls ...string) {
	s.plan.Store(&sabotage{func(call, n string) bool {
		return (n == name || filepath.Base(n) == name) && (len(calls) == 0 || slices.Contains(calls, call))
	}, errno})
}

func (s *saboteur) end() { s.plan.Store(nil) }

// sabotaged opens an index whose calls a saboteur may have fail.
func sabotaged(t *testing.T, root string) (*Index, *saboteur) {
	t.Helper()
	s := new(saboteur)
	x, err := Open(root, Options{Workers: 1, Fault: s.fault})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x, s
}

// until waits for something that is to happen by itself.
func until(t *testing.T, x *Index, what string, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !cond(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			st := x.Status(10)
			t.Fatalf("never: %s; %s, %s, pending %d, coverage %+v", what, st.State.State, st.Freshness, st.Pending, st.Coverage)
		}
	}
}

func fresh(x *Index) bool { return x.State().Freshness == answer.Fresh }

// hasWord reports whether a word is in a file of the index.
func hasWord(t *testing.T, x *Index, word, file string) bool {
	t.Helper()
	return slices.ContainsFunc(searchFor(t, x, search.Query{Text: word, Mode: search.Lexical}), func(r search.Result) bool { return r.File == file })
}

// readCalls are those that reading a file makes.
var readCalls = []string{"lstat", "open", "fstat", "read"}

// TestErrorTable has each error of the table hit each call that reads a file, of a file each:
// in the first build and in an update after an edit. An error that passes costs nothing but
// time, and nobody has to say anything for it: the file is pending, what was indexed of it
// stays, and it is read when the error has passed. Any other leaves the file out, and the
// index current.
func TestErrorTable(t *testing.T) {
	for _, row := range oserror.Table() {
		if row.Errno == 0 {
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			x, s := sabotaged(t, root)
			begin := func(word string) (paths []string) {
				for _, call := range readCalls {
					paths = append(paths, call+".go")
					write(t, root, call+".go", "package d\n\nfunc "+word+"() {}\n")
				}
				s.plan.Store(&sabotage{func(call, name string) bool { return name == call+".go" }, row.Errno})
				return paths
			}
			all := func(word string) bool {
				return !slices.ContainsFunc(readCalls, func(call string) bool { return !hasWord(t, x, word, call+".go") })
			}
			write(t, root, "kept.go", "package d\n\nfunc kept() {}\n")
			begin("oldword")
			if _, err := x.Build(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			sees(t, x, row.Transient, "after the build")
			s.end()
			running(t, x) // it builds once more, which reads what is left out, too
			until(t, x, "the files are in", func() bool { return fresh(x) && all("oldword") })

			if _, err := x.Update(t.Context(), begin("newword")); err != nil {
				t.Fatal(err)
			}
			sees(t, x, row.Transient, "after the update")
			for _, call := range readCalls {
				if got := hasWord(t, x, "oldword", call+".go"); got != row.Transient {
					t.Errorf("%s: what was indexed before is there: %v, want %v", call, got, row.Transient)
				}
			}
			s.end()
			if !row.Transient { // nobody would come back to it
				return
			}
			until(t, x, "the edits are in", func() bool { return fresh(x) && all("newword") })
			if st := x.Status(10); st.Coverage.Pending != 0 || st.Coverage.Skipped != 0 {
				t.Errorf("coverage %+v", st.Coverage)
			}
		})
	}
}

// sees compares what State and Status say while files cannot be read.
func sees(t *testing.T, x *Index, transient bool, when string) {
	t.Helper()
	st := x.Status(10)
	if transient {
		if st.Freshness == answer.Fresh || st.Pending == 0 || st.Coverage.Pending != len(readCalls) || st.State.State == answer.Failed {
			t.Errorf("%s: %s, %s, pending %d, coverage %+v", when, st.State.State, st.Freshness, st.Pending, st.Coverage)
		}
		if n := st.Coverage.Reasons[string(source.Pending)]; n != st.Coverage.Skipped {
			t.Errorf("%s: skipped for another reason: %v", when, st.Coverage.Reasons)
		}
		return
	}
	if st.Freshness != answer.Fresh || st.Pending != 0 || st.Coverage.Pending != 0 {
		t.Errorf("%s: %s, pending %d, coverage %+v", when, st.Freshness, st.Pending, st.Coverage)
	}
	if st.Coverage.Reasons[string(source.Pending)] != 0 || st.Coverage.Indexed != 1 {
		t.Errorf("%s: coverage %+v", when, st.Coverage)
	}
}

// A tree has each kind of place where a call may fail, for the tests below.
func placesOf(t *testing.T, git bool) string {
	t.Helper()
	root := t.TempDir()
	write(t, root, ".gitignore", "*.log\nout/\n")
	write(t, root, "top.go", "package top\n")
	write(t, root, "out/made.go", "package made\n")
	write(t, root, "sub/.gitignore", "hidden.go\n!kept.log\n")
	write(t, root, "sub/one.go", "package sub\n")
	write(t, root, "sub/hidden.go", "package sub\n")
	write(t, root, "sub/kept.log", "a line\n")
	write(t, root, "sub/deep/two.go", "package deep\n")
	write(t, root, "sub/deep/three.go", "package deep\n")
	if git {
		for _, dir := range []string{"", "nested"} {
			write(t, root, filepath.Join(dir, "in.go"), "package in\n")
			cmd := exec.Command("git", "init", "-q", filepath.Join(root, dir))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git: %v\n%s", err, out)
			}
		}
		write(t, root, ".git/info/exclude", "three.go\n")
	}
	return root
}

func indexed(x *Index) []string {
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	var paths []string
	for p := range x.Table.Files {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths
}

// TestPassingErrorOfListing has each call fail that lists files or finds out what is
// ignored, of each folder, in the first build, in a later one, and in an update. No file
// that belongs to the index leaves it, none that is ignored enters it, and it is what a
// build without the error makes of it as soon as that has passed.
func TestPassingErrorOfListing(t *testing.T) {
	for _, git := range []bool{false, true} {
		names := []string{"", "sub", "deep", ".gitignore", ".git", ".quarryignore"}
		if git {
			names = append(names, "nested", "exclude", "top.go")
		}
		for _, name := range names {
			t.Run(fmt.Sprintf("git %v, %q", git, name), func(t *testing.T) {
				t.Parallel()
				root := placesOf(t, git)
				clean, _ := sabotaged(t, root)
				if _, err := clean.Build(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				want := indexed(clean)
				x, s := sabotaged(t, root)
				subset := func(when string) {
					t.Helper()
					for _, p := range indexed(x) {
						if !slices.Contains(want, p) {
							t.Errorf("%s: %s is indexed", when, p)
						}
					}
					if fresh(x) {
						t.Errorf("%s: it is called fresh", when)
					}
				}
				all := func(when string) {
					t.Helper()
					if got := indexed(x); !slices.Equal(got, want) {
						t.Errorf("%s: %v, want %v", when, got, want)
					}
				}
				s.begin(syscall.EMFILE, name)
				_, err := x.Build(t.Context(), nil)
				if err != nil && !Transient(err) {
					t.Fatal(err)
				}
				subset("the first build")
				s.end()
				running(t, x)
				until(t, x, "the first build is complete", func() bool { return fresh(x) })
				all("after the first build")

				s.begin(syscall.EMFILE, name)
				if _, err := x.Build(t.Context(), nil); err != nil && !Transient(err) {
					t.Fatal(err)
				}
				subset("a later build")
				all("a later build")
				s.end()
				until(t, x, "the later build is complete", func() bool { return fresh(x) })
				all("after a later build")

				s.begin(syscall.EMFILE, name)
				paths := []string{"sub", "top.go", "sub/one.go", "sub/deep/two.go", "nested/in.go"}
				if _, err := x.Update(t.Context(), paths); err != nil && !Transient(err) {
					t.Fatal(err)
				}
				all("an update")
				if err := os.Remove(filepath.Join(root, "sub/deep/two.go")); err != nil {
					t.Fatal(err)
				}
				// The watcher would tell, once.
				if _, err := x.Update(t.Context(), []string{"sub/deep/two.go"}); err != nil && !Transient(err) {
					t.Fatal(err)
				}
				s.end()
				until(t, x, "the update is in", func() bool { return fresh(x) })
				want = slices.DeleteFunc(want, func(p string) bool { return p == "sub/deep/two.go" })
				all("after an update")
			})
		}
	}
}

// TestGitCannotStart has git not start, as when there are no more processes: nobody else is
// asked what is ignored in its place.
func TestGitCannotStart(t *testing.T) {
	root := placesOf(t, true)
	x, s := sabotaged(t, root)
	s.plan.Store(&sabotage{func(call, _ string) bool { return call == "git" }, syscall.EAGAIN})
	if _, err := x.Build(t.Context(), nil); !Transient(err) {
		t.Fatalf("build: %v", err)
	}
	if st := x.State(); st.State != answer.Indexing || st.Freshness != answer.Unknown || st.Pending == 0 {
		t.Errorf("state %+v", st)
	}
	s.end()
	running(t, x)
	until(t, x, "it is built", func() bool { return fresh(x) })
	if got := indexed(x); slices.Contains(got, "sub/deep/three.go") || !slices.Contains(got, "sub/deep/two.go") {
		t.Errorf("indexed %v", got)
	}
	commit := x.Status(0).LastCommit
	s.plan.Store(&sabotage{func(call, _ string) bool { return call == "git" }, syscall.EAGAIN})
	write(t, root, "sub/one.go", "package sub\n\nfunc newword() {}\n")
	if _, err := x.Update(t.Context(), []string{"sub/one.go"}); !Transient(err) {
		t.Fatalf("update: %v", err)
	}
	if st := x.State(); st.State != answer.Stale || st.Freshness != answer.Dated {
		t.Errorf("state %+v", st)
	}
	s.end()
	until(t, x, "the edit is in", func() bool { return fresh(x) && hasWord(t, x, "newword", "sub/one.go") })
	if got := x.Status(0).LastCommit; got != commit {
		t.Errorf("the commit was %q and is %q", commit, got)
	}
}

// TestLinkCannotBeRead has an update of a path fail before it is known what the path leads to.
func TestLinkCannotBeRead(t *testing.T) {
	root := placesOf(t, false)
	x, s := sabotaged(t, root)
	running(t, x)
	until(t, x, "it is built", func() bool { return fresh(x) })
	s.begin(syscall.EIO, "one.go", "readlink")
	write(t, root, "sub/one.go", "package sub\n\nfunc newword() {}\n")
	if _, err := x.Update(t.Context(), []string{"top.go", "sub/one.go"}); !Transient(err) {
		t.Fatalf("update: %v", err)
	}
	if n := x.Status(0).Coverage.Pending; n != 2 {
		t.Errorf("%d pending, want both paths", n)
	}
	s.end()
	until(t, x, "the edit is in", func() bool { return fresh(x) && hasWord(t, x, "newword", "sub/one.go") })
}

// TestManyPending has a whole tree fail, as when a network goes away, in more files than are
// tried at once.
func TestManyPending(t *testing.T) {
	root := t.TempDir()
	const n = 3*ingest.RetryPaths + 7
	for i := range n {
		write(t, root, fmt.Sprintf("d%d/f%d.txt", i%7, i), fmt.Sprintf("word%d\n", i))
	}
	x, s := sabotaged(t, root)
	s.plan.Store(&sabotage{func(call, name string) bool { return call == "read" && strings.HasSuffix(name, ".txt") }, syscall.ESTALE})
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if st := x.Status(0); st.Coverage.Pending != n || st.Coverage.Indexed != 0 || st.Pending != n {
		t.Fatalf("pending %d, coverage %+v", st.Pending, st.Coverage)
	}
	// While none can be read, no more than a batch is tried.
	paths, _ := x.Retries.Batch()
	if _, err := x.Retry(t.Context()); err != nil || len(paths) != ingest.RetryPaths {
		t.Fatalf("%v, %d paths", err, len(paths))
	}
	if again, _ := x.Retries.Batch(); slices.Equal(again, paths) || len(again) != ingest.RetryPaths {
		t.Error("the same are tried again, before all others")
	}
	s.end()
	rounds := 0
	for ; x.Retries.Size.Load() > 0; rounds++ {
		if _, err := x.Retry(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if st := x.State(); rounds != 2 || st.Files != n || st.Freshness != answer.Fresh {
		t.Errorf("%d rounds, state %+v", rounds, st)
	}
}

// TestRetriesGrow looks at the times of tries as they are set, not as they come.
func TestRetriesGrow(t *testing.T) {
	var r ingest.Retries
	r.Note(false, "a")
	last := time.Duration(0)
	for range 20 {
		r.Tried([]string{"a"}, false)
		last = time.Until(r.Next())
	}
	if last > oserror.Longest*3/2 || last < oserror.Longest/2-time.Second {
		t.Errorf("after twenty tries the next is in %v", last)
	}
	r.Take(func(string) bool { return true })
	if !r.Next().IsZero() {
		t.Error("a try is due of nothing")
	}
	r.Note(false, "b")
	if next := time.Until(r.Next()); next > 2*oserror.First {
		t.Errorf("the first try of something else is in %v", next)
	}
}

// TestRequestsMeetPassingErrors has requests read files that cannot be read now: they say
// so, and not that the file is not there, is ignored, or was changed.
func TestRequestsMeetPassingErrors(t *testing.T) {
	root := placesOf(t, false)
	write(t, root, "sub/long.txt", strings.Repeat("x", 30_000)+" needle\n") // searched on disk
	x, s := sabotaged(t, root)
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, call := range readCalls {
		for _, name := range []string{"sub/one.go", "sub/new.go"} {
			write(t, root, "sub/new.go", "package sub\n")
			s.begin(syscall.EMFILE, filepath.Base(name), call)
			_, err := x.Read(t.Context(), grep.ReadQuery{Path: name})
			var refused *grep.FileError
			if !Transient(err) && (!errors.As(err, &refused) || refused.Reason != grep.RefusedNow) {
				t.Errorf("%s of %s: %v", call, name, err)
			}
			if !x.Exists(name) {
				t.Errorf("%s of %s: it does not exist", call, name)
			}
			s.end()
			if _, err := x.Read(t.Context(), grep.ReadQuery{Path: name}); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		}
	}
	s.begin(syscall.EMFILE, "sub", "open")
	if _, err := x.Read(t.Context(), grep.ReadQuery{Path: "sub/new.go"}); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("of a folder that cannot be opened: %v", err)
	}
	g, err := x.Grep(t.Context(), grep.GrepQuery{Pattern: "needle"})
	if err != nil || g.Unread != 1 {
		t.Errorf("grep: %v, %d files unread, want 1", err, g.Unread)
	}
	s.end()
	s.begin(syscall.EMFILE, "long.txt", "lstat")
	if g, err := x.Grep(t.Context(), grep.GrepQuery{Pattern: "needle"}); err != nil || g.Unread != 1 {
		t.Errorf("grep: %v, %d files unread, want 1", err, g.Unread)
	}
	s.begin(syscall.EMFILE, "one.go", "open")
	a, err := x.Search(t.Context(), search.Query{Text: "package sub", Mode: search.Lexical})
	if err != nil {
		t.Fatal(err)
	}
	if a.Changed != 0 {
		t.Errorf("a file that cannot be read now is called changed: %+v", a.Checked)
	}
	s.end()
}

// TestOverlayMeetsPassingError has the copy of an index for an overlay look at a folder that
// cannot be opened: the request fails as one that may be asked again, and is then answered.
func TestOverlayMeetsPassingError(t *testing.T) {
	root := placesOf(t, false)
	x, s := sabotaged(t, root)
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	over := []Overlay{{Path: "sub/other.go", Content: "package sub\n\nfunc overword() {}\n"}}
	ask := func() error {
		v, err := x.With(t.Context(), over)
		if err != nil {
			return err
		}
		defer v.Release()
		if !hasWord(t, v.Index, "overword", "sub/other.go") {
			return errors.New("the overlay is not in")
		}
		return nil
	}
	s.begin(syscall.EMFILE, "sub", "open")
	if err := ask(); !Transient(err) {
		t.Errorf("while the folder cannot be opened: %v", err)
	}
	s.end()
	if err := ask(); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestBuildOnce has a file, or the root, fail for a while, or for good, without anyone who
// calls Run.
func TestBuildOnce(t *testing.T) {
	for _, at := range []struct{ call, name string }{{"read", "sub/one.go"}, {"open", ""}} {
		for _, passes := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s %q passes %v", at.call, at.name, passes), func(t *testing.T) {
				t.Parallel()
				x, s := sabotaged(t, placesOf(t, false))
				var failed atomic.Int64
				s.plan.Store(&sabotage{func(call, name string) bool {
					return call == at.call && name == at.name && (!passes || failed.Add(1) < 3)
				}, syscall.EMFILE})
				r, err := x.BuildTrying(t.Context(), nil, 3)
				switch {
				case passes:
					if err != nil || r.Pending != 0 || r.Added != x.State().Files || !fresh(x) {
						t.Errorf("%+v, %v, %+v", r, err, x.State())
					}
				case at.name == "":
					if !Transient(err) {
						t.Errorf("%+v, %v", r, err)
					}
				case err != nil || r.Pending != 1 || fresh(x):
					t.Errorf("%+v, %v, %+v", r, err, x.State())
				}
			})
		}
	}
}
