package links

import (
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/store"
)

// headBytes are of a file in which its package and what it uses are looked for.
const headBytes = 16 << 10

var (
	jvmPackage     = regexp.MustCompile(`(?m)^\s*package\s+([\w.]+)`)
	csharpUsing    = regexp.MustCompile(`(?m)^\s*(?:global\s+)?using\s+([\w.]+)\s*;`)
	csharpSpace    = regexp.MustCompile(`(?m)^\s*namespace\s+([\w.]+)`)
	csharpModifier = regexp.MustCompile(`^(?:\[[^\]]*\]\s*)+`)
)

// packageOf returns the package that a file of Java or Kotlin declares.
func (f *finder) packageOf(r *store.Record) string {
	p, ok := f.packages[r.Path]
	if !ok {
		if m := jvmPackage.FindSubmatch(r.Text.Slice(0, headBytes)); m != nil {
			p = string(m[1])
		}
		f.packages[r.Path] = p
	}
	return p
}

// usesOf returns the namespaces in which a file of C# finds names: its own, those
// around them, and those that it names.
func (o *outward) usesOf(r *store.Record) []string {
	uses, ok := o.uses[r.Path]
	if ok {
		return uses
	}
	head := r.Text.Slice(0, headBytes)
	for _, m := range csharpUsing.FindAllSubmatch(head, -1) {
		uses = append(uses, string(m[1]))
	}
	for _, m := range csharpSpace.FindAllSubmatch(head, -1) {
		for space := string(m[1]); space != ""; space, _, _ = calls.LastPart(space) {
			uses = append(uses, space)
		}
	}
	slices.Sort(uses)
	uses = slices.Compact(uses)
	o.uses[r.Path] = uses
	return uses
}

// ownType stands for the class that a method is in.
const ownType = "Self"

// goCallable reports whether a function of Go may return a function.
func goCallable(signature, name string) bool {
	at := strings.LastIndex(signature, name+"(")
	if at < 0 { // generic, or cut off
		return true
	}
	end := closing(signature, at+len(name))
	if end < 0 {
		return true
	}
	results := strings.Trim(signature[end+1:], "() {")
	for _, part := range splitTop(results, ',') {
		words := strings.Fields(part)
		if len(words) == 0 {
			continue
		}
		switch t := strings.TrimPrefix(words[len(words)-1], "[]"); t {
		case "error", "bool", "string", "byte", "int", "int64", "uint64", "float64":
		default: // a type by its name may be one of functions
			if t[:min(len(t), 1)] != "*" || strings.Contains(part, "func(") {
				return true
			}
		}
	}
	return false
}

// resultTypes returns the plain names of the types that a signature declares to
// return; none where that is a collection, or something else that has methods of its
// own which a name may mean.
func resultTypes(lang, signature, name string) []string {
	at := strings.Index(signature, name)
	for at >= 0 { // the name that stands before the parameters, not one that ends like it
		end := at + len(name)
		if (at == 0 || !isWordByte(signature[at-1])) && (end == len(signature) || !isWordByte(signature[end])) {
			break
		}
		next := strings.Index(signature[at+1:], name)
		if next < 0 {
			return nil
		}
		at += 1 + next
	}
	if at < 0 {
		return nil
	}
	before, after := signature[:at], signature[at+len(name):]
	if lang == "java" || lang == "csharp" {
		return oneType(lastType(before), "Task", "ValueTask")
	}
	open := strings.IndexByte(after, '(')
	if lang == "go" && open > 0 && after[0] == '[' {
		open = strings.Index(after, "](") + 1
	}
	if open < 0 {
		return nil
	}
	end := closing(after, open)
	if end < 0 {
		return nil
	}
	after = strings.TrimSpace(after[end+1:])
	switch store.CrossFamily(lang) {
	case "go":
		return goResults(after)
	case "python":
		after, ok := strings.CutPrefix(after, "->")
		if !ok {
			return nil
		}
		text := strings.Trim(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(after), ":")), `"'`)
		return oneType(strings.NewReplacer("[", "<", "]", ">").Replace(text), "Optional", "Awaitable")
	case "rust":
		after, ok := strings.CutPrefix(after, "->")
		if !ok {
			return nil
		}
		after, _, _ = strings.Cut(after, " where ")
		after = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(after), "{"))
		for strings.HasPrefix(after, "&") || strings.HasPrefix(after, "'") || strings.HasPrefix(after, "mut ") || strings.HasPrefix(after, "dyn ") || strings.HasPrefix(after, "impl ") {
			if after[0] == '&' {
				after = strings.TrimSpace(after[1:])
			} else if _, rest, ok := strings.Cut(after, " "); ok {
				after = strings.TrimSpace(rest)
			} else {
				return nil
			}
		}
		return oneType(strings.ReplaceAll(after, "::", "."), "Box", "Arc", "Rc")
	case "javascript", "jvm", "php":
		after, ok := strings.CutPrefix(after, ":")
		if !ok {
			return nil
		}
		after, _, _ = strings.Cut(after, "=>")
		if lang == "kotlin" {
			after, _, _ = strings.Cut(after, "=")
		}
		after, _, _ = strings.Cut(after, "{")
		return oneType(strings.ReplaceAll(strings.TrimRight(after, "; "), `\`, "."), "Promise")
	}
	return nil
}

// fieldTypes is resultTypes for the line that declares a field.
func fieldTypes(lang, line, name string) []string {
	before, after, ok := strings.Cut(line, name)
	if !ok || after != "" && isWordByte(after[0]) || before != "" && isWordByte(before[len(before)-1]) {
		return nil
	}
	after, _, _ = strings.Cut(after, "//")
	switch store.CrossFamily(lang) {
	case "go":
		after, _, _ = strings.Cut(after, "`")
		return goResults(after)
	case "csharp", "php":
		return oneType(lastType(strings.TrimRight(before, "$ ")))
	}
	if lang == "java" {
		return oneType(lastType(before))
	}
	after, ok = strings.CutPrefix(strings.TrimLeft(after, "?! "), ":")
	if !ok {
		return nil
	}
	after, _, _ = strings.Cut(after, "=")
	return oneType(strings.ReplaceAll(strings.TrimRight(strings.TrimSpace(after), ",;"), "::", "."), "Box", "Arc", "Rc")
}

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}

