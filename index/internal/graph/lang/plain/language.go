// Package plain has languages of which traits say all, and what is taken of one that is not
// listed.
package plain

import (
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Languages that traits say all of.

var (
	// ElixirFamily is Elixir.
	ElixirFamily = program.Languages{Name: "elixir", Names: map[string]string{"elixir": "elixir"}, Make: newElixir}
	// GroovyFamily is Groovy.
	GroovyFamily = program.Languages{Name: "groovy", Names: map[string]string{"groovy": "groovy"}, Make: newGroovy}
	// ScalaFamily is Scala.
	ScalaFamily = program.Languages{Name: "scala", Names: map[string]string{"scala": "scala"}, Make: newScala}
	// SwiftFamily is Swift.
	SwiftFamily = program.Languages{Name: "swift", Names: map[string]string{"swift": "swift"}, Make: newSwift}
)

// byPackage is a Language whose packages are declared in the files.
type byPackage struct{ Default }

// Resolve finds a package, or what is in one.
func (byPackage) Resolve(g *program.Family, f *program.File, i *ir.ImportInfo) program.Target {
	return g.ResolveNamed(f, i)
}

// UnlistedLanguage is what is taken of a language that nobody has described.
func UnlistedLanguage() *program.Lang {
	var t program.Traits
	t.Pack, t.ImplicitThis, t.Dynamic, t.CallMakes = program.Global, true, true, true
	return &program.Lang{Traits: t, ModuleRules: Default{}}
}

func newElixir() map[string]*program.Lang {
	var t program.Traits
	t.Pack, t.Overloads = program.Global, true
	return map[string]*program.Lang{"elixir": {Traits: t, ModuleRules: byPackage{}}}
}

func newGroovy() map[string]*program.Lang {
	var t program.Traits
	t.Pack, t.ImplicitThis, t.CallMakes, t.Overloads = program.ByName, true, true, true
	return map[string]*program.Lang{"groovy": {Traits: t, ModuleRules: byPackage{}}}
}

func newScala() map[string]*program.Lang {
	var t program.Traits
	t.Pack, t.ImplicitThis, t.Companions = program.ByName, true, true
	t.CallMakes, t.Overloads, t.Callable = true, true, []string{"apply"}
	return map[string]*program.Lang{"scala": {Traits: t, ModuleRules: byPackage{}}}
}

func newSwift() map[string]*program.Lang {
	var t program.Traits
	t.Pack, t.ImplicitThis, t.Constructors = program.Global, true, []string{"init"}
	t.CallMakes, t.Overloads = true, true
	return map[string]*program.Lang{"swift": {Traits: t, ModuleRules: Default{}}}
}
