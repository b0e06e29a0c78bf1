package convention

import (
	"bytes"
	"regexp"
	"slices"
)

var (
	// reflects finds code that looks at the members of a type while the program runs, and typeOf the types that it may do it with.
	reflects = map[string]*regexp.Regexp{
		"csharp": regexp.MustCompile(`\.Get(?:Runtime)?(?:Methods?|Members?|Fields?|Propert(?:y|ies)|NestedTypes?)\(`),
		"jvm":    regexp.MustCompile(`\.get(?:Declared)?(?:Methods?|Fields?|Classes)\(|\.(?:declared)?[mM]ember(?:s|Functions|Properties)\b|\.declared(?:Functions|Methods|Fields)\b|\.find(?:Static|Virtual|Getter|Setter)\(`),
		"php":    regexp.MustCompile(`\bget_class_methods\b|\bnew \\?Reflection|\bgetMethods\(|\bgetConstants\(`),
	}
	typeOf   = regexp.MustCompile(`\btypeof\(\s*(?:[\w.]+\.)?(\w+)(?:<[^()]*>)?\s*\)|\b(\w+)(?:\.|::)class\b`)
	typeOfGo = regexp.MustCompile(`^func \(\w+ \*?(\w+)|\breflect\.(?:TypeOf|ValueOf)\([&(*]*(?:\w+\.)?(\w+)\b|\breflect\.TypeFor\[\*?(?:\w+\.)?(\w+)`)
)

// Looks calls note with the names of the types that a file of a family names where it looks at the members of types.
func Looks(family string, src []byte, note func(name string)) {
	all := func(types *regexp.Regexp, text []byte) {
		for _, m := range types.FindAllSubmatch(text, -1) {
			note(string(bytes.Join(m[1:], nil)))
		}
	}
	if family == "go" {
		if !bytes.Contains(src, []byte(".NumMethod()")) && !bytes.Contains(src, []byte(".Methods()")) {
			return
		}
		for line := range bytes.Lines(src) {
			if bytes.HasPrefix(line, []byte("func (")) || bytes.Contains(line, []byte("reflect.Type")) || bytes.Contains(line, []byte("reflect.Value")) {
				all(typeOfGo, line)
			}
		}
	} else if form := reflects[family]; form != nil && form.Match(src) {
		all(typeOf, src)
	}
}

// FindsMethods reports whether a file of Go looks for the methods of a type by their names while the program runs,
// or fills in templates, which do.
func FindsMethods(src []byte) bool {
	for _, sign := range []string{".MethodByName(", ".NumMethod()", ".Methods()", `"text/template"`, `"html/template"`} {
		if bytes.Contains(src, []byte(sign)) {
			return true
		}
	}
	return false
}

// makers are words of code that makes code, by family.
var makers = map[string][]string{
	"csharp": {"ISourceGenerator", "IIncrementalGenerator", "CodeDomProvider", "CodeCompileUnit", "CSharpSyntaxTree"},
	"jvm":    {"javapoet", "kotlinpoet", "AbstractProcessor", "SymbolProcessor", "JCodeModel"},
}

// MakesCode reports whether a file of a family makes code: the index may not have that, and it may use all that its
// packages can see.
func MakesCode(family string, src []byte) bool {
	return slices.ContainsFunc(makers[family], func(word string) bool { return bytes.Contains(src, []byte(word)) })
}

// InMarks calls note with the names of the types whose literals stand in the annotations or attributes of a file: what
// reads these looks at the members of the types.
func InMarks(family string, src []byte, note func(name string)) {
	sign := map[string]byte{"csharp": '[', "jvm": '@'}[family]
	if sign == 0 {
		return
	}
	for line := range bytes.Lines(src) {
		if text := bytes.TrimLeft(line, " \t"); len(text) > 0 && text[0] == sign {
			for _, m := range typeOf.FindAllSubmatch(text, -1) {
				note(string(bytes.Join(m[1:], nil)))
			}
		}
	}
}

// Stores reports whether a file of Python says how objects are stored: then what is stored has the names of
// what makes them again.
func Stores(src []byte) bool { return stores.Match(src) }

var stores = regexp.MustCompile(`\bsave_reduce\(|\b__reduce(?:_ex)?__\b|\bcopy_?reg\.|\bPickler\b`)