// closing returns where the bracket is closed that opens at a place; -1: it is not.
func closing(text string, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// splitTop splits a text at a byte that is in no brackets.
func splitTop(text string, sep byte) (parts []string) {
	depth, start := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case strings.IndexByte("([{<", c) >= 0:
			depth++
		case strings.IndexByte(")]}>", c) >= 0:
			depth--
		case c == sep && depth == 0:
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	return append(parts, text[start:])
}

// goResults are those of a function of Go. Slices, maps and pointers have no methods
// that could be meant instead.
func goResults(text string) (types []string) {
	text = strings.TrimSpace(strings.TrimSuffix(text, "{"))
	if strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") {
		text = text[1 : len(text)-1]
	}
	for _, part := range splitTop(text, ',') {
		words := strings.Fields(part)
		if len(words) == 0 || len(words) > 2 || strings.Contains(part, "func(") || strings.HasPrefix(words[0], "chan") || strings.HasPrefix(words[0], "<-") {
			continue
		}
		t := words[len(words)-1]
		for {
			switch {
			case strings.HasPrefix(t, "*"):
				t = t[1:]
				continue
			case strings.HasPrefix(t, "["), strings.HasPrefix(t, "map["):
				if end := closing(t, strings.IndexByte(t, '[')); end > 0 {
					t = t[end+1:]
					continue
				}
			}
			break
		}
		t, _, _ = strings.Cut(t, "[") // of generic types
		types = append(types, plainType(t)...)
	}
	return types
}

// lastType returns the type at the end of a text of modifiers and a type.
func lastType(text string) string {
	text = csharpModifier.ReplaceAllString(strings.TrimSpace(text), "")
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch c := text[i]; {
		case c == '>' || c == ']':
			depth++
		case c == '<' || c == '[':
			depth--
		case c == ' ' && depth == 0:
			return text[i+1:]
		}
	}
	return text
}

// oneType returns the plain name of a type, which may be nothing as well. What is in
// one of the wrappers counts instead of it.
func oneType(text string, wrappers ...string) []string {
	var left []string
	for _, part := range splitTop(text, '|') {
		part = strings.Trim(strings.TrimSpace(part), "?")
		if part != "" && part != "null" && part != "undefined" && part != "None" {
			left = append(left, part)
		}
	}
	if len(left) != 1 {
		return nil
	}
	t := left[0]
	head, args, generic := strings.Cut(t, "<")
	if generic {
		if !strings.HasSuffix(args, ">") {
			return nil
		}
		if slices.Contains(wrappers, head) {
			return oneType(strings.TrimSpace(args[:len(args)-1]))
		}
	}
	return plainType(head)
}

// plainType returns the last part of a type's name, if it is a name.
func plainType(t string) []string {
	t = strings.TrimPrefix(strings.Trim(strings.TrimSpace(t), `"'`), ".")
	for i := range len(t) {
		if !isWordByte(t[i]) && t[i] != '.' {
			return nil
		}
	}
	switch _, last, _ := calls.LastPart(t); last {
	case "":
		return nil
	case "self", "static", "this", ownType:
		return []string{ownType}
	default:
		return []string{last}
	}
}
