package references

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/texts"
	"github.com/quarry-search/quarry/index/references/typing"
)

// Bounds of what is looked at for one answer.
const (
	maxRead   = 128 << 20 // bytes of text
	maxParsed = 24 << 20  // bytes of files whose syntax is read again
	maxKin    = 256       // methods that override the target, or that it overrides
)

// A search is the work of one query.
type search struct {
	*calls.Walk
	index *store.View
	query *Query
	at    *store.Target
	gaps  *calls.Gaps

	name      string // as texts have it
	lang      string // of the target
	qualified string // its name with those around it
	parent    string // the last part of the name of what the target is a member of; "" for what is at the top of its file
	mixin     bool   // it is a method or field of a module of Ruby
	field     bool   // a type has a field of the name: a key of a literal of Go, whose type is not said there, is taken for one
	holds     bool   // the target is a field or a variable, which may hold a function of its name
	makes     bool   // the target makes instances: what names it is a call of its class
	own       string // the name that such a target has where classes below its own call it; "": none
	inner     span   // the function that the target is written in; none for others
	seeds     map[graph.ID]bool
	kin       map[graph.ID]bool                                      // methods that a call may lead through to the target, or to which it may lead instead
	leads     func(src []byte, m *mention.Mention, path string) bool // see mayLead; nil: not made
	class     graph.ID                                               // of which the target is a member; 0 for none
	global    string                                                 // see seenByAll
	reach     reach
	types     *typing.Reader
	files     map[*typing.File]*file // see opened
	common    *common
	symbols   map[uint32]bool // of SCIP indexes, that are the target
	others    map[uint32]bool // of SCIP indexes, whether they are known to be something else
	names     *mention.Names
	defaults  map[string]string // the names under which files of JavaScript import the target as a module's default
	sure      []Reference
	guessed   []Reference
	read      int // bytes
	parsed    int // bytes
	cut       bool
	packaged  bool
	pkg       string // see packageOf
	unparsed  int    // files
}

// run fills in the references.
func (s *search) run(ctx context.Context) {
	s.begin()
	if s.names.Len() == 0 {
		s.gaps.Because("%s is not one word, so that it cannot be looked for in the text", s.name)
		return
	}
	s.reach = s.reached(ctx)
	s.importedAsDefault()
	pattern, err := texts.Compile(s.names.Pattern(), line.Options{})
	if err != nil {
		s.gaps.Because("the text could not be searched: %v", err)
		return
	}
	sources, err := texts.SourcesOf(ctx, s.index)
	if err != nil {
		return // closed
	}
	unread, first := len(sources.Unread), ""
	if unread > 0 {
		first = sources.Unread[0]
	}
	t := &texts.Search{Index: s.index, Pattern: pattern, Sources: sources, Files: sources.Files}
	t.Look()
	one := texts.Reader{Src: texts.Take()}
	defer func() { texts.Give(one.Src) }()
	for n := range t.Files {
		file := &t.Files[n]
		if ctx.Err() != nil || s.cut {
			break
		}
		if !source.Within(file.Path, s.query.Path) || !s.concerns(file) {
			continue
		}
		var found texts.Head
		if !t.Text(&one, n, &found) {
			if found.Unread {
				unread, first = unread+1, cmp.Or(first, file.Path)
			}
			continue
		}
		if s.read += len(one.Src); s.read > maxRead {
			s.gaps.Because("the name was looked for in %d MiB of text only", maxRead>>20)
			break
		}
		s.look(ctx, file, one.Src)
	}
	s.gaps.Unread(unread, first)
	if t.Made.Load() {
		texts.Weigh(s.index)
	}
	if s.unparsed > 0 {
		s.gaps.Because("the syntax of %d MiB was read, and places of more files are told by their names only: %d", maxParsed>>20, s.unparsed)
	}
	s.unnamed()
	slices.SortStableFunc(s.sure, order)
	slices.SortStableFunc(s.guessed, order)
}

// importedAsDefault finds the files that give the target, as what a module exports by default,
// a name of their own: they may not have the target's name at all.
func (s *search) importedAsDefault() {
	s.defaults = map[string]string{}
	all := s.named()
	if store.CrossFamily(s.lang) == "javascript" {
		records := s.common.records()
		for id := range s.seeds {
			s.G.In(id, func(e graph.Edge) bool {
				r := records[s.G.PathOf(e.From)]
				if r == nil || e.Kind == graph.Imports || s.defaults[r.Path] != "" || s.reach[r.Path] == nil {
					return true
				}
				t := s.types.Lowered(r)
				if t == nil {
					return true
				}
				f := s.opened(t)
				for i := 1; i < len(f.IR.Imports); i++ {
					info := &f.IR.Imports[i]
					alias := f.IR.String(info.Alias)
					if f.IR.String(info.Name) == "default" && alias != "" && alias != s.name && f.leads(info) == scoped && wordAt(r, e.Pos) == alias {
						s.defaults[r.Path] = alias
						all = append(all, alias)
					}
				}
				return true
			})
		}
	}
	s.names = mention.Of(all)
}

