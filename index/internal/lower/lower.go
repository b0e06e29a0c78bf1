// Package lower turns syntax trees into the intermediate representation that the
// call graph is made from, by one package for each language or family.
package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/cfamily"
	"github.com/quarry-search/quarry/index/internal/lower/csharp"
	"github.com/quarry-search/quarry/index/internal/lower/generic"
	"github.com/quarry-search/quarry/index/internal/lower/golang"
	"github.com/quarry-search/quarry/index/internal/lower/java"
	"github.com/quarry-search/quarry/index/internal/lower/javascript"
	"github.com/quarry-search/quarry/index/internal/lower/kotlin"
	"github.com/quarry-search/quarry/index/internal/lower/php"
	"github.com/quarry-search/quarry/index/internal/lower/python"
	"github.com/quarry-search/quarry/index/internal/lower/ruby"
	"github.com/quarry-search/quarry/index/internal/lower/rust"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

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
	switch f.Language {
	case "go":
		return golang.Lower(f.Language, t)
	case "python":
		return python.Lower(f.Language, t)
	case "javascript", "typescript", "tsx", "vue", "svelte":
		return javascript.Lower(f.Language, t)
	case "java":
		return java.Lower(f.Language, t)
	case "kotlin":
		return kotlin.Lower(f.Language, t)
	case "csharp":
		return csharp.Lower(f.Language, t)
	case "php":
		return php.Lower(f.Language, t)
	case "ruby":
		return ruby.Lower(f.Language, t)
	case "rust":
		return rust.Lower(f.Language, t)
	case "c", "cpp":
		return cfamily.Lower(f.Language, t)
	}
	return generic.Lower(f, t.Source())
}
