package grep

import (
	"cmp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/texts"
)

// Where a hot zone begins: so many matches, and so large a part of them in one folder.
const (
	zoneMatches = 5
	zoneShare   = 0.5
)

// rank puts what was found in order.
func (s *grepSearch) rank() *GrepAnswer {
	g := &GrepAnswer{Query: s.query, Cut: s.cut, State: s.state, Unread: s.Unread, Out: s.out, Searched: len(s.Files)}
	dirs := map[string]int{}
	for i := range s.found {
		found := &s.found[i]
		if found.Unread {
			g.Unread++
			g.Searched--
		}
		if found.matches == 0 {
			continue
		}
		g.Files++
		g.Matches += found.matches
		g.Bytes += found.bytes
		if dir := zoneDir(s.file(i).Path); dir != "" {
			dirs[dir] += found.matches
		}
	}
	g.HotZone = hotZone(dirs, g.Matches)
	type ranked struct {
		at    grepPlace
		rank  int8
		order string
	}
	var defined []ranked
	for i := range s.found {
		found := &s.found[i]
		if found.matches == 0 {
			continue
		}
		n := int32(len(g.files))
		for _, d := range found.defined {
			defined = append(defined, ranked{grepPlace{n, d.line}, d.rank, s.file(i).Path})
		}
		g.files = append(g.files, grepFile{
			path: s.file(i).Path, hash: found.Hash, matches: found.matches - len(found.defined),
			section: sectionOf(s.file(i), g.HotZone),
		})
	}
	slices.SortFunc(defined, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.order, b.order), cmp.Compare(a.at.line, b.at.line))
	})
	g.order(func(to []int32) {
		for _, d := range defined {
			g.defined = append(g.defined, grepPlace{to[d.at.file], d.at.line})
		}
	})
	g.sum()
	return g
}

// file returns the one in which found[i] was found.
func (s *grepSearch) file(i int) *texts.Source { return &s.Files[s.Left[i]] }

// order sorts the files by rank, and tells place where each has gone.
func (g *GrepAnswer) order(place func(to []int32)) {
	from := make([]int32, len(g.files))
	for i := range from {
		from[i] = int32(i)
	}
	slices.SortFunc(from, func(i, j int32) int {
		a, b := &g.files[i], &g.files[j]
		return cmp.Or(cmp.Compare(sectionRank(a.section), sectionRank(b.section)),
			cmp.Compare(b.matches, a.matches), strings.Compare(a.path, b.path))
	})
	to, sorted := make([]int32, len(from)), make([]grepFile, len(from))
	for n, i := range from {
		to[i], sorted[n] = int32(n), g.files[i]
	}
	g.files = sorted
	place(to)
}

// sum counts the sections.
func (g *GrepAnswer) sum() {
	add := func(name string, matches, files int) {
		if matches == 0 {
			return
		}
		if n := len(g.Sections); n == 0 || g.Sections[n-1].Name != name {
			g.Sections = append(g.Sections, GrepSection{Name: name})
		}
		last := &g.Sections[len(g.Sections)-1]
		last.Matches += matches
		last.Files += files
	}
	files := map[int32]bool{}
	for _, d := range g.defined {
		files[d.file] = true
	}
	add(InDefinitions, len(g.defined), len(files))
	for i := range g.files {
		add(g.files[i].section, g.files[i].matches, 1)
	}
}

func hotZone(dirs map[string]int, matches int) *Zone {
	best := ""
	for dir, n := range dirs {
		if best == "" || n > dirs[best] || n == dirs[best] && dir < best {
			best = dir
		}
	}
	if best == "" || matches < zoneMatches {
		return nil
	}
	share := float64(dirs[best]) / float64(matches)
	if share < zoneShare {
		return nil
	}
	return &Zone{Dir: best, Share: share}
}

func sectionOf(f *texts.Source, hot *Zone) string {
	switch {
	case f.Form:
		return InGenerated
	case f.Traits.Test:
		return InTests
	case f.Traits.Doc, f.Traits.Config:
		return InDocs
	case hot != nil && zoneDir(f.Path) == hot.Dir:
		return InHotZone
	}
	return InCode
}

func sectionRank(name string) int {
	switch name {
	case InHotZone:
		return 0
	case InCode:
		return 1
	case InDocs:
		return 2
	case InTests:
		return 3
	}
	return 4
}
