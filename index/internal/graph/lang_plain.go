package graph

import "github.com/quarry-search/quarry/index/internal/ir"

// Languages that traits say all of.

var (
	elixirFamily = langFamily{name: "elixir", names: map[string]string{"elixir": "elixir"}, make: newElixir}
	groovyFamily = langFamily{name: "groovy", names: map[string]string{"groovy": "groovy"}, make: newGroovy}
	scalaFamily  = langFamily{name: "scala", names: map[string]string{"scala": "scala"}, make: newScala}
	swiftFamily  = langFamily{name: "swift", names: map[string]string{"swift": "swift"}, make: newSwift}
)

// byPackage is a Language whose packages are declared in the files.
type byPackage struct{ Default }

// Resolve finds a package, or what is in one.
func (byPackage) Resolve(g *family, f *file, i *ir.ImportInfo) target { return g.resolveNamed(f, i) }

func newElixir() map[string]*lang {
	var t traits
	t.pack, t.overloads = global, true
	return map[string]*lang{"elixir": {traits: t, Language: byPackage{}}}
}

func newGroovy() map[string]*lang {
	var t traits
	t.pack, t.implicitThis, t.callMakes, t.overloads = byName, true, true, true
	return map[string]*lang{"groovy": {traits: t, Language: byPackage{}}}
}

func newScala() map[string]*lang {
	var t traits
	t.pack, t.implicitThis, t.companions = byName, true, true
	t.callMakes, t.overloads, t.callable = true, true, []string{"apply"}
	return map[string]*lang{"scala": {traits: t, Language: byPackage{}}}
}

func newSwift() map[string]*lang {
	var t traits
	t.pack, t.implicitThis, t.constructors = global, true, []string{"init"}
	t.callMakes, t.overloads = true, true
	return map[string]*lang{"swift": {traits: t, Language: Default{}}}
}
