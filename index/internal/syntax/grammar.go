package syntax

import (
	"embed"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"
	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/bash"
	"github.com/smacker/go-tree-sitter/c"
	"github.com/smacker/go-tree-sitter/cpp"
	"github.com/smacker/go-tree-sitter/csharp"
	"github.com/smacker/go-tree-sitter/css"
	"github.com/smacker/go-tree-sitter/cue"
	"github.com/smacker/go-tree-sitter/dockerfile"
	"github.com/smacker/go-tree-sitter/elixir"
	"github.com/smacker/go-tree-sitter/elm"
	"github.com/smacker/go-tree-sitter/golang"
	"github.com/smacker/go-tree-sitter/groovy"
	"github.com/smacker/go-tree-sitter/hcl"
	"github.com/smacker/go-tree-sitter/java"
	"github.com/smacker/go-tree-sitter/javascript"
	"github.com/smacker/go-tree-sitter/kotlin"
	"github.com/smacker/go-tree-sitter/lua"
	"github.com/smacker/go-tree-sitter/ocaml"
	"github.com/smacker/go-tree-sitter/php"
	"github.com/smacker/go-tree-sitter/protobuf"
	"github.com/smacker/go-tree-sitter/python"
	"github.com/smacker/go-tree-sitter/ruby"
	"github.com/smacker/go-tree-sitter/rust"
	"github.com/smacker/go-tree-sitter/scala"
	"github.com/smacker/go-tree-sitter/sql"
	"github.com/smacker/go-tree-sitter/swift"
	"github.com/smacker/go-tree-sitter/toml"
	"github.com/smacker/go-tree-sitter/typescript/tsx"
	"github.com/smacker/go-tree-sitter/typescript/typescript"
	"github.com/smacker/go-tree-sitter/yaml"

	"github.com/quarry-search/quarry/index/internal/syntax/glr"
	"github.com/quarry-search/quarry/index/internal/syntax/query"
)

//go:embed queries/*.scm
var queries embed.FS

// Fingerprint identifies the grammars, the queries and the tokenizer of HTML: where it is
// the same, the same text gives the same File, as long as this package does not change.
var Fingerprint = sync.OnceValue(func() string {
	h := xxhash.New()
	files, _ := queries.ReadDir("queries") // embedded: it is there
	for _, f := range files {
		text, _ := queries.ReadFile("queries/" + f.Name())
		fmt.Fprintf(h, "%s %d\n%s", f.Name(), len(text), text)
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "github.com/smacker/go-tree-sitter" || m.Path == "golang.org/x/net" {
				fmt.Fprintln(h, m.Version, m.Sum)
			}
		}
	}
	return fmt.Sprintf("%016x", h.Sum64())
})

// A grammar is all that is known of one language. It is safe for concurrent
// use: a language and a compiled query are only read.
type grammar struct {
	rules rules
	read  reader                    // nil: a tree is made, and the query asked
	text  string                    // of the query
	load  func() (*compiled, error) // compiles once, at the first use; nil where there is a reader
}

// A reader finds in the text of an extraction what a query would, and reports whether
// the text is broken.
type reader func(x *extraction) (broken bool)

// A compiled is a language with its query.
type compiled struct {
	grammar  *glr.Grammar
	query    *query.Query
	captures []capture  // by the query's capture number
	golang   *goSymbols // of Go, for its own reader
}

// A capture is what a capture name means.
type capture struct {
	role    role
	kind    Kind    // of isDef
	refKind RefKind // of isRef
}

// A role is the part a captured node plays in its match.
type role uint8

// The roles, one for every capture name in the package doc.
const (
	isIgnored role = iota
	isDef
	isName
	isBody
	isReceiver
	isExport
	isOuter
	isRef
	isImport
	isPath
	isImportName
	isAlias
	isDefault
	isComment
	isDocstring
	isHead
	isDecorator
	isScope
	isPublicScope
	isPrivateScope
	isSection
	isExportName
	isKeyword
	isElement
	isStart
	isLevel
	isAttribute
	roleCount
)

