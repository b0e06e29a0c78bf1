package index

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/verify"
)

// TestCheckouts goes to and fro between commits of git repositories that were drawn from
// their whole history, as `git checkout` does, and verifies the index after each: it must
// be the one that a build makes. Some changes come in several pieces, as a watcher sees
// them, and now and then the index comes back from a snapshot. `make checkouts` runs it:
//
//	QUARRY_CHECKOUTS=/src/gin:/src/click QUARRY_ROUNDS=50 go test ./index -run '^TestCheckouts$' -v -timeout 0
//
// A seed that is not given in QUARRY_SEED is drawn, and said.
func TestCheckouts(t *testing.T) {
	if os.Getenv("QUARRY_CHECKOUTS") == "" {
		t.Skip("QUARRY_CHECKOUTS names no repositories")
	}
	seed, rounds := rand.Uint64N(1_000_000), 50
	for name, to := range map[string]any{"QUARRY_SEED": &seed, "QUARRY_ROUNDS": &rounds} {
		if text := os.Getenv(name); text != "" {
			if _, err := fmt.Sscan(text, to); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("QUARRY_CHECKOUTS")) {
		t.Run(filepath.Base(filepath.Dir(dir))+"/"+filepath.Base(dir), func(t *testing.T) { testCheckouts(t, dir, seed, rounds) })
	}
}

func testCheckouts(t *testing.T, dir string, seed uint64, rounds int) {
	h := openHistory(t, dir)
	r := rand.New(rand.NewPCG(seed, 0))
	root := t.TempDir()
	tree := h.draw(r)
	for path, blob := range tree {
		h.write(root, path, blob)
	}
	x := checkedOut(t, root)
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	wrong, files, edges := 0, 0, 0
	for round := range rounds {
		next := h.draw(r)
		var changed []string
		for path := range next {
			if next[path] != tree[path] {
				changed = append(changed, path)
			}
		}
		for path := range tree {
			if next[path] == "" {
				changed = append(changed, path)
			}
		}
		slices.Sort(changed)
		files += len(changed)
		for pieces := 1 + r.IntN(3); pieces > 0; pieces-- {
			piece := changed[:len(changed)/pieces]
			changed = changed[len(piece):]
			for _, path := range piece {
				h.write(root, path, next[path])
			}
			if _, err := x.Update(t.Context(), piece); err != nil {
				t.Fatal(err)
			}
		}
		tree = next
		if round%8 == 7 {
			snapshot := filepath.Join(t.TempDir(), "snapshot")
			if err := x.Save(t.Context(), snapshot, false); err != nil {
				t.Fatal(err)
			}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			x = checkedOut(t, root)
			if err := x.Restore(snapshot); err != nil {
				t.Fatal(err)
			}
			if _, err := x.Build(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
		v := verifyIndex(t, x, verify.VerifyOptions{Limit: 5})
		if edges += v.Edges; v.Total > 0 || !v.GraphDone {
			wrong++
			t.Errorf("seed %d, round %d: %d differences: %+v %v", seed, round, v.Total, v.Differences, v.Unchecked)
		}
	}
	t.Logf("seed %d: %d of %d checkouts differ; %d changed files, %d edges compared", seed, wrong, rounds, files, edges)
}

func checkedOut(t *testing.T, root string) *Index {
	t.Helper()
	x, err := Open(root, Options{Background: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

// A history is a git repository of which trees are drawn.
type history struct {
	t       *testing.T
	dir     string
	commits []string
	in      io.Writer
	out     *bufio.Reader
}

func openHistory(t *testing.T, dir string) *history {
	t.Helper()
	h := &history{t: t, dir: dir}
	if h.commits = strings.Fields(string(h.git("rev-list", "--first-parent", "HEAD"))); len(h.commits) < 2 {
		t.Fatalf("%s has no history", dir)
	}
	cmd := exec.CommandContext(t.Context(), "git", "-C", dir, "cat-file", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = in.Close(), cmd.Wait() })
	h.in, h.out = in, bufio.NewReader(out)
	return h
}

func (h *history) git(args ...string) []byte {
	h.t.Helper()
	out, err := exec.CommandContext(h.t.Context(), "git", append([]string{"-C", h.dir}, args...)...).Output()
	if err != nil {
		h.t.Fatalf("git %s: %v", args, err)
	}
	return out
}

// draw returns the files of some commit, with the names of their contents.
func (h *history) draw(r *rand.Rand) map[string]string {
	h.t.Helper()
	tree := map[string]string{}
	for _, line := range bytes.Split(h.git("ls-tree", "-rz", h.commits[r.IntN(len(h.commits))]), []byte{0}) {
		info, path, _ := strings.Cut(string(line), "\t")
		if f := strings.Fields(info); len(f) == 3 && strings.HasPrefix(f[0], "100") {
			tree[path] = f[2]
		}
	}
	return tree
}

// write gives a file a content, or removes it. A content that the repository does not have
// is an empty one: not all that are copied are whole.
func (h *history) write(root, path, blob string) {
	h.t.Helper()
	name := filepath.Join(root, filepath.FromSlash(path))
	if blob == "" {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			h.t.Fatal(err)
		}
		return
	}
	if _, err := fmt.Fprintln(h.in, blob); err != nil {
		h.t.Fatal(err)
	}
	head, err := h.out.ReadString('\n')
	if err != nil {
		h.t.Fatal(err)
	}
	var text []byte
	if f := strings.Fields(head); f[len(f)-1] != "missing" {
		n, err := strconv.Atoi(f[2])
		if err != nil {
			h.t.Fatal(err)
		}
		text = make([]byte, n+1) // a line break follows
		if _, err := io.ReadFull(h.out, text); err != nil {
			h.t.Fatal(err)
		}
		text = text[:n]
	}
	for dir := filepath.Dir(name); dir != root; dir = filepath.Dir(dir) { // a file may become a folder
		if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
			if err := os.Remove(dir); err != nil {
				h.t.Fatal(err)
			}
		}
	}
	if info, err := os.Lstat(name); err == nil && info.IsDir() {
		if err := os.RemoveAll(name); err != nil {
			h.t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o666); err != nil {
		h.t.Fatal(err)
	}
}
