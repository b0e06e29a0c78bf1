package dead

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/convention"
)

// packagesOf reads the descriptions of packages.
func (p *program) packagesOf() *convention.Packages {
	k := convention.NewPackages()
	has := func(file string) bool { return p.view.Record(file) != nil }
	for n := range p.files {
		if f := &p.files[n]; f.record != nil {
			k.Read(f.record, f.family, has)
		}
	}
	for i := range p.items {
		k.Starts(&p.items[i].Symbol)
	}
	return k
}

// declaredEntries marks what the files that describe packages of Python name as entry points.
func (p *program) declaredEntries(alive []bool) {
	named := map[string][]string{} // objects by the last name of them: the modules
	for n := range p.files {
		f := &p.files[n]
		if f.record != nil && convention.HasEntries(f.path) {
			convention.Entries(f.path, f.record.Text.All(), func(module, object string) { named[object] = append(named[object], module) })
		}
	}
	if len(named) == 0 {
		return
	}
	for i := range p.items {
		one := &p.items[i]
		if one.Record.Lang != "python" {
			continue
		}
		s := one.Sym()
		for _, module := range named[s.Qualified()] {
			at := "/" + strings.ReplaceAll(module, ".", "/")
			if file := "/" + one.Record.Path; strings.HasSuffix(file, at+".py") || strings.HasSuffix(file, at+"/__init__.py") {
				alive[i] = true
				if one.up >= 0 {
					alive[one.up] = true
				}
			}
		}
	}
}
