package brief

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// An Overview says what a codebase consists of.
type Overview struct {
	Files     int             `json:"files"`
	Languages []LanguageShare `json:"languages"` // those with most code first, five at most; never nil
	Folders   []FolderAbout   `json:"folders"`   // of a start-up those that its task is about first, then those with most code; never nil
	More      int             `json:"more"`      // folders that are not listed
}

// A LanguageShare is how much of a codebase is in one language.
type LanguageShare struct {
	Lang  string  `json:"lang"`
	Files int     `json:"files"`
	Share float64 `json:"share"` // of the bytes, 0..1
}

// A FolderAbout says what a folder is about.
type FolderAbout struct {
	Path    string   `json:"path"`            // relative to the root, with "/" at the end; "./" for the files of the root
	Files   int      `json:"files"`           // in it and below, less those of folders that are listed themselves
	About   string   `json:"about,omitempty"` // a sentence of its documentation
	Symbols []string `json:"symbols"`         // what it mainly defines, three at most; never nil
}

// Bounds of an Overview.
const (
	MaxFolders    = 12
	maxLanguages  = 5
	largeFolder   = 0.2 // of all code: a larger one is listed by the folders in it
	maxTopSymbols = 3
)

// OverviewOf returns what the codebase consists of. It is made once for each generation: of
// the 9,916 files of the Go distribution in some tenths of a second.
func OverviewOf(x *store.View) (Overview, error) {
	if o := store.Kept[lastOverview](x).Load(); o != nil && o.generation == x.Counters.Generation.Load() {
		return o.Overview, nil
	}
	f := store.NewFilter(store.Scope{})
	files, state, err := x.FilesOf(&f)
	if err != nil {
		return Overview{}, err
	}
	o := &overviewed{overviewOf(x, files), state.Generation}
	store.Kept[lastOverview](x).Store(o)
	return o.Overview, nil
}

type lastOverview struct{ atomic.Pointer[overviewed] } // nil: none yet

// overviewed is an Overview of a generation.
type overviewed struct {
	Overview
	generation uint64
}

// A folder is one with what is below it.
type folder struct {
	path   string // "." for the root
	files  []*store.Record
	below  []*folder
	weight float64 // of files and below
	own    float64 // of files
}

// importance is how much a file counts: its code, in full only where it is neither test nor
// somebody else's.
func importance(r *store.Record) float64 {
	w := float64(r.Code) + 1
	if t := r.Traits; t.Test || t.Example || t.Vendored || t.Doc || t.Config {
		w /= 10
	}
	return w
}

func overviewOf(x *store.View, files []*store.Record) Overview {
	o := Overview{Files: len(files), Languages: languagesOf(files), Folders: []FolderAbout{}}
	if len(files) == 0 {
		return o
	}
	root := foldersOf(files)
	listed := root.split()
	if len(listed) > MaxFolders {
		o.More = len(listed) - MaxFolders
		listed = listed[:MaxFolders]
	}
	for _, f := range listed {
		o.Folders = append(o.Folders, f.about(x))
	}
	return o
}

// languagesOf returns the languages of files by what they come to.
func languagesOf(files []*store.Record) []LanguageShare {
	type sum struct {
		files int
		bytes int64
	}
	sums := map[string]sum{}
	all := int64(0)
	for _, r := range files {
		if t := r.Traits; r.Lang == "" || t.Vendored || t.Doc || t.Config {
			continue
		}
		s := sums[r.Lang]
		sums[r.Lang] = sum{s.files + 1, s.bytes + r.Size}
		all += r.Size
	}
	langs := []LanguageShare{}
	for _, lang := range slices.SortedFunc(maps.Keys(sums), func(a, b string) int {
		return cmp.Or(cmp.Compare(sums[b].bytes, sums[a].bytes), strings.Compare(a, b))
	}) {
		share := float64(sums[lang].bytes) / float64(max(all, 1))
		if len(langs) == maxLanguages || share < 0.01 {
			break
		}
		langs = append(langs, LanguageShare{lang, sums[lang].files, float64(int(100*share+0.5)) / 100})
	}
	return langs
}

