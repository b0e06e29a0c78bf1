package code

import "strings"

// A Param is a parameter of a function, or a result of one.
type Param struct {
	Name string // "" for a result
	Type string // "": not said
}

// Signature is the parameters and results of a function, read from its head.
type Signature struct {
	Params []Param
	Result string // the type, as written; "" for none or unknown
}

// ReadSignature reads the head of a function as it is written, in any language that has
// its parameters in brackets after the name.
func ReadSignature(lang, name, head string) (s Signature) {
	at := findName(head, name)
	if at < 0 {
		return s
	}
	after := head[at+len(name):]
	open := strings.IndexByte(after, '(')
	if lang == "haskell" || lang == "elm" {
		if _, types, ok := strings.Cut(after, "::"); ok {
			parts := strings.Split(types, "->")
			s.Result = strings.TrimSpace(parts[len(parts)-1])
		}
		return s
	}
	if open < 0 || strings.Contains(after[:open], "=") && lang != "javascript" && lang != "typescript" && lang != "tsx" {
		return s
	}
	list, rest := bracketed(after[open:])
	for _, part := range splitList(list) {
		if p, ok := readParam(lang, part); ok {
			s.Params = append(s.Params, p)
		}
	}
	for lang == "scala" && strings.HasPrefix(strings.TrimSpace(rest), "(") { // more lists
		list, rest = bracketed(strings.TrimSpace(rest))
		for _, part := range splitList(list) {
			if p, ok := readParam(lang, part); ok {
				s.Params = append(s.Params, p)
			}
		}
	}
	if lang == "go" {
		for i := len(s.Params) - 2; i >= 0; i-- { // a, b string
			if s.Params[i].Type == "" {
				s.Params[i].Type = s.Params[i+1].Type
			}
		}
	}
	s.Result = readResult(lang, head[:at], strings.TrimSpace(rest))
	return s
}

// findName returns where a name stands as a word by itself, followed by brackets if it
// does so at all.
func findName(head, name string) int {
	if name == "" {
		return -1
	}
	first := -1
	for i := 0; ; {
		n := strings.Index(head[i:], name)
		if n < 0 {
			return first
		}
		n += i
		end := n + len(name)
		if (n == 0 || !isNameByte(head[n-1])) && (end == len(head) || !isNameByte(head[end])) {
			if first < 0 {
				first = n
			}
			if end < len(head) && (head[end] == '(' || head[end] == '<' || head[end] == '[') {
				return n
			}
		}
		i = end
	}
}

// bracketed returns what is inside the brackets that a text begins with, and what comes
// after them.
func bracketed(text string) (inside, rest string) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return text[1:i], text[i+1:]
			}
		}
	}
	return strings.TrimPrefix(text, "("), ""
}

// splitList cuts at the commas that are in no brackets.
func splitList(list string) (parts []string) {
	depth, from := 0, 0
	for i := 0; i < len(list); i++ {
		switch c := list[i]; c {
		case '(', '[', '{':
			depth++
		case '<':
			depth++
		case '>':
			if i > 0 && list[i-1] != '-' && list[i-1] != '=' {
				depth--
			}
		case ')', ']', '}':
			depth--
		case ',':
			if depth <= 0 {
				parts = append(parts, strings.TrimSpace(list[from:i]))
				from = i + 1
			}
		}
	}
	if last := strings.TrimSpace(list[from:]); last != "" {
		parts = append(parts, last)
	}
	return parts
}

// readParam reads one parameter. ok is false for the object itself and for marks.
func readParam(lang, text string) (p Param, ok bool) {
	script := lang == "javascript" || lang == "typescript" || lang == "tsx"
	if script && (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) { // taken apart at once
		inside, rest := bracketed(text)
		rest, _, _ = strings.Cut(rest, " = ")
		_, kind, _ := strings.Cut(rest, ":")
		names := strings.Join(strings.Fields(inside), " ")
		if len(names) > 30 {
			names = "..."
		}
		if text[0] == '{' {
			return Param{"{" + names + "}", strings.TrimSpace(kind)}, true
		}
		return Param{"[" + names + "]", strings.TrimSpace(kind)}, true
	}
	text, _, _ = strings.Cut(text, " = ")
	if i := strings.IndexByte(text, '='); i > 0 && text[i-1] != '<' && text[i-1] != '>' {
		text = text[:i]
	}
	for strings.HasPrefix(text, "@") && strings.Contains(text, " ") { // annotations
		_, text, _ = strings.Cut(text, " ")
	}
	text = strings.TrimSpace(text)
	switch lang {
	case "java", "csharp", "c", "cpp", "php", "groovy", "dart", "objc", "zig":
		if lang == "zig" {
			break
		}
		i := strings.LastIndexAny(text, " *&")
		if i < 0 {
			if lang == "php" && strings.Contains(text, "$") {
				return Param{Name: strings.TrimLeft(text, "$.&")}, true
			}
			return Param{Type: text}, text != "" && text != "void" && text != "..."
		}
		p = Param{strings.TrimLeft(strings.Trim(text[i+1:], "[] "), "$.&"), strings.TrimSpace(text[:i+1])}
		return p, p.Name != ""
	case "go":
		name, kind, found := strings.Cut(text, " ")
		if !found {
			return Param{Name: text}, text != ""
		}
		return Param{name, strings.TrimSpace(kind)}, name != "_"
	}
	name, kind, _ := strings.Cut(text, ":")
	name = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(name), "?"))
	if i := strings.LastIndexByte(name, ' '); i >= 0 && (lang == "kotlin" || lang == "scala" || lang == "rust" || lang == "typescript" || lang == "tsx" || lang == "zig") {
		name = name[i+1:] // val, mut, comptime, private readonly
	} else if i > 0 && lang == "swift" {
		if name = name[i+1:]; text[:i] != "_" {
			name = text[:i] // the label says what it is for
		}
	}
	name = strings.TrimLeft(name, "*&.$")
	if name == "" || name == "self" || name == "cls" || name == "this" || name == "/" || strings.HasPrefix(name, "'") || strings.HasPrefix(name, "{") || strings.HasPrefix(name, "[") {
		return p, false
	}
	return Param{name, strings.TrimSpace(kind)}, true
}

