// Package lang is the table of languages: each has a folder with its query, its rules and
// its mask.
//
// What it promises: a Parser of All knows every language there is. What it does not: which
// files are of a language, which index/internal/source says.
package lang

import (
	"slices"
	"sync"

	"github.com/quarry-search/quarry/index/internal/lang/bash"
	"github.com/quarry-search/quarry/index/internal/lang/cfamily"
	"github.com/quarry-search/quarry/index/internal/lang/csharp"
	"github.com/quarry-search/quarry/index/internal/lang/css"
	"github.com/quarry-search/quarry/index/internal/lang/cue"
	"github.com/quarry-search/quarry/index/internal/lang/dockerfile"
	"github.com/quarry-search/quarry/index/internal/lang/elixir"
	"github.com/quarry-search/quarry/index/internal/lang/elm"
	"github.com/quarry-search/quarry/index/internal/lang/golang"
	"github.com/quarry-search/quarry/index/internal/lang/groovy"
	"github.com/quarry-search/quarry/index/internal/lang/hcl"
	"github.com/quarry-search/quarry/index/internal/lang/html"
	"github.com/quarry-search/quarry/index/internal/lang/java"
	"github.com/quarry-search/quarry/index/internal/lang/javascript"
	"github.com/quarry-search/quarry/index/internal/lang/kotlin"
	"github.com/quarry-search/quarry/index/internal/lang/lua"
	"github.com/quarry-search/quarry/index/internal/lang/markdown"
	"github.com/quarry-search/quarry/index/internal/lang/ocaml"
	"github.com/quarry-search/quarry/index/internal/lang/patterned"
	"github.com/quarry-search/quarry/index/internal/lang/php"
	"github.com/quarry-search/quarry/index/internal/lang/protobuf"
	"github.com/quarry-search/quarry/index/internal/lang/python"
	"github.com/quarry-search/quarry/index/internal/lang/ruby"
	"github.com/quarry-search/quarry/index/internal/lang/rust"
	"github.com/quarry-search/quarry/index/internal/lang/scala"
	"github.com/quarry-search/quarry/index/internal/lang/sql"
	"github.com/quarry-search/quarry/index/internal/lang/swift"
	"github.com/quarry-search/quarry/index/internal/lang/toml"
	"github.com/quarry-search/quarry/index/internal/lang/yaml"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// All returns the languages, always the same.
var All = sync.OnceValue(func() *syntax.Languages {
	return syntax.NewLanguages(slices.Concat(patterned.Languages(), cfamily.Languages(), javascript.Languages(), []syntax.Language{
		bash.Language(),
		csharp.Language(),
		css.Language(),
		cue.Language(),
		dockerfile.Language(),
		elixir.Language(),
		elm.Language(),
		golang.Language(),
		groovy.Language(),
		hcl.Language(),
		html.Language(),
		java.Language(),
		kotlin.Language(),
		lua.Language(),
		markdown.Language(),
		ocaml.Language(),
		php.Language(),
		protobuf.Language(),
		python.Language(),
		ruby.Language(),
		rust.Language(),
		scala.Language(),
		sql.Language(),
		swift.Language(),
		toml.Language(),
		yaml.Language(),
	})...)
})

// NewParser returns a Parser of all languages.
func NewParser() *syntax.Parser { return All().NewParser() }