// foldersOf makes the tree of the folders of files.
func foldersOf(files []*store.Record) *folder {
	known := map[string]*folder{}
	var at func(dir string) *folder
	at = func(dir string) *folder {
		f := known[dir]
		if f == nil {
			f = &folder{path: dir}
			known[dir] = f
			if dir != "." {
				up := at(path.Dir(dir))
				up.below = append(up.below, f)
			}
		}
		return f
	}
	at(".")
	for _, r := range files {
		f := at(path.Dir(r.Path))
		f.files = append(f.files, r)
		w := importance(r)
		f.own += w
		for dir := path.Dir(r.Path); ; dir = path.Dir(dir) {
			known[dir].weight += w
			if dir == "." {
				break
			}
		}
	}
	return known["."]
}

// split returns the folders to list, those with most code first: the folders in the root,
// of which large ones are replaced by those in them.
func (f *folder) split() []*folder {
	large := largeFolder * f.weight
	var out []*folder
	open := []*folder{f}
	for len(open) > 0 {
		one := open[0]
		open = open[1:]
		if one != f && one.weight <= large || len(one.below) == 0 {
			out = append(out, one)
			continue
		}
		if len(one.files) > 0 {
			out = append(out, &folder{path: one.path, files: one.files, weight: one.own, own: one.own})
		}
		open = append(open, one.below...)
	}
	slices.SortFunc(out, func(a, b *folder) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), strings.Compare(a.path, b.path))
	})
	return out
}

// all calls visit for the files of a folder and those below.
func (f *folder) all(visit func(*store.Record)) {
	for _, r := range f.files {
		visit(r)
	}
	for _, b := range f.below {
		b.all(visit)
	}
}

// about says what a folder is about: by its documentation and its main symbols.
func (f *folder) about(x *store.View) FolderAbout {
	a := FolderAbout{Path: f.path + "/", Symbols: f.mainSymbols()}
	f.all(func(*store.Record) { a.Files++ })
	// What is said in the folder itself, or in the only way down from it.
	for at := f; at != nil && a.About == ""; {
		a.About = lines(x).Get(keyOf("doc of "+at.path, at.files), func() string { return folderDoc(x, path.Base(at.path), at.files) })
		if len(at.files) > 0 || len(at.below) != 1 {
			break
		}
		at = at.below[0]
	}
	return a
}

// mainSymbols returns the types with most members, and the longest functions where there
// are too few.
func (f *folder) mainSymbols() []string {
	type main struct {
		name string
		size int
	}
	members, defined := map[string]int{}, map[string]int{}
	types := map[string]bool{}
	var functions []main
	f.all(func(r *store.Record) {
		if t := r.Traits; t.Test || t.Example || t.Vendored {
			return
		}
		for i := range r.Symbols {
			s := &r.Symbols[i]
			switch name, _, _ := strings.Cut(s.Parent, "."); {
			case name != "":
				members[name]++
			case s.Kind() == syntax.Function:
				functions = append(functions, main{s.Name, int(s.Last - s.Line)})
			case s.Kind() == syntax.Class || s.Kind() == syntax.Struct || s.Kind() == syntax.Interface || s.Kind() == syntax.Trait || s.Kind() == syntax.Type || s.Kind() == syntax.Enum:
				types[s.Name] = types[s.Name] || s.Exported
				defined[s.Name]++
			}
		}
	})
	var mains []main
	for name, exported := range types {
		size := members[name] / defined[name] // a type of each system is one type
		if exported {
			size = 2*size + 1
		}
		mains = append(mains, main{name, size})
	}
	order := func(a, b main) int { return cmp.Or(cmp.Compare(b.size, a.size), strings.Compare(a.name, b.name)) }
	slices.SortFunc(mains, order)
	slices.SortFunc(functions, order)
	names := []string{}
	for _, m := range append(mains[:min(len(mains), maxTopSymbols)], functions...) {
		if len(names) < maxTopSymbols && !slices.Contains(names, m.name) {
			names = append(names, m.name)
		}
	}
	return names
}