// languages are the grammars there are; which of them are used depends on
// whether there is a query file.
func languages() map[string]func() *sitter.Language {
	return map[string]func() *sitter.Language{
		"bash":       bash.GetLanguage,
		"c":          c.GetLanguage,
		"cpp":        cpp.GetLanguage,
		"csharp":     csharp.GetLanguage,
		"css":        css.GetLanguage,
		"cue":        cue.GetLanguage,
		"dockerfile": dockerfile.GetLanguage,
		"elixir":     elixir.GetLanguage,
		"elm":        elm.GetLanguage,
		"go":         golang.GetLanguage,
		"groovy":     groovy.GetLanguage,
		"hcl":        hcl.GetLanguage,
		"java":       java.GetLanguage,
		"javascript": javascript.GetLanguage,
		"kotlin":     kotlin.GetLanguage,
		"lua":        lua.GetLanguage,
		"ocaml":      ocaml.GetLanguage,
		"php":        php.GetLanguage,
		"protobuf":   protobuf.GetLanguage,
		"python":     python.GetLanguage,
		"ruby":       ruby.GetLanguage,
		"rust":       rust.GetLanguage,
		"scala":      scala.GetLanguage,
		"sql":        sql.GetLanguage,
		"svelte":     typescript.GetLanguage, // its scripts; the rest is masked
		"swift":      swift.GetLanguage,
		"toml":       toml.GetLanguage,
		"tsx":        tsx.GetLanguage,
		"typescript": typescript.GetLanguage,
		"vue":        typescript.GetLanguage,
		"yaml":       yaml.GetLanguage,
	}
}

// grammars is the table of languages with a query file or a reader, never changed
// after the package is loaded.
var grammars = newGrammars()

func newGrammars() map[string]*grammar {
	table := map[string]*grammar{
		"html":     {read: readHTML, rules: rules{exported: always, name: htmlName}},
		"markdown": {read: readMarkdown, rules: rules{exported: always, name: oneLine}},
	}
	own := [2]map[string]rules{rulesA(), rulesB()}
	for name, language := range languages() {
		text, err := queries.ReadFile("queries/" + name + ".scm")
		if err != nil {
			continue // no query, no grammar: patterns.go serves the language
		}
		// A query may go on with that of the language it extends.
		if first, _, _ := strings.Cut(string(text), "\n"); strings.HasPrefix(first, "; inherits: ") {
			base, _ := queries.ReadFile("queries/" + strings.TrimSpace(first[len("; inherits: "):]) + ".scm")
			text = slices.Concat(text, base)
		}
		g := &grammar{text: string(text)}
		for _, m := range own {
			if r, ok := m[name]; ok {
				g.rules = r
			}
		}
		g.load = sync.OnceValues(func() (*compiled, error) {
			return compile(name, g.text, language())
		})
		table[name] = g
	}
	return table
}

func compile(name, text string, language *sitter.Language) (*compiled, error) {
	g, err := glr.Load(name, language)
	if err != nil {
		return nil, err
	}
	c := &compiled{grammar: g}
	if c.query, err = query.Compile(text, g); err != nil {
		return nil, fmt.Errorf("compile query %s: %w", name, err)
	}
	if name == "go" {
		if c.golang, err = newGoSymbols(g); err != nil {
			return nil, err
		}
	}
	for _, word := range c.query.Captures {
		capture, err := captureOf(word)
		if err != nil {
			return nil, fmt.Errorf("compile query %s: %w", name, err)
		}
		c.captures = append(c.captures, capture)
	}
	return c, nil
}

// captureOf says what a capture name means. Names that begin with "_" serve
// the query alone and mean nothing here.
func captureOf(name string) (capture, error) {
	if kind, ok := strings.CutPrefix(name, "def."); ok {
		if !slices.Contains(kinds[:], Kind(kind)) {
			return capture{}, fmt.Errorf("capture @%s: unknown kind", name)
		}
		return capture{role: isDef, kind: Kind(kind)}, nil
	}
	if kind, ok := strings.CutPrefix(name, "ref."); ok {
		if !slices.Contains([]RefKind{Call, New, TypeUse, Inherit, Export}, RefKind(kind)) {
			return capture{}, fmt.Errorf("capture @%s: unknown kind", name)
		}
		return capture{role: isRef, refKind: RefKind(kind)}, nil
	}
	if strings.HasPrefix(name, "_") {
		return capture{}, nil
	}
	roles := map[string]role{
		"name": isName, "body": isBody, "receiver": isReceiver,
		"export": isExport, "outer": isOuter, "import": isImport,
		"path": isPath, "import.name": isImportName, "alias": isAlias,
		"default": isDefault, "comment": isComment, "docstring": isDocstring,
		"head": isHead, "decorator": isDecorator, "scope": isScope,
		"scope.public": isPublicScope, "scope.private": isPrivateScope,
		"section": isSection, "export.name": isExportName, "keyword": isKeyword,
		"element": isElement,
		"start":   isStart, "level": isLevel, "attribute": isAttribute,
	}
	r, ok := roles[name]
	if !ok {
		return capture{}, fmt.Errorf("capture @%s: unknown name", name)
	}
	return capture{role: r}, nil
}

// Languages lists the languages that have a grammar, sorted.
func Languages() []string {
	names := make([]string, 0, len(grammars))
	for name := range grammars {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
