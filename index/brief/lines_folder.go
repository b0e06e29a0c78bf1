package brief

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/summary/code"
)

// A branch is a folder with all files below it, by path.
type branch struct {
	folder string // "" for the root
	files  []*store.Record
}

// inner returns a branch's own files, and the branches of the folders in it.
func (b *branch) inner() (files []*store.Record, folders []branch) {
	for _, r := range b.files {
		rest := strings.TrimPrefix(r.Path, b.folder)
		rest = strings.TrimPrefix(rest, "/")
		name, _, deeper := strings.Cut(rest, "/")
		if !deeper {
			files = append(files, r)
			continue
		}
		at := path.Join(b.folder, name)
		if n := len(folders); n == 0 || folders[n-1].folder != at {
			folders = append(folders, branch{folder: at})
		}
		last := &folders[len(folders)-1]
		last.files = append(last.files, r)
	}
	return files, folders
}

// folderLine says in one line what a folder is about: by its README, its package's doc,
// or else by what is in it.
func folderLine(x *store.View, b *branch) string {
	return lines(x).Get(keyOf("folder "+b.folder, b.files), func() string { return makeFolderLine(x, b) })
}

func makeFolderLine(x *store.View, b *branch) string {
	// A folder that only holds another one is about that.
	files, folders := b.inner()
	if len(files) == 0 && len(folders) == 1 {
		return folderLine(x, &folders[0])
	}
	base := path.Base(cmp.Or(b.folder, x.Root()))
	if text := folderDoc(x, base, files); text != "" {
		return text
	}
	var names []string
	main := slices.DeleteFunc(slices.Clone(files), func(r *store.Record) bool { return r.Traits.Test })
	if len(main) == 0 {
		main = slices.Clone(files)
	}
	slices.SortStableFunc(main, func(a, b *store.Record) int { return cmp.Compare(value(b), value(a)) })
	for _, r := range main[:min(len(main), 6)] {
		if value(r) <= 0 {
			break
		}
		if order := mainSymbols(r, nil); len(order) > 0 && !slices.Contains(names, r.Symbols[order[0]].Name) {
			names = append(names, r.Symbols[order[0]].Name)
		}
	}
	if len(names) < 3 {
		slices.SortStableFunc(folders, func(a, b branch) int { return cmp.Compare(len(b.files), len(a.files)) })
		for _, f := range folders[:min(len(folders), 6)] {
			names = append(names, path.Base(f.folder)+"/")
		}
	}
	if len(names) == 0 {
		for _, r := range files[:min(len(files), 5)] {
			names = append(names, path.Base(r.Path))
		}
	}
	return code.Names(names) + counted(b.files)
}

// counted says how many files there are, and in which language most of them are.
func counted(files []*store.Record) string {
	count := map[string]int{}
	best := ""
	for _, r := range files {
		if count[r.Lang]++; r.Lang != "" && (best == "" || count[r.Lang] > count[best]) {
			best = r.Lang
		}
	}
	if len(files) == 1 {
		return ""
	}
	if 2*count[best] <= len(files) {
		return fmt.Sprintf(" (%d files)", len(files))
	}
	return fmt.Sprintf(" (%d files, %s)", len(files), best)
}

// folderDoc is what a folder's README says, or the doc of its package.
func folderDoc(x *store.View, base string, files []*store.Record) string {
	type candidate struct {
		record *store.Record
		rank   int
	}
	var all []candidate
	for _, r := range files {
		name := strings.ToLower(path.Base(r.Path))
		rank := 0
		switch s := stem(name); {
		case s == "readme":
			rank = 1
		case name == "__init__.py" || name == "mod.rs" || name == "lib.rs" || name == "doc.go" || name == "package-info.java" || name == "package.d.ts":
			rank = 2
		case s == strings.ToLower(base) || s == "index" || s == "main":
			rank = 3
		case r.Lang == "go" && !r.Traits.Test:
			rank = 4
		default:
			continue
		}
		all = append(all, candidate{r, rank})
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.rank, b.rank) })
	for _, c := range all[:min(len(all), 10)] {
		var f code.FileFacts
		if c.rank == 1 {
			if textFacts(x, c.record, &f, base); f.Head == "" {
				continue
			}
		} else if f.Head = headComment(x, c.record); c.rank == 4 && !strings.Contains(f.Head, "Package ") {
			continue
		}
		if text := code.Sentence(f.Head, base, f.Title); len(strings.Fields(text)) >= 3 {
			return code.Cut(text, 1<<10)
		}
	}
	return ""
}

// value is how much a file is worth in a summary of many.
func value(r *store.Record) int {
	v := 0
	for i := range r.Symbols {
		if s := &r.Symbols[i]; worth(s) {
			n := min(weightOf(s), 20)
			if s.Exported {
				n *= 3
			}
			v += n
		}
	}
	switch t := r.Traits; {
	case t.Vendored:
		return v / 20
	case t.Test, t.Example:
		return v / 20
	case t.Doc:
		return 0
	}
	return v
}

// value is how much a branch is worth: its best files count.
func (b *branch) value() int {
	v := 0
	for _, r := range b.files {
		v += value(r)
	}
	return v
}
