// Package lower turns syntax trees into the intermediate representation that the
// call graph is made from, by one package for each language or family.
package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	cfamily "github.com/quarry-search/quarry/index/internal/lang/cfamily/lower"
	csharp "github.com/quarry-search/quarry/index/internal/lang/csharp/lower"
	elixir "github.com/quarry-search/quarry/index/internal/lang/elixir/lower"
	golang "github.com/quarry-search/quarry/index/internal/lang/golang/lower"
	java "github.com/quarry-search/quarry/index/internal/lang/java/lower"
	javascript "github.com/quarry-search/quarry/index/internal/lang/javascript/lower"
	kotlin "github.com/quarry-search/quarry/index/internal/lang/kotlin/lower"
	php "github.com/quarry-search/quarry/index/internal/lang/php/lower"
	python "github.com/quarry-search/quarry/index/internal/lang/python/lower"
	ruby "github.com/quarry-search/quarry/index/internal/lang/ruby/lower"
	rust "github.com/quarry-search/quarry/index/internal/lang/rust/lower"
	"github.com/quarry-search/quarry/index/internal/lower/generic"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// lowerings are the languages that have one of their own.
var lowerings = map[string]func(language string, t *syntax.Tree) *ir.File{
	"c":          cfamily.Lower,
	"cpp":        cfamily.Lower,
	"csharp":     csharp.Lower,
	"elixir":     elixir.Lower,
	"go":         golang.Lower,
	"java":       java.Lower,
	"javascript": javascript.Lower,
	"kotlin":     kotlin.Lower,
	"php":        php.Lower,
	"python":     python.Lower,
	"ruby":       ruby.Lower,
	"rust":       rust.Lower,
	"svelte":     javascript.Lower,
	"tsx":        javascript.Lower,
	"typescript": javascript.Lower,
	"vue":        javascript.Lower,
}

// File lowers one file. t is the tree that f was found in. It returns nil for a
// language that has no calls, or none that this package understands.
func File(f *syntax.File, t *syntax.Tree) *ir.File {
	if t == nil {
		if f.Language == "python" && f.Grammar {
			// A blank file is a module, too: an __init__.py makes a folder a package.
			return ir.NewBuilder(f.Language, nil).File()
		}
		return nil
	}
	if lower := lowerings[f.Language]; lower != nil {
		return lower(f.Language, t)
	}
	return generic.Lower(f, t.Source())
}
