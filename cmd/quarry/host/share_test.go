package host

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestLinkFile(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	write(t, from, "new")
	write(t, to, "old")
	for range 2 { // the second time it is there already
		if err := linkFile(from, to); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(to); err != nil || string(b) != "new" {
			t.Errorf("%q, %v", b, err)
		}
	}
	if err := linkFile(filepath.Join(dir, "none"), to); err == nil {
		t.Error("a file that does not exist was linked")
	}
	copied := filepath.Join(dir, "copy")
	if err := copyFile(from, copied); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(copied); err != nil || info.Mode().Perm() != 0o600 || info.Size() != 3 {
		t.Errorf("%v, %v", info, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.tmp-*")); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestPrune fills a data folder and evicts from it: what is shared counts once, and is
// given back with the last that has it.
func TestPrune(t *testing.T) {
	locked := map[string]bool{}
	kept := &Cache{Data: t.TempDir(), Claim: func(name string) (func(), bool, error) { return func() {}, !locked[name], nil }}
	now := time.Now()
	at := func(path string, age time.Duration) {
		t.Helper()
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	base := ""
	add := func(name string, age time.Duration, bytes int, gone bool) (root, dir string) {
		t.Helper()
		if root = filepath.Join(t.TempDir(), name); gone {
			root += "-gone"
		} else {
			write(t, filepath.Join(root, "a.go"), "package a\n")
		}
		dir = filepath.Join(kept.Data, "projects", name)
		write(t, filepath.Join(dir, "root"), root+"\n")
		write(t, filepath.Join(dir, deltaName), string(make([]byte, bytes)))
		if base == "" {
			base = filepath.Join(dir, snapshotName)
			write(t, base, string(make([]byte, 100_000)))
		} else if err := os.Link(base, filepath.Join(dir, snapshotName)); err != nil {
			t.Skip(err)
		}
		at(filepath.Join(dir, "root"), age)
		at(filepath.Join(dir, deltaName), age)
		return root, dir
	}
	_, first := add("first", 3*time.Hour, 1000, false)
	_, second := add("second", 2*time.Hour, 2000, true)
	_, third := add("third", 9*time.Hour, 4000, false)
	pack, leftover := filepath.Join(kept.Packs(), "a.pack"), filepath.Join(kept.Packs(), "a.pack.tmp-1")
	write(t, pack, string(make([]byte, 8000)))
	write(t, leftover, "x")
	at(leftover, 2*time.Hour)
	locked["third"] = true
	items, total, err := kept.Items()
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, one := range items {
		order = append(order, one.Path)
		alone, shared := one.Sizes()
		if one.Path == third && (alone < 4000 || alone > 4200 || shared != 100_000) {
			t.Errorf("the third takes %d alone, %d shared", alone, shared)
		}
	}
	if want := []string{leftover, pack, second, third, first}; !slices.Equal(order, want) {
		t.Errorf("the order is %q, want %q", order, want)
	}
	if total < 115_000 || total > 116_000 {
		t.Errorf("%d bytes in all", total)
	}
	for _, step := range []struct {
		limit   int64
		p       Pruning
		evicted []string
	}{
		{1 << 20, Pruning{Dry: true, All: true}, []string{leftover, pack, second, first}},
		{1 << 20, Pruning{}, []string{leftover}},
		{total - 1000, Pruning{}, []string{pack}},
		{1 << 20, Pruning{Older: time.Hour + 90*time.Minute}, []string{first}},
		{1000, Pruning{}, []string{second}},
	} {
		kept.Limit = step.limit
		evicted, freed, left, err := kept.Prune(step.p)
		if err != nil {
			t.Fatal(err)
		}
		var paths []string
		for _, one := range evicted {
			paths = append(paths, one.Path)
			if _, err := os.Lstat(one.Path); (err == nil) != step.p.Dry {
				t.Errorf("%s: %v", one.Path, err)
			}
		}
		if !slices.Equal(paths, step.evicted) {
			t.Errorf("evicted %q, want %q", paths, step.evicted)
		}
		if freed <= 0 || freed >= 100_000 || left < 100_000 {
			t.Errorf("evicting %q gave back %d and left %d: the base is still in use", paths, freed, left)
		}
	}
	locked["third"] = false
	if _, freed, left, err := kept.Prune(Pruning{All: true}); err != nil || freed < 100_000 || left != 0 {
		t.Errorf("everything gave back %d and left %d, %v", freed, left, err)
	}
}
