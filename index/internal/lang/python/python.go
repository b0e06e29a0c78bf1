// Package python knows Python.
package python

import (
	_ "embed"
	"strings"

	"github.com/smacker/go-tree-sitter/python"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of Python.
func Language() syntax.Language {
	return syntax.Language{
		Name:    "python",
		Grammar: python.GetLanguage,
		Query:   query,
		Rules: syntax.Rules{
			Exported: func(d syntax.Decl) bool {
				return d.ParentExported && (!strings.HasPrefix(d.Name, "_") || strings.HasSuffix(d.Name, "__"))
			},
			Kind: func(d syntax.Decl) syntax.Kind {
				switch {
				case d.Kind == syntax.Function && d.ParentKind == syntax.Class && d.Name == "__init__":
					return syntax.Constructor
				case d.Kind == syntax.Function && d.ParentKind == syntax.Class:
					return syntax.Method
				case d.Kind == syntax.Variable && strings.ToUpper(d.Name) == d.Name && strings.ToLower(d.Name) != d.Name:
					return syntax.Constant
				}
				return d.Kind
			},
			Builtins: syntax.Words("int", "str", "float", "bool", "bytes", "list", "dict", "set", "tuple", "object", "type",
				"Any", "None", "Optional", "Union", "List", "Dict", "Set", "Tuple", "Callable", "Iterable", "Iterator",
				"Sequence", "Mapping", "Type", "Literal"),
		},
	}
}
