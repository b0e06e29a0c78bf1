// Package pattern finds definitions in lines of text by regular expressions, for languages
// without a grammar.
//
// What it promises: an expression is asked of a line only where it can match. What it does
// not: it knows nothing of a language's syntax, and sees one line at a time.
package pattern

// A Set is what is known of a language without a grammar.
type Set struct {
	Comment     string // the mark of a comment to the end of the line
	Imports     string // an expression, of which the first group is the path; "": none
	Definitions []Definition
	Clauses     bool // neighbours of one name are one definition
}

// A Definition finds definitions of a kind in a line. The expression's first group is the
// name.
type Definition struct {
	Kind       string
	Expression string
}

// New returns a set of pairs: a kind and an expression.
func New(comment, imports string, pairs ...string) *Set {
	s := &Set{Comment: comment, Imports: imports, Clauses: comment == "--" || comment == "%"}
	for i := 0; i < len(pairs); i += 2 {
		s.Definitions = append(s.Definitions, Definition{pairs[i], pairs[i+1]})
	}
	return s
}

// A Compiled is a Set with its expressions.
type Compiled struct {
	Comment     string
	Imports     *Expression // nil: none
	Definitions []CompiledDefinition
	Clauses     bool
}

// A CompiledDefinition is a Definition with its expression.
type CompiledDefinition struct {
	Kind       string
	Expression *Expression
}

// Compile compiles the expressions; one that is none is a mistake in the program.
func (s *Set) Compile() *Compiled {
	c := &Compiled{Comment: s.Comment, Clauses: s.Clauses}
	if s.Imports != "" {
		c.Imports = newExpression(s.Imports)
	}
	for _, d := range s.Definitions {
		c.Definitions = append(c.Definitions, CompiledDefinition{d.Kind, newExpression(d.Expression)})
	}
	return c
}

// Common returns what most languages have in common, for any other text.
func Common() *Set {
	return New("//", `^\s*import\s+["']?([\w./:*-]+)`,
		"function", `^\s*(?:(?:export|pub|public|private|protected|internal|static|async|inline|default|local)\s+)*(?:function|func|fn|def|fun|sub|proc)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$.:?!]*)`,
		"class", `^\s*(?:(?:export|pub|public|private|abstract|final|static|sealed|default|data)\s+)*(?:class|object)\s+([A-Z_]\w*)`,
		"struct", `^\s*(?:(?:export|pub|public|typedef)\s+)*struct\s+([A-Za-z_]\w*)`,
		"interface", `^\s*(?:(?:export|pub|public)\s+)*(?:interface|protocol)\s+([A-Za-z_]\w*)`,
		"trait", `^\s*(?:pub\s+)?trait\s+([A-Za-z_]\w*)`,
		"enum", `^\s*(?:(?:export|pub|public)\s+)*enum\s+(?:class\s+)?([A-Za-z_]\w*)`,
		"type", `^(?:export\s+|pub\s+)?type\s+([A-Za-z_]\w*)`,
		"macro", `^\s*#define\s+(\w+)`)
}
