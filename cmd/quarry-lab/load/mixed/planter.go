package mixed

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load/model"
)

const (
	plantedDir   = "planted"
	plantedDirs  = 6  // folders below it
	plantedFiles = 6  // in each, at first
	plantedFuncs = 5  // in each, at first
	mostFuncs    = 12 // a file with more is rewritten
)

// A planter puts files of functions with names of their own into a tree, changes them all
// the time, and keeps a model of the tree.
type planter struct {
	root   string
	tree   *model.Tree
	untold map[string]string // files of which the model knows nothing, as they are no plain text
	random *rand.Rand
	moved  int // folders, so far
	branch int // that is checked out, 0 or 1
	git    [2]map[string]model.State
	done   map[string]int // edits by kind
}

// newPlanter makes a repository of a copy of a tree and plants the first files.
func newPlanter(ctx context.Context, root string, seed uint64) (*planter, error) {
	fixed, untold, err := textsBelow(root)
	if err != nil {
		return nil, err
	}
	p := &planter{root: root, untold: untold, tree: model.New(fixed), random: rand.New(rand.NewPCG(seed, 1<<33)), done: map[string]int{}}
	for i := range plantedDirs {
		for range plantedFiles {
			if err := p.create(fmt.Sprintf("%s/p%d", plantedDir, i)); err != nil {
				return nil, err
			}
		}
	}
	return p, p.startGit(ctx)
}

// isUntold reports whether the model knows nothing of a file.
func (p *planter) isUntold(path string) bool {
	if strings.HasPrefix(path, hostileFolder+"/") {
		return true
	}
	_, ok := p.untold[path]
	return ok
}

// textsBelow reads the files below a root that are not in .git: those that are plain text,
// and the others.
func textsBelow(root string) (texts, others map[string]string, err error) {
	texts, others = map[string]string{}, map[string]string{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if bytes.ContainsFunc(text, func(r rune) bool {
			return r < ' ' && r != '\t' && r != '\n' || r == 0x7f || r == '\ufffd' || r == '\ufeff'
		}) {
			others[filepath.ToSlash(rel)] = string(text)
		} else {
			texts[filepath.ToSlash(rel)] = string(text)
		}
		return nil
	})
	return texts, others, err
}

func (p *planter) file(path string) string { return filepath.Join(p.root, filepath.FromSlash(path)) }

func (p *planter) write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(p.file(path)), 0o755); err != nil {
		return err
	}
	return os.WriteFile(p.file(path), []byte(text), 0o644)
}

// source makes one of new functions. They call each other and those with the names given.
func (p *planter) source(lang string, others []string) *model.Source {
	s := &model.Source{Lang: lang}
	modules := []string{"errors", "fmt", "os", "strings"}
	if lang == "python" {
		modules = []string{"json", "os", "re", "sys"}
	}
	for _, name := range modules {
		if p.random.IntN(3) == 0 {
			s.Imports = append(s.Imports, name)
		}
	}
	for range plantedFuncs {
		s.Funcs = append(s.Funcs, p.function(append(names(s), others...)))
	}
	return s
}

func names(s *model.Source) []string {
	var all []string
	for _, f := range s.Funcs {
		all = append(all, f.Name)
	}
	return all
}

// function makes one that calls none to three of some others. None calls itself: what is
// asked about is never in its own answer.
func (p *planter) function(others []string) model.Func {
	f := model.Func{Name: model.Word(p.random), Doc: "counts " + model.Word(p.random) + " and what is left of it", Mark: p.random.IntN(1e6)}
	for range min(p.random.IntN(4), len(others)) {
		if callee := others[p.random.IntN(len(others))]; !slices.Contains(f.Calls, callee) {
			f.Calls = append(f.Calls, callee)
		}
	}
	return f
}

// neighbours are the functions that a new one in a folder may call: in Go those of the
// whole package.
func (p *planter) neighbours(folder, lang string) []string {
	var all []string
	paths, states := p.tree.Now()
	for i, s := range states {
		if lang == "go" && s.Source != nil && s.Source.Lang == lang && filepath.ToSlash(filepath.Dir(paths[i])) == folder {
			all = append(all, names(s.Source)...)
		}
	}
	return all
}

// step makes one edit, and says of which files, and where it went wrong.
func (p *planter) step(ctx context.Context) (paths []string, err error) {
	kinds := []struct {
		name   string
		weight int
		do     func(path string, s model.State) (map[string]model.Change, func() error)
	}{
		{"change", 30, p.change}, {"append", 20, p.grow}, {"atomic save", 15, p.save}, {"create", 12, nil},
		{"delete", 12, p.remove}, {"rename", 6, p.rename}, {"folder move", 3, p.move}, {"checkout", 2, nil},
	}
	now, states := p.tree.Now()
	var own []int
	for i, path := range now {
		if !model.Below(path, gitDir) {
			own = append(own, i)
		}
	}
	n := p.random.IntN(100)
	for _, kind := range kinds {
		if n -= kind.weight; n >= 0 {
			continue
		}
		// The number of files stays about the same.
		switch few := plantedDirs * plantedFiles * 3 / 4; {
		case kind.name == "delete" && len(own) < few:
			kind.name = "create"
		case kind.name == "create" && len(own) > few*5/3:
			kind.name, kind.do = "delete", p.remove
		}
		at := own[p.random.IntN(len(own))]
		path, changes, do := now[at], map[string]model.Change(nil), (func() error)(nil)
		switch kind.name {
		case "create":
			p.done[kind.name]++
			folder := filepath.ToSlash(filepath.Dir(path))
			return []string{folder}, p.create(folder)
		case "checkout":
			p.branch = 1 - p.branch
			changes, do = p.checkout(p.branch), func() error {
				return p.run(ctx, "checkout", "-q", fmt.Sprintf("b%d", p.branch))
			}
		default:
			changes, do = kind.do(path, states[at])
		}
		p.done[kind.name]++
		for path := range changes {
			paths = append(paths, path)
		}
		if err := p.tree.Apply(changes, do); err != nil {
			return nil, fmt.Errorf("%s of %s: %w", kind.name, path, err)
		}
		return paths, nil
	}
	return nil, nil
}

