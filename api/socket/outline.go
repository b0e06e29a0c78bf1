package socket

import (
	"context"
	"errors"
	"slices"
	"strings"
)

func asFailure(err error, f **failure) bool { return errors.As(err, f) }

// runs reports whether a kind of symbol is code that is called.
func runs(kind string) bool {
	return kind == "function" || kind == "method" || kind == "constructor" || kind == "macro"
}

// holds reports whether a kind of symbol is a type, for llm-tldr a class.
func holds(kind string) bool {
	switch kind {
	case "class", "struct", "interface", "trait", "enum", "type":
		return true
	}
	return false
}

// qualified returns a symbol's name with its containers.
func qualified(s fields) string {
	if parent := s.text("parent"); parent != "" {
		return parent + "." + s.text("name")
	}
	return s.text("name")
}

// structure answers with the symbols of files, and with the imports at their heads.
func (c *call) structure(ctx context.Context, body fields) (answer, error) {
	heads := fields{"head": true}
	for _, name := range []string{"path", "limit", "offset", "lang", "glob", "project"} {
		heads[name] = c.f[name]
	}
	imported, err := c.get(ctx, "/imports", heads)
	if err != nil {
		return nil, err
	}
	imports := map[string]any{}
	for _, f := range imported.list("files") {
		imports[f.text("file")] = modules(f.list("imports"))
	}
	for _, f := range body.list("files") {
		functions, classes, methods := []string{}, []string{}, []string{}
		for _, s := range f.list("symbols") {
			kind, name := s.text("kind"), s.text("name")
			switch {
			case runs(kind):
				if functions = append(functions, name); kind != "function" && kind != "macro" {
					methods = append(methods, name)
				}
			case holds(kind):
				classes = append(classes, name)
			}
		}
		f["path"], f["functions"], f["classes"], f["methods"], f["imports"] = f["file"], functions, classes, methods, imports[f.text("file")]
	}
	lang := c.asked.text("language")
	if lang == "" {
		lang = "all"
	}
	body["language"] = lang
	return answer{"result": body}.with(body), nil
}

// extract answers with a definition, or with what is in a file.
func (c *call) extract(ctx context.Context, body fields) (answer, error) {
	if _, file := body["symbols"]; file {
		if err := c.outline(ctx, body); err != nil {
			return nil, err
		}
	}
	a := answer{"result": body}
	c.books.told(c.asked.text("session"), body.number("tokens_raw"), string(a.encode(nil)))
	return a.with(body), nil
}

// outline adds to what is in a file what llm-tldr says of it.
func (c *call) outline(ctx context.Context, body fields) error {
	body["file_path"], body["language"], body["docstring"] = body["file"], body["lang"], nil
	body["imports"] = modules(body.list("imports"))
	classes, functions := []fields{}, []fields{}
	byName := map[string]fields{}
	for _, s := range body.list("symbols") {
		if holds(s.text("kind")) {
			class := fields{
				"name": s["name"], "line_number": s["line"], "line": s["line"], "end_line": s["end_line"], "signature": s["signature"],
				"bases": bases(s.text("signature")), "docstring": s["doc"], "methods": []fields{}, "kind": s["kind"],
			}
			classes = append(classes, class)
			byName[qualified(s)] = class
		}
	}
	for _, s := range body.list("symbols") {
		if !runs(s.text("kind")) {
			continue
		}
		params, result := split(s.text("signature"), s.text("name"))
		f := fields{
			"name": s["name"], "line_number": s["line"], "line": s["line"], "end_line": s["end_line"], "signature": s["signature"],
			"params": params, "return_type": result, "docstring": s["doc"],
			"is_async": slices.Contains(strings.Fields(s.text("signature")), "async"),
		}
		class := byName[s.text("parent")]
		switch {
		case class != nil:
			class["methods"] = append(class["methods"].([]fields), f)
		case s.text("kind") != "function": // of a type in another file
			f["name"] = qualified(s)
			functions = append(functions, f)
		default:
			functions = append(functions, f)
		}
	}
	body["classes"], body["functions"] = classes, functions

	var graph any // null: the language has none
	calls, err := c.get(ctx, "/calls", fields{"target": body["file"], "limit": 1000})
	var f *failure
	switch {
	case err == nil:
		graph = within(calls, body.text("file"))
	case !asFailure(err, &f) || f.code != "unsupported_language":
		return err
	}
	body["call_graph"] = graph
	return nil
}

// within returns the calls between the functions of a file.
func within(calls fields, file string) fields {
	callees, callers := map[string][]string{}, map[string][]string{}
	add := func(m map[string][]string, key, v string) {
		if !slices.Contains(m[key], v) {
			m[key] = append(m[key], v)
		}
	}
	for _, e := range calls.list("edges") {
		from, to := e.object("from"), e.object("to")
		if from.text("file") == file && to.text("file") == file {
			add(callees, from.text("symbol"), to.text("symbol"))
			add(callers, to.text("symbol"), from.text("symbol"))
		}
	}
	return fields{"calls": callees, "called_by": callers}
}

// split takes the parameters and the result out of a signature. result is nil where
// there is none.
func split(signature, name string) (params []string, result any) {
	params = []string{}
	at := strings.Index(signature, name+"(")
	if at < 0 {
		at = max(strings.Index(signature, name), 0) // type parameters may come in between
	}
	rest := signature[at:]
	open := strings.IndexByte(rest, '(')
	if open < 0 {
		return params, nil
	}
	rest = rest[open+1:]
	depth, begin := 0, 0
	for i, ch := range rest {
		switch {
		case strings.ContainsRune("([{<", ch):
			depth++
		case ch == '>' && i > 0 && (rest[i-1] == '=' || rest[i-1] == '-'): // an arrow
		case depth > 0 && strings.ContainsRune(")]}>", ch):
			depth--
		case depth == 0 && (ch == ',' || ch == ')'):
			if p := strings.TrimSpace(rest[begin:i]); p != "" {
				params = append(params, p)
			}
			if begin = i + 1; ch == ')' {
				of := strings.TrimSpace(strings.TrimRight(strings.TrimSpace(rest[begin:]), "{:;"))
				of = strings.TrimSpace(strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(of, "->"), "=>"), ":"))
				if of != "" {
					result = of
				}
				return params, result
			}
		}
	}
	return params, nil
}

// bases reads the types that a class says it is made from.
func bases(signature string) []string {
	list := []string{}
	add := func(text string) {
		for _, name := range strings.Split(text, ",") {
			if name = strings.Trim(name, " {:"); name != "" && !strings.Contains(name, "=") {
				list = append(list, name)
			}
		}
	}
	if strings.HasPrefix(signature, "class ") && strings.HasSuffix(strings.TrimRight(signature, " :"), ")") {
		if open := strings.IndexByte(signature, '('); open >= 0 {
			add(strings.TrimRight(signature[open+1:], " :)"))
			return list
		}
	}
	if _, rest, ok := strings.Cut(signature, " extends "); ok {
		rest, also, _ := strings.Cut(rest, " implements ")
		add(rest)
		add(also)
	} else if _, rest, ok := strings.Cut(signature, " implements "); ok {
		add(rest)
	}
	return list
}