// readResult returns the type of what a function gives, from what stands before its name
// and after its parameters.
func readResult(lang, before, after string) string {
	after = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(after), "{"))
	switch lang {
	case "go":
		return after
	case "java", "csharp", "c", "cpp", "groovy", "dart":
		if rest, ok := strings.CutPrefix(after, "->"); ok {
			return strings.TrimSpace(rest)
		}
		bare := strings.TrimRight(before, "*& ")
		words := strings.Fields(bare)
		if len(words) == 0 {
			return ""
		}
		// The type may hold blanks in its brackets, so it is taken from the last word on.
		at := len(words) - 1
		for depth := 0; at >= 0; at-- {
			depth += strings.Count(words[at], ">") - strings.Count(words[at], "<")
			if depth <= 0 {
				break
			}
		}
		kind := strings.Join(words[max(at, 0):], " ")
		if kind != "" {
			kind += strings.Join(strings.Fields(before[len(bare):]), "")
		}
		if i := strings.LastIndex(kind, "::"); i >= 0 && strings.HasSuffix(kind, "::") {
			return ""
		}
		switch kind {
		case "#define", "public", "private", "protected", "static", "internal", "virtual", "override", "inline", "explicit", "constexpr", "extern", "new", "final", "synchronized", "abstract", "void":
			return ""
		}
		if strings.HasSuffix(kind, "::") || strings.HasSuffix(kind, ".") {
			return ""
		}
		return kind
	}
	for _, mark := range []string{"->", ":"} {
		if i := strings.Index(after, mark); i == 0 || i > 0 && mark == "->" {
			after = strings.TrimSpace(after[i+len(mark):])
			after, _, _ = strings.Cut(after, " where ")
			after = strings.TrimSpace(strings.TrimSuffix(strings.TrimRight(after, " {:=;"), "=>"))
			switch after {
			case "None", "void", "Unit", "()", "Void", "never", "any", "unknown", "Promise<void>", "mixed", "static", "self":
				return ""
			}
			return after
		}
	}
	if lang == "zig" && after != "void" && after != "!void" {
		return after
	}
	return ""
}

// typeWord is the name in a type that says the most, without packages and marks.
func typeWord(kind string) string {
	kind = strings.TrimLeft(kind, "*&[].?! ")
	for _, lead := range []string{"const ", "mut ", "impl ", "dyn ", "final ", "readonly ", "struct ", "unsigned ", "chan "} {
		kind = strings.TrimPrefix(kind, lead)
	}
	kind = strings.TrimRight(kind, "*&[]?! ")
	if i := strings.IndexAny(kind, "<[({!|"); i > 0 {
		kind = kind[:i]
	}
	kind = kind[strings.LastIndexAny(kind, ".:")+1:]
	switch strings.ToLower(kind) {
	case "u8", "byte", "uint8_t":
		return "bytes"
	case "string", "str", "int", "bool", "boolean", "any", "object", "float", "double", "char", "void", "error", "t", "u32", "u64", "i32", "i64", "usize", "size_t", "long", "interface{}", "self", "array", "map", "func", "list", "number", "uint", "result", "option", "context", "bytes", "uint8", "int64", "uint64", "int32", "uint32", "float64", "dict", "tuple", "promise", "task", "response", "none", "null", "undefined", "unknown", "interface", "struct", "std::string", "string_view", "auto", "var", "r", "a", "b", "f", "k", "v":
		return ""
	}
	if len(kind) == 1 || strings.ContainsAny(kind, " {}()<>'\"") {
		return ""
	}
	return kind
}

// unwrapped is the type inside of one that only says how it comes.
func unwrapped(kind string) string {
	for range 3 {
		name, inside, ok := strings.Cut(kind, "<")
		if !ok {
			name, inside, ok = strings.Cut(kind, "[")
		}
		switch {
		case !ok || name == "":
			return kind
		}
		switch strings.TrimSpace(name[strings.LastIndexAny(name, ".:")+1:]) {
		case "Promise", "Result", "Option", "Optional", "Task", "ValueTask", "Future", "Box", "Rc", "Arc", "io", "Deferred", "Awaitable", "Coroutine", "Try", "Poll", "IO", "F", "Either", "unique_ptr", "shared_ptr", "const":
			parts := splitList(strings.TrimRight(inside, ">] "))
			if len(parts) == 0 {
				return ""
			}
			kind = parts[0]
			if strings.HasSuffix(name, "Either") {
				kind = parts[len(parts)-1]
			}
		default:
			return kind
		}
	}
	return kind
}
