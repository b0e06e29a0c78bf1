// Package binding finds what files bind and do not read: the names of imports, and the parameters of
// functions. It goes by the names in the syntax trees, so that what has the name of something else may be
// taken for read; what says that something is not read is seldom wrong.
package binding

import (
	"bytes"
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// What is looked for.
const (
	Import    = "import"
	Parameter = "parameter"
)

// A Binding is a name that nothing reads.
type Binding struct {
	Name     string
	Function string // of a parameter, with the names around it
	Line     int    // from 1
	EndLine  int
	Doubt    Doubt
	Why      string // what could still read it; "" for None
	Exported bool   // the function is
}

// A Doubt is how likely it is that something reads a Binding after all.
type Doubt int

// The doubts.
const (
	None  Doubt = iota
	Some        // what is outside of the index may
	Large       // a string, a comment or a convention has it
)

// A File is what was found in one.
type File struct {
	Record *store.Record
	Looked int // names that could have been unread
	Unread []Binding
}

// Unread looks for what all files of an index bind and do not read: want is Import or Parameter. left
// says what was not looked at, and of how many files.
func Unread(ctx context.Context, x *store.View, want string) (found []File, left []string, err error) {
	files, _, err := x.FilesByPath(store.Scope{})
	if err != nil {
		return nil, nil, err
	}
	langs := importers
	if want == Parameter {
		langs = takers
	}
	var next atomic.Int64
	var group errgroup.Group
	seed := maphash.MakeSeed()
	looks := make([]look, texts.Workers())
	read := make([]readFile, len(files))
	for n := range looks {
		l := &looks[n]
		l.traded, l.left = newTraded(seed), map[string]int{}
		group.Go(func() error {
			for ctx.Err() == nil {
				n := int(next.Add(1)) - 1
				if n >= len(files) {
					return nil
				}
				l.file(x, files[n], want, langs, &read[n])
			}
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	all, count := newTraded(seed), map[string]int{}
	for i := range looks {
		all.add(looks[i].traded)
		for why, n := range looks[i].left {
			count[why] += n
		}
	}
	for n := range read {
		f := &read[n]
		if f.looked == 0 {
			continue
		}
		one := File{Record: files[n], Looked: f.looked}
		for i := range f.found {
			if b, ok := f.found[i].binding(files[n], all); ok {
				one.Unread = append(one.Unread, b)
			}
		}
		found = append(found, one)
	}
	for _, why := range slices.Sorted(maps.Keys(count)) {
		left = append(left, fmt.Sprintf(why, count[why]))
	}
	return found, left, nil
}

// add takes in what another one has noted.
func (t *traded) add(o *traded) {
	maps.Copy(t.begun, o.begun)
	maps.Copy(t.valued, o.valued)
	maps.Copy(t.taken, o.taken)
	maps.Copy(t.stars, o.stars)
	for key, n := range o.defined {
		t.defined[key] += n
	}
}

// A look goes through files. It is of one goroutine.
type look struct {
	traded *traded
	left   map[string]int // what was not looked at, as a form for the number of files
}

// A readFile is what a file has.
type readFile struct {
	found  []unread
	looked int
}

// file looks at a file.
func (l *look) file(x *store.View, r *store.Record, want string, langs map[string]bool, to *readFile) {
	switch {
	case !langs[r.Lang]:
		if r.Grammar && !source.IsText(r.Lang) && !source.IsData(r.Lang) && slices.ContainsFunc(r.Symbols, func(s store.Symbol) bool { return store.Runs(s.Kind()) }) {
			l.left[want+"s of %d files of language "+r.Lang]++
		}
		return
	case r.Traits.Vendored:
		return
	case r.Errors || len(r.Lowered) == 0:
		if len(strings.TrimSpace(string(r.Text.Slice(0, 200)))) > 0 {
			l.left[want+"s of %d files that do not parse"]++
		}
		return
	}
	p := x.Parsers.Get()
	defer x.Parsers.Put(p)
	d := &reading{record: r, src: r.Text.All(), form: x.LowerOf(r)}
	if d.tree = p.Tree(r.Lang, d.src); d.tree == nil || d.tree.Root() == 0 {
		l.left[want+"s of %d files that do not parse"]++
		return
	}
	d.fold = r.Lang == "php" && want == Import
	d.read(d.wanted(want), l.traded)
	d.trades(l.traded)
	if whole.Match(d.src) {
		return
	}
	if want == Import {
		to.found, to.looked = d.imported()
	} else {
		to.found, to.looked = d.parameters()
	}
}

// wanted are the names whose places are needed.
func (d *reading) wanted(want string) map[string]bool {
	names := map[string]bool{}
	if want == Import {
		for i := 1; i < len(d.form.Imports); i++ {
			names[d.folded(d.local(&d.form.Imports[i]))] = true
		}
		return names
	}
	for i := 2; i < len(d.form.Funcs); i++ {
		for k := range d.form.Funcs[i].Params {
			names[d.bare(d.form.String(d.form.Funcs[i].Params[k].Name))] = true
		}
	}
	return names
}

// binding is what is said of it; ok is false if something reads it after all.
func (u *unread) binding(r *store.Record, all *traded) (b Binding, ok bool) {
	if u.across != nil {
		doubt, why, used := u.across(all)
		if used {
			return b, false
		}
		if doubt > u.doubt {
			u.doubt, u.why = doubt, why
		}
	}
	text := r.Text.All()
	b = Binding{Name: u.name, Function: u.symbol, Doubt: u.doubt, Why: u.why, Exported: u.export}
	b.Line = 1 + bytes.Count(text[:u.at], []byte("\n"))
	b.EndLine = b.Line + bytes.Count(bytes.TrimRight(text[u.at:max(u.at, u.end)], "\n"), []byte("\n"))
	return b, true
}

func inWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '$' || c >= 0x80
}
