package source

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLookupEqualsWalk changes a tree at random and keeps a picture of it up to
// date by Lookup alone. The picture must be what Walk sees.
func TestLookupEqualsWalk(t *testing.T) {
	noSettings(t)
	for _, mode := range []string{"git", "gitignore files"} {
		t.Run(mode, func(t *testing.T) {
			root := t.TempDir()
			write(t, root, map[string]string{
				".gitignore": "*.log\n/ignored/\n", "d/.gitignore": "!*.log\nlocal\n", ".quarryignore": "*.sql\n",
			})
			if mode == "git" {
				runGit(t, root, "init", "-q")
			}
			tree := open(t, root)
			picture := map[string]string{}
			update := func(asked []string) {
				files, skips, gone, err := tree.Lookup(t.Context(), asked)
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range append(asked, gone...) {
					for q := range picture {
						if below(q, p) {
							delete(picture, q)
						}
					}
				}
				for _, f := range files {
					picture[f.Path] = fmt.Sprint(f.Size)
				}
				for _, s := range skips {
					picture[s.Path] = string(s.Reason)
				}
				for _, p := range gone {
					if slices.ContainsFunc(files, func(f File) bool { return below(f.Path, p) }) {
						t.Fatalf("%s is gone and there", p)
					}
				}
			}
			update([]string{"."})
			rng := rand.New(rand.NewPCG(3, 4))
			names := []string{"a", "d", "ignored", "a-b", "x.go", "y.log", "z.sql", "local", ".env", "k.pem", "p.png", "node_modules", "é \"*"}
			some := func() string {
				elems := make([]string, 1+rng.IntN(3))
				for i := range elems {
					elems[i] = names[rng.IntN(len(names))]
				}
				return path.Join(elems...)
			}
			for round := range 40 {
				var touched []string
				for range 1 + rng.IntN(5) {
					p := some()
					full := filepath.Join(root, p)
					switch rng.IntN(5) {
					case 0:
						if os.RemoveAll(full) == nil {
							touched = append(touched, p)
						}
					case 1:
						to := some()
						if os.MkdirAll(filepath.Dir(filepath.Join(root, to)), 0o777) == nil && os.Rename(full, filepath.Join(root, to)) == nil {
							touched = append(touched, p, to)
						}
					default:
						if os.MkdirAll(filepath.Dir(full), 0o777) == nil &&
							os.WriteFile(full, []byte(strings.Repeat("x", rng.IntN(9))), 0o666) == nil {
							touched = append(touched, p)
							if mode == "git" && rng.IntN(4) == 0 {
								runGit(t, root, "add", "-f", "--", ":(literal)"+p)
							}
						}
					}
				}
				// A change of an ignore file means a walk, by contract.
				if slices.ContainsFunc(touched, func(p string) bool {
					_, err := os.Lstat(filepath.Join(root, "d/.gitignore"))
					return p == "d" || err != nil
				}) {
					_ = os.MkdirAll(filepath.Join(root, "d"), 0o777)
					_ = os.WriteFile(filepath.Join(root, "d/.gitignore"), []byte("!*.log\nlocal\n"), 0o666)
					touched = append(touched, ".")
				}
				update(touched)
				files, skips, err := tree.Walk(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				seen := map[string]string{}
				for _, f := range files {
					seen[f.Path] = fmt.Sprint(f.Size)
					if tree.Ignored(f.Path, false) {
						t.Errorf("%s is listed and Ignored", f.Path)
					}
					for dir, _ := split(f.Path); dir != ""; dir, _ = split(dir) {
						if tree.Ignored(dir, true) {
							t.Errorf("%s is Ignored, but %s is listed", dir, f.Path)
						}
					}
				}
				for _, s := range skips {
					seen[s.Path] = string(s.Reason)
				}
				if d := cmp.Diff(seen, picture); d != "" {
					t.Fatalf("round %d, touched %q: walk, lookups: %s", round, touched, d)
				}
			}
			if sourceOf(tree) != mode {
				t.Errorf("source %q", sourceOf(tree))
			}
		})
	}
}

func TestLookup(t *testing.T) {
	noSettings(t)
	for _, mode := range []string{"git", "gitignore files"} {
		t.Run(mode, func(t *testing.T) {
			root := t.TempDir()
			write(t, root, mixed())
			if mode == "git" {
				runGit(t, root, "init", "-q")
			}
			tree := open(t, root)
			files, skips, gone, err := tree.Lookup(t.Context(), []string{
				"a", "a/b/c.go", "./main.go", "absent", "a/x.log", "schema.sql", "link.go", "a/up.go", "out", "dir", "dir/b/c.go",
				".env", "logo.png", "build", "toignored", "node_modules/m", "main.go/x", ".hg/store", "a/absent",
			})
			if err != nil {
				t.Fatal(err)
			}
			want := []string{
				".env: secret", "a/.quarryignore", "a/b/c.go", "a/loop2: symlink", "dir: symlink", "logo.png: binary",
				"main.go", "out: symlink", "toignored: symlink",
			}
			if d := cmp.Diff(want, summary(files, skips)); d != "" {
				t.Errorf("found; want, got: %s", d)
			}
			want = []string{
				".hg/store", "a/absent", "a/up.go", "a/x.log", "absent", "build", "dir/b/c.go", "link.go", "main.go/x",
				"node_modules/m", "schema.sql",
			}
			if d := cmp.Diff(want, gone); d != "" {
				t.Errorf("gone; want, got: %s", d)
			}
			for _, bad := range []string{"../x", "/etc/passwd", "a\x00b", ".."} {
				if _, _, _, err := tree.Lookup(t.Context(), []string{bad}); !errors.Is(err, ErrOutside) {
					t.Errorf("Lookup(%q): %v", bad, err)
				}
			}
		})
	}
}

// More paths than go on a command line.
func TestLookupMany(t *testing.T) {
	noSettings(t)
	root := t.TempDir()
	files := map[string]string{".gitignore": "*9.go\n"}
	var asked, want, gone []string
	for i := range 3 * maxGitPaths {
		name := fmt.Sprintf("%s/f%d.go", strings.Repeat("long", 40), i)
		files[name] = ""
		if i%2 == 0 {
			continue
		}
		asked = append(asked, name)
		if i%10 == 9 {
			gone = append(gone, name)
		} else {
			want = append(want, name)
		}
	}
	write(t, root, files)
	runGit(t, root, "init", "-q")
	got, _, missing, err := open(t, root).Lookup(t.Context(), asked)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	slices.Sort(gone)
	if d := cmp.Diff(want, paths(got)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(gone, missing); d != "" {
		t.Error(d)
	}
}

// TestResolve is the canary table of the gate: nothing that leads out passes.
func TestResolve(t *testing.T) {
	top := t.TempDir()
	root := filepath.Join(top, "ws")
	write(t, top, map[string]string{
		"ws/a/b.go": "", "ws/.env": "", "ws-evil/x.go": "", "outside/o.go": "",
		"ws/in": "-> a", "ws/a/file": "-> b.go", "ws/out": "-> ../outside", "ws/outfile": "-> ../outside/o.go",
		"ws/abs": "-> /etc", "ws/evil": "-> ../ws-evil", "ws/lost": "-> ../outside/nothing", "ws/lostin": "-> a/nothing",
		"ws/loop": "-> loop", "ws/chain": "-> out", "ws/roundabout": "-> ../ws/a", "ws/rootlink": "-> .",
		"ws/absin": "-> " + filepath.Join(root, "a", "b.go"), "ws/viafile": "-> a/b.go/../../../outside",
	})
	tree := open(t, root)
	for _, c := range []struct{ in, want string }{
		{"", "."}, {".", "."}, {"./", "."}, {root, "."}, {root + "/", "."},
		{"a/b.go", "a/b.go"}, {"./a//b.go", "a/b.go"}, {"a/../a/b.go", "a/b.go"}, {"a/", "a"},
		{filepath.Join(root, "a/b.go"), "a/b.go"}, {root + "/../ws/a", "a"},
		{"absent", "absent"}, {"a/absent/deep.go", "a/absent/deep.go"}, {"a/b.go/below", "a/b.go/below"},
		{"in/b.go", "a/b.go"}, {"in", "a"}, {"a/file", "a/b.go"}, {"in/file", "a/b.go"}, {"in/absent", "a/absent"},
		{"absin", "a/b.go"}, {"lostin", "a/nothing"}, {"roundabout/b.go", "a/b.go"}, {"rootlink", "."}, {"rootlink/a", "a"},
		{"loop", "loop"}, {".env", ".env"}, {"..a", "..a"}, {"...", "..."},
	} {
		got, err := tree.Resolve(c.in)
		if err != nil || got != c.want {
			t.Errorf("Resolve(%q) = %q, %v; want %q", c.in, got, err, c.want)
		}
	}
	for _, in := range []string{
		"..", "../", "../ws-evil/x.go", "a/../../ws-evil/x.go", "a/../..", "absent/../../x", "../ws",
		"/", "/etc/passwd", root + "-evil", root + "-evil/x.go", root + "/../ws-evil/x.go", root + "/..", top,
		"out", "out/o.go", "out/absent", "outfile", "abs/passwd", "evil/x.go", "lost", "chain/o.go", "in/../out/o.go", "viafile",
		"rootlink/out/o.go", filepath.Join(root, "out/o.go"),
	} {
		got, err := tree.Resolve(in)
		if !errors.Is(err, ErrOutside) || got != "" {
			t.Errorf("Resolve(%q) = %q, %v; want ErrOutside", in, got, err)
		}
	}
	for _, in := range []string{"\x00", "a\x00", "a/b.go\x00/../../x"} {
		if got, err := tree.Resolve(in); !errors.Is(err, ErrBadPath) || got != "" {
			t.Errorf("Resolve(%q) = %q, %v; want ErrBadPath", in, got, err)
		}
	}
}
