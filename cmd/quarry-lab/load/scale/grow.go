package scale

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load/rig"
)

// growOptions are the flags of grow.
type growOptions struct {
	rig.Output
	from, out string
	n         int
	seed      uint64
	heaps     float64
}

// bind declares the flags that say what a tree is made of.
func (o *growOptions) bind(fs *pflag.FlagSet) {
	fs.StringVar(&o.from, "from", "", "folders of source, with commas")
	fs.Float64Var(&o.heaps, "heaps", 0.75, "the exponent by which the identifiers grow")
}

func newGrowCommand() *cobra.Command {
	var o growOptions
	cmd := o.Command("grow --from DIR,DIR --out DIR", "Write a large tree made of copies of folders", `Grow writes a tree of n files made of copies of some folders. Each copy has a vocabulary
of its own: a share of what it defines is renamed, everywhere in it, such that identifiers
grow with the number of copies to the power of --heaps. The same folders and flags give the
same tree.`, func(ctx context.Context, out io.Writer) error {
		if o.n < 1 {
			return rig.ErrNumbers
		}
		if o.from == "" || o.out == "" {
			return errors.New("grow needs --from and --out")
		}
		return measureGrow(ctx, o, out)
	})
	fs := cmd.Flags()
	o.bind(fs)
	fs.StringVar(&o.out, "out", "", "an empty folder to write into, or a new one")
	fs.IntVarP(&o.n, "number", "n", 2000, "files")
	fs.Uint64Var(&o.seed, "seed", 1, "of the choice of words")
	return cmd
}

// growReport is the outcome of grow.
type growReport struct {
	Files       int   `json:"files"`
	Folders     int   `json:"folders"`
	Bytes       int64 `json:"bytes"`
	Copies      int   `json:"copies"`      // of the sources, the last one perhaps in part
	Identifiers int   `json:"identifiers"` // different ones in what was written
}

// A grower writes one large tree that is made of small ones.
type grower struct {
	o     growOptions
	out   string
	units []unit
	seen  map[uint64]struct{} // hashes of identifiers that were written
	seed  maphash.Seed
	r     growReport
}

// A unit is a folder of a source that is copied as a whole: the first two names of
// its paths. A tree that is smaller than its sources has some of the units.
type unit struct {
	source *treeSource
	files  []string // relative to the source's root, sorted
}

// A treeSource is a folder that trees are made of.
type treeSource struct {
	root    string
	name    string
	defined []string // identifiers that a copy may rename, sorted
}

// growTree writes n files made from the source below some folders. The first copy is as
// the sources are. Each further one has a vocabulary of its own: of the identifiers that
// a source defines, and of the names of its files and folders, a share is renamed, and a
// name is renamed everywhere in the copy, so that what belongs together stays together.
// The share falls from copy to copy such that after k copies there are k^heaps times the
// identifiers of one, as vocabularies grow by Heaps' law; the words for it come from a
// pool that grows by the square root. The same sources, flags and seed make the same tree.
func growTree(ctx context.Context, o growOptions, out string) (growReport, error) {
	g := &grower{o: o, out: out, seen: map[uint64]struct{}{}, seed: maphash.MakeSeed()}
	if entries, err := os.ReadDir(out); err == nil && len(entries) > 0 {
		return g.r, fmt.Errorf("%s is not empty", out)
	}
	for _, dir := range strings.Split(o.from, ",") {
		if err := g.read(dir); err != nil {
			return g.r, err
		}
	}
	if len(g.units) == 0 {
		return g.r, fmt.Errorf("no source was found below %s", o.from)
	}
	random := rand.New(rand.NewPCG(o.seed, 1))
	for g.r.Files < o.n {
		// Every copy has its own order, so that the last, partial one is a fair sample.
		random.Shuffle(len(g.units), func(i, j int) { g.units[i], g.units[j] = g.units[j], g.units[i] })
		renames := map[*treeSource]*renamer{}
		for _, u := range g.units {
			if renames[u.source] == nil {
				renames[u.source] = newRenamer(u.source, o.seed, g.r.Copies, o.heaps)
			}
			if err := g.write(ctx, u, renames[u.source]); err != nil {
				return g.r, err
			}
			if g.r.Files == o.n {
				break
			}
		}
		g.r.Copies++
	}
	g.r.Identifiers = len(g.seen)
	return g.r, g.count()
}

// read finds the files of a source and what they define.
func (g *grower) read(dir string) error {
	root, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	s := &treeSource{root: root, name: filepath.Base(root)}
	defined := map[string]bool{}
	var units []unit
	err = rig.Sources(root, func(path string, text []byte) bool {
		rel, err := filepath.Rel(root, path)
		if err != nil || bytes.IndexByte(text, 0) >= 0 {
			return true
		}
		definitions(text, func(name []byte) {
			if len(name) >= minRenamed {
				defined[string(name)] = true
			}
		})
		parts := strings.Split(filepath.ToSlash(rel), "/")
		key := strings.Join(parts[:min(2, len(parts)-1)], "/")
		i := slices.IndexFunc(units, func(u unit) bool { return unitKey(u) == key })
		if i < 0 {
			i, units = len(units), append(units, unit{source: s})
		}
		units[i].files = append(units[i].files, filepath.ToSlash(rel))
		return true
	})
	for name := range defined {
		if !kept[name] {
			s.defined = append(s.defined, name)
		}
	}
	slices.Sort(s.defined)
	g.units = append(g.units, units...)
	return err
}

func unitKey(u unit) string {
	parts := strings.Split(u.files[0], "/")
	return strings.Join(parts[:min(2, len(parts)-1)], "/")
}

// write copies a unit, or as much of it as the tree has room for.
func (g *grower) write(ctx context.Context, u unit, r *renamer) error {
	for _, file := range u.files {
		if g.r.Files == g.o.n {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		text, err := os.ReadFile(filepath.Join(u.source.root, file))
		if err != nil {
			return err
		}
		name := string(r.rename(nil, []byte(u.source.name+"/"+file), nil))
		path := filepath.Join(g.out, fmt.Sprintf("part%03d", g.r.Copies), filepath.FromSlash(name))
		text = r.rename(make([]byte, 0, len(text)+len(text)/16), text, g.note)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		// Two names that differ in case only may become one.
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		} else if err != nil {
			return err
		}
		_, err = f.Write(text)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		g.r.Files++
		g.r.Bytes += int64(len(text))
	}
	return nil
}

func (g *grower) note(name []byte) { g.seen[maphash.Bytes(g.seed, name)] = struct{}{} }

// count counts the folders.
func (g *grower) count() error {
	return filepath.WalkDir(g.out, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			g.r.Folders++
		}
		return err
	})
}

func measureGrow(ctx context.Context, o growOptions, out io.Writer) error {
	r, err := growTree(ctx, o, o.out)
	if err != nil {
		return err
	}
	return o.Print(out, r, "%d files, %.1f MB, in %d folders; %d copies, %d identifiers\n",
		r.Files, float64(r.Bytes)/1e6, r.Folders, r.Copies, r.Identifiers)
}