// wordAt returns the name that begins at a place.
func wordAt(r *store.Record, pos ir.Pos) string {
	src := r.Text.All()
	at := store.Offset(src, pos)
	if at < 0 || at >= len(src) {
		return ""
	}
	end := at
	for end < len(src) && inPath(src[end]) && !strings.ContainsRune(".:/#-", rune(src[end])) {
		end++
	}
	return string(src[at:end])
}

// concerns reports whether a place in a file may be a reference.
func (s *search) concerns(file *texts.Source) bool {
	if s.G.Has(file.Path) || file.Traits.Config {
		return true
	}
	if file.Traits.Doc {
		return false
	}
	if lang := source.Language(file.Path, nil); lang == "" || source.IsText(lang) {
		return false
	}
	switch path.Ext(file.Path) {
	case ".snap", ".map", ".stderr", ".stdout", ".log": // what programs have written
		return false
	}
	return true
}

// look takes the references of a file.
func (s *search) look(ctx context.Context, file *texts.Source, src []byte) {
	lang := ""
	if r := file.Record; r != nil {
		lang = r.Lang
		if len(src) != r.Text.Size { // offsets are those of the text as it is
			src = r.Text.All()
		}
	} else {
		lang = source.Language(file.Path, src[:min(len(src), 512)])
	}
	f := fileOf(s, file, src, lang)
	f.aliases()
	var list []mention.Mention
	f.names.Each(src, func(m mention.Mention) bool {
		if !mention.InComment(lang, src, m.Offset) {
			list = append(list, m)
		}
		s.cut = len(list) == maxPlaces
		return !s.cut
	})
	if len(list) == 0 {
		return
	}
	f.known(list)
	if list = f.left(list); len(list) == 0 {
		return
	}
	if s.parsed < maxParsed {
		p := s.index.Parsers.Get()
		defer s.index.Parsers.Put(p)
		if tree := p.Tree(lang, src); tree != nil && tree.Root() != 0 {
			f.places, f.dots = mention.PlacesIn(tree), mention.PlacesIn(tree)
		}
		s.parsed += len(src)
	} else {
		s.unparsed++
	}
	for i := range list {
		if ctx.Err() != nil {
			return
		}
		m := &list[i]
		kind, confidence := f.judge(m)
		if confidence == "" {
			continue
		}
		r := Reference{Place: f.inside(m.Line, m.Column), Column: m.Column, Kind: kind.String(), Confidence: confidence, Test: f.test(m.Line), way: f.way}
		if !s.query.wanted(&r) {
			continue
		}
		if confidence == byName || f.possible {
			s.guessed = append(s.guessed, r)
		} else {
			s.sure = append(s.sure, r)
		}
		if len(s.sure)+len(s.guessed) >= maxPlaces {
			s.cut = true
			return
		}
	}
}

// unnamed adds the calls of what makes instances that do not have its name, as super(1), which the
// graph knows.
func (s *search) unnamed() {
	if !s.makes {
		return
	}
	records := s.common.records()
	listed := map[Reference]bool{}
	key := func(r *Reference) Reference {
		return Reference{Place: answer.Place{File: r.File, Line: r.Line}, Column: r.Column}
	}
	for _, list := range [][]Reference{s.sure, s.guessed} {
		for i := range list {
			listed[key(&list[i])] = true
		}
	}
	for id := range s.seeds {
		if s.Node(id).Kind != graph.FuncNode {
			continue
		}
		s.G.In(id, func(e graph.Edge) bool {
			record := records[s.G.PathOf(e.From)]
			if record == nil || e.Kind != graph.Calls || !delegates(wordAt(record, e.Pos)) {
				return true
			}
			f := fileOf(s, &texts.Source{Path: record.Path, Record: record, Traits: record.Traits}, nil, record.Lang)
			r := Reference{Place: f.inside(e.Pos.Line(), e.Pos.Column()), Column: e.Pos.Column(), Kind: mention.Call.String(), Confidence: e.Confidence.String(), Test: f.test(e.Pos.Line())}
			if listed[key(&r)] || !s.query.wanted(&r) {
				return true
			}
			listed[key(&r)] = true
			if e.Confidence >= graph.Possible {
				s.guessed = append(s.guessed, r)
			} else {
				s.sure = append(s.sure, r)
			}
			return true
		})
	}
}

// mayLead returns what says whether a call of something outside of the index may lead to the target.
func (s *search) mayLead() func(src []byte, m *mention.Mention, path string) bool {
	if s.leads == nil {
		ids := slices.Sorted(maps.Keys(s.seeds))
		s.leads = s.MayLead(s.at, ids)
	}
	return s.leads
}

// delegates reports whether a word calls a constructor of the class around it, or of one above.
func delegates(word string) bool {
	switch word {
	case "super", "this", "base", "init":
		return true
	}
	return false
}

// judge returns how a place uses its name, and how sure it is that it means the target; "" where
// it is no reference to it.
func (f *file) judge(m *mention.Mention) (mention.Kind, string) {
	f.apart(m)
	kind := f.kind(m)
	if kind == mention.Comment || kind == mention.Declaration {
		return kind, ""
	}
	return kind, f.meaning(m, kind)
}
