package index

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/callgraph"
	"github.com/quarry-search/quarry/index/internal/persist"
	"github.com/quarry-search/quarry/index/internal/snapshot"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/verify"
)

// sections are those of a snapshot, in their order, and allSections their names.
var allSections = []string{persist.SecMeta, persist.SecSketch, persist.SecText, persist.SecFiles, persist.SecWords, persist.SecVectors, persist.SecGraph, persist.SecStat}

func sections(t testing.TB, path string) map[string][]byte {
	t.Helper()
	f, err := snapshot.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string][]byte{}
	for _, name := range allSections {
		if all[name], err = f.Section(name); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// resealed writes a snapshot of sections that may be any bytes: its hashes are right.
func resealed(t testing.TB, all map[string][]byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "resealed.quarry")
	w, err := snapshot.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range allSections {
		w.Add(name, all[name])
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	return path
}

// aged gives all files of a root a time that is long ago, so that a build believes it.
func aged(t testing.TB, root string) {
	t.Helper()
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.Chtimes(path, old, old)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestRestoreText has a snapshot with the right hashes hold texts that are not those of
// its files: they are indexed again, and nothing else is; what the files had in common
// with the disk is the reason that no build would read them.
func TestRestoreText(t *testing.T) {
	bomb := func() []byte {
		z, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(false))
		if err != nil {
			t.Fatal(err)
		}
		return z.EncodeAll(make([]byte, 8<<20), nil)
	}()
	other := func(r *store.Record) { r.Text = store.Pack(bytes.Repeat([]byte("x"), int(r.Size)), nil) }
	for what, change := range map[string]func(r *store.Record){
		"another text":        other,
		"no block":            func(r *store.Record) { r.Text.Blocks[0] = []byte{0xff, 0xff, 0xff} },
		"an empty block":      func(r *store.Record) { r.Text.Blocks[0] = nil },
		"a cut block":         func(r *store.Record) { b := r.Text.Blocks[0]; r.Text.Blocks[0] = b[:len(b)-1] },
		"a shorter block":     func(r *store.Record) { r.Text.Blocks[0] = s2.Encode(nil, []byte("short")) },
		"another language":    func(r *store.Record) { r.Lang = "python" },
		"lowered to a bomb":   func(r *store.Record) { r.Lowered = bomb },
		"lowered to anything": func(r *store.Record) { r.Lowered = callgraph.Form("no frame") },
	} {
		for _, name := range []string{"store/store.go", "go.mod"} {
			if testing.Short() && name == "go.mod" {
				continue // what runs concurrently is the same for both
			}
			for state, edit := range map[string]func(path string) error{
				"as it was": func(string) error { return nil },
				"changed":   func(path string) error { return os.WriteFile(path, []byte("module changed\n"), 0o600) },
				"gone":      os.Remove,
			} {
				t.Run(strings.Join([]string{what, name, state}, "/"), func(t *testing.T) {
					root := unpack(t, "testdata/search.txtar")
					write(t, root, "go.mod", "module example.org/store\n\ngo 1.26\n")
					aged(t, root)
					x := build(t, root)
					change(x.Table.Files[name])
					path := filepath.Join(t.TempDir(), "snap.quarry")
					if err := x.Save(t.Context(), path, false); err != nil {
						t.Fatal(err)
					}
					y := restore(t, root, path)
					o := y.Origin()
					if !slices.Equal(o.Rebuilt, []string{name}) || o.NRebuilt != 1 || o.Proved != o.Texts-1 || y.Work().Rebuilt != 1 {
						t.Errorf("of the snapshot it says %+v", o)
					}
					if y.Table.Files[name] != nil || y.State().Freshness == answer.Fresh {
						t.Errorf("the file is there, and the index %s", y.State().Freshness)
					}
					if err := edit(filepath.Join(root, name)); err != nil {
						t.Fatal(err)
					}
					report, err := y.Build(t.Context(), nil)
					if err != nil || report.Added+report.Removed > 1 || report.Changed != 0 || y.State().Freshness != answer.Fresh {
						t.Errorf("the build did %+v (%v)", report, err)
					}
					asOnDisk(t, y)
					same(t, y)
					v, err := y.Verify(t.Context(), verify.VerifyOptions{})
					if err != nil || !v.Proved {
						t.Errorf("%+v, %v", v.Differences, err)
					}
					// What is saved from now on has it.
					delta := filepath.Join(t.TempDir(), "index.delta")
					if ok, err := y.SaveDelta(t.Context(), delta, path, true); !ok || err != nil {
						t.Fatal(ok, err)
					}
					z := open(t, root)
					if err := z.RestoreDelta(path, delta); err != nil {
						t.Fatal(err)
					}
					if o := z.Origin(); o.NRebuilt != 0 || !o.Delta {
						t.Errorf("with the delta: %+v", o)
					}
					asOnDisk(t, z)
				})
			}
		}
	}
}

// asOnDisk compares the texts of an index with its files.
func asOnDisk(t *testing.T, x *Index) {
	t.Helper()
	for path, r := range x.Table.Files {
		want, err := os.ReadFile(filepath.Join(x.Root(), path))
		if err != nil || !bytes.Equal(want, r.Text.All()) {
			t.Errorf("%s has the text %.40q, not %.40q (%v)", path, r.Text.All(), want, err)
		}
	}
}

// TestRestoreTextMany takes nothing over of a snapshot with many texts that are not what
// they should be.
func TestRestoreTextMany(t *testing.T) {
	root := t.TempDir()
	for i := range persist.MostBad + 2 {
		write(t, root, string(rune('a'+i))+".go", "package p\n")
	}
	x := build(t, root)
	n := 0
	for _, r := range x.Table.Files {
		if n++; n <= persist.MostBad+1 {
			r.Text = store.Pack([]byte("package q\n"), nil)
		}
	}
	path := filepath.Join(t.TempDir(), "snap.quarry")
	if err := x.Save(t.Context(), path, false); err != nil {
		t.Fatal(err)
	}
	y := open(t, root)
	if err := y.Restore(path); !errors.Is(err, ErrSnapshot) || y.Origin() != nil || len(y.Table.Files) > 0 {
		t.Errorf("%v, %d files", err, len(y.Table.Files))
	}
}

// TestRestoreForeign takes a snapshot over that somebody made up for this very root: other
// texts, with their hashes, and the times of the files.
func TestRestoreForeign(t *testing.T) {
	root := unpack(t, "testdata/search.txtar")
	aged(t, root)
	made := unpack(t, "testdata/search.txtar")
	text, err := os.ReadFile(filepath.Join(made, "store/store.go"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, made, "store/store.go", strings.Replace(string(text), "Store", "Stole", 1)) // as long
	aged(t, made)
	x := build(t, made)
	for path, r := range x.Table.Files {
		info, err := os.Stat(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		r.ModTime = info.ModTime().UnixNano()
	}
	x.Opt.Program, x.Opt.Logger = "quarry test", nil
	path := filepath.Join(t.TempDir(), "snap.quarry")
	if err := x.Save(t.Context(), path, false); err != nil {
		t.Fatal(err)
	}
	all := sections(t, path)
	all[persist.SecMeta] = bytes.ReplaceAll(all[persist.SecMeta], []byte(made), []byte(root))
	path = resealed(t, all)
	y := open(t, root)
	if err := y.RestoreWith(path, RestoreOptions{Foreign: true}); err != nil {
		t.Fatal(err)
	}
	report, err := y.Build(t.Context(), nil)
	if err != nil || report.Changed != 1 {
		t.Errorf("the build did %+v (%v)", report, err)
	}
	asOnDisk(t, y)
	same(t, y)
	if o := y.Origin(); o.Program != "quarry test" || o.Root != root || o.Made == nil || o.SignedBy != "" || o.Trusted || !o.Verified {
		t.Errorf("of the snapshot it says %+v", o)
	}
}

// TestRestoreSigned restores snapshots that have to be signed.
func TestRestoreSigned(t *testing.T) {
	root := unpack(t, "testdata/search.txtar")
	x := build(t, root)
	key := func(seed byte) (ed25519.PrivateKey, ed25519.PublicKey) {
		k := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
		return k, k.Public().(ed25519.PublicKey)
	}
	private, public := key(1)
	_, other := key(2)
	save := func(opt SaveOptions) string {
		path := filepath.Join(t.TempDir(), "snap.quarry")
		if err := x.SaveWith(t.Context(), path, opt); err != nil {
			t.Fatal(err)
		}
		return path
	}
	signed := save(SaveOptions{Portable: true, Key: private, By: "job 7", Made: time.Unix(1e9, 0)})
	changed := func(at int) string {
		b, err := os.ReadFile(signed)
		if err != nil {
			t.Fatal(err)
		}
		if at < 0 {
			at += len(b)
		}
		b[at] ^= 1
		path := filepath.Join(t.TempDir(), "changed.quarry")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		what, path string
		keys       []ed25519.PublicKey
		want       error
	}{
		{"right", signed, []ed25519.PublicKey{public}, nil},
		{"one of two", signed, []ed25519.PublicKey{other, public}, nil},
		{"nobody asks", signed, nil, nil},
		{"wrong key", signed, []ed25519.PublicKey{other}, ErrUntrusted},
		{"missing", save(SaveOptions{Portable: true}), []ed25519.PublicKey{public}, ErrUntrusted},
		{"head tampered with", changed(170), []ed25519.PublicKey{public}, ErrUntrusted},
		{"signature tampered with", changed(100), []ed25519.PublicKey{public}, ErrUntrusted},
		{"section tampered with", changed(-1), []ed25519.PublicKey{public}, ErrUntrusted},
		{"section tampered with, nobody asks", changed(-1), nil, ErrSnapshot},
	} {
		y := open(t, root)
		err := y.RestoreWith(c.path, RestoreOptions{Foreign: true, Keys: c.keys})
		if !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: %v; want %v", c.what, err, c.want)
		}
		matches, err := y.Matches(t.Context(), c.path, c.keys...)
		if matches != (c.want == nil) || !errors.Is(err, c.want) {
			t.Errorf("%s: matches %t, %v; want %v", c.what, matches, err, c.want)
		}
		if c.want != nil {
			if y.Origin() != nil || len(y.Table.Files) > 0 {
				t.Errorf("%s: something was taken over", c.what)
			}
			continue
		}
		o := y.Origin()
		if o.SignedBy != Fingerprint(public) || o.Trusted != (c.keys != nil) || o.By != "job 7" || o.Made.Unix() != 1e9 || o.Proved != o.Texts || o.Root != "" {
			t.Errorf("%s: of the snapshot it says %+v", c.what, o)
		}
	}
	if err := Signed(signed, []ed25519.PublicKey{other}); !errors.Is(err, ErrUntrusted) {
		t.Error(err)
	}
	if err := Signed(signed, []ed25519.PublicKey{public}); err != nil {
		t.Error(err)
	}
}
