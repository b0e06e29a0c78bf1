// Package lang lists the languages that the call graph has rules for: those that have a
// package resolve in their folder, and a few that need little more than names.
package lang

import (
	"cmp"
	"path"
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/lang/plain"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	bash "github.com/quarry-search/quarry/index/internal/lang/bash/resolve"
	cfamily "github.com/quarry-search/quarry/index/internal/lang/cfamily/resolve"
	csharp "github.com/quarry-search/quarry/index/internal/lang/csharp/resolve"
	golang "github.com/quarry-search/quarry/index/internal/lang/golang/resolve"
	javascript "github.com/quarry-search/quarry/index/internal/lang/javascript/resolve"
	jvm "github.com/quarry-search/quarry/index/internal/lang/jvm/resolve"
	php "github.com/quarry-search/quarry/index/internal/lang/php/resolve"
	python "github.com/quarry-search/quarry/index/internal/lang/python/resolve"
	ruby "github.com/quarry-search/quarry/index/internal/lang/ruby/resolve"
	rust "github.com/quarry-search/quarry/index/internal/lang/rust/resolve"
)

// families are the families of the languages that are listed. Languages that are not
// are resolved by scope and name.
var families = []program.Languages{
	bash.Family, cfamily.Family, csharp.Family, plain.ElixirFamily, golang.Family, plain.GroovyFamily, javascript.Family, jvm.Family, php.Family, python.Family,
	ruby.Family, rust.Family, plain.ScalaFamily, plain.SwiftFamily,
}

// Maker returns what makes the languages of a family, for the files of one root; ""
// is any that is not listed.
func Maker(family string) func() map[string]*program.Lang {
	return func() map[string]*program.Lang {
		all := map[string]*program.Lang{"": plain.UnlistedLanguage()}
		for _, f := range families {
			if f.Name != family {
				continue
			}
			made := f.Make()
			for name, of := range f.Names {
				own := *made[of]
				own.Name, own.Family = name, family
				all[name] = &own
			}
		}
		return all
	}
}

// FamilyOf returns the family of a language that is listed, or "".
func FamilyOf(language string) string {
	for _, f := range families {
		if _, ok := f.Names[language]; ok {
			return f.Name
		}
	}
	return ""
}

// ConfigFamily returns the name of the family whose imports a file decides; "": none.
func ConfigFamily(p string) string {
	for _, f := range families {
		if f.Config != nil && f.Config(path.Base(p)) {
			return f.Name
		}
	}
	return ""
}

// unlisted is the family of all languages that are not listed. What they define is apart
// by their names; there may be any number of them, and little code is written in them.
const unlisted = "other"

// FamilyName returns the name of the family that a language belongs to.
func FamilyName(language string) string {
	return cmp.Or(FamilyOf(language), unlisted)
}

// KnownFamily reports whether there may be a family of a name.
func KnownFamily(name string) bool {
	return name == unlisted || slices.ContainsFunc(families, func(f program.Languages) bool { return f.Name == name })
}