// create writes a new file.
func (p *planter) create(folder string) error {
	lang := "go"
	if p.random.IntN(3) == 0 {
		lang = "python"
	}
	s := p.source(lang, p.neighbours(folder, lang))
	path, to := folder+"/"+model.Word(p.random)+s.Ext(), s.State()
	return p.tree.Apply(map[string]model.Change{path: {To: to, Between: []model.State{{}}}}, func() error { return p.write(path, to.Text) })
}

// altered is a source with a function more, less, or another one.
func (p *planter) altered(path string, s *model.Source) *model.Source {
	if len(s.Funcs) > mostFuncs {
		return p.source(s.Lang, nil)
	}
	next := &model.Source{Lang: s.Lang, Imports: s.Imports, Funcs: slices.Clone(s.Funcs)}
	at := p.random.IntN(len(next.Funcs))
	switch p.random.IntN(4) {
	case 0:
		if len(next.Funcs) > 2 {
			next.Funcs = slices.Delete(next.Funcs, at, at+1)
			break
		}
		fallthrough
	case 1:
		next.Funcs = slices.Insert(next.Funcs, at, p.function(names(s)))
	case 2: // the body only
		next.Funcs[at].Mark = p.random.IntN(1e6)
	case 3:
		others := append(names(s), p.neighbours(filepath.ToSlash(filepath.Dir(path)), s.Lang)...)
		others = slices.DeleteFunc(others, func(name string) bool { return name == s.Funcs[at].Name })
		next.Funcs[at].Calls = p.function(others).Calls
	}
	return next
}

// change writes a file in its place, so that for a moment it is empty.
func (p *planter) change(path string, s model.State) (map[string]model.Change, func() error) {
	to := p.altered(path, s.Source).State()
	return map[string]model.Change{path: {To: to, Between: []model.State{{}}}}, func() error { return p.write(path, to.Text) }
}

// grow appends a function.
func (p *planter) grow(path string, s model.State) (map[string]model.Change, func() error) {
	if len(s.Source.Funcs) > mostFuncs {
		return p.change(path, s)
	}
	next := &model.Source{Lang: s.Source.Lang, Imports: s.Source.Imports, Funcs: slices.Clone(s.Source.Funcs)}
	next.Funcs = append(next.Funcs, p.function(names(next)))
	to := next.State()
	return map[string]model.Change{path: {To: to}}, func() error {
		f, err := os.OpenFile(p.file(path), os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.WriteString(strings.TrimPrefix(to.Text, s.Text))
		return err
	}
}

// save writes a new file and puts it in the place of the old one, as editors do.
func (p *planter) save(path string, s model.State) (map[string]model.Change, func() error) {
	to := p.altered(path, s.Source).State()
	temporary := strings.TrimSuffix(path, s.Source.Ext()) + "~" + s.Source.Ext()
	return map[string]model.Change{
			path:      {To: to},
			temporary: {To: model.State{Gone: true}, Between: []model.State{{}, to}},
		}, func() error {
			if err := p.write(temporary, to.Text); err != nil {
				return err
			}
			return os.Rename(p.file(temporary), p.file(path))
		}
}

func (p *planter) remove(path string, _ model.State) (map[string]model.Change, func() error) {
	return map[string]model.Change{path: {To: model.State{Gone: true}}}, func() error { return os.Remove(p.file(path)) }
}

func (p *planter) rename(path string, s model.State) (map[string]model.Change, func() error) {
	to := filepath.ToSlash(filepath.Dir(path)) + "/" + model.Word(p.random) + s.Source.Ext()
	return map[string]model.Change{path: {To: model.State{Gone: true}}, to: {To: s}},
		func() error { return os.Rename(p.file(path), p.file(to)) }
}

// move gives the folder of a file another name.
func (p *planter) move(path string, _ model.State) (map[string]model.Change, func() error) {
	p.moved++
	from, to := filepath.ToSlash(filepath.Dir(path)), fmt.Sprintf("%s/m%d", plantedDir, p.moved)
	changes := map[string]model.Change{}
	paths, states := p.tree.Now()
	for i, path := range paths {
		if model.Below(path, from) {
			changes[path] = model.Change{To: model.State{Gone: true}}
			changes[to+strings.TrimPrefix(path, from)] = model.Change{To: states[i]}
		}
	}
	return changes, func() error { return os.Rename(p.file(from), p.file(to)) }
}

// pace calls f every so often until ctx ends, later where f took longer.
func pace(ctx context.Context, every time.Duration, f func() error) error {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			if err := f(); err != nil && ctx.Err() == nil {
				return err
			}
		}
	}
}
