package mutate

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// goFunctions returns the functions of a file of Go that a test suite runs, by the lines
// that it runs, and how they can be broken.
func goFunctions(path string, text []byte, runs func(first, last int) bool) ([]function, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("mutate: %w", err)
	}
	var all []function
	for _, d := range file.Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok || d.Body == nil || d.Name.Name == "_" {
			continue
		}
		at := func(p token.Pos) int { return fset.Position(p).Offset }
		line := func(p token.Pos) int { return fset.Position(p).Line }
		if !runs(line(d.Body.Lbrace), line(d.Body.Rbrace)) {
			continue
		}
		f := function{File: path, Name: goName(d), Line: line(d.Name.Pos())}
		begin := at(d.Body.Lbrace) + 1
		f.Throw = &edit{At: begin, Text: "\n\tpanic(\"mutant\")"}
		if len(text) > begin && text[begin] != '\n' {
			f.Throw.Text = ` panic("mutant");`
		}
		if name := d.Name.Name; name != "init" && name != "main" {
			f.Rename = &edit{At: at(d.Name.Pos()), Length: len(name), Text: name + "Mutant"}
		}
		ast.Inspect(d.Body, func(n ast.Node) bool {
			if e, ok := goConstant(n); ok {
				e.At = at(n.Pos())
				f.Constants = append(f.Constants, e)
			}
			return true
		})
		all = append(all, f)
	}
	return all, nil
}

// goConstant returns what to make of a literal or a truth value.
func goConstant(n ast.Node) (edit, bool) {
	switch n := n.(type) {
	case *ast.BasicLit:
		switch n.Kind {
		case token.STRING:
			end := len(n.Value) - 1
			return edit{Length: len(n.Value), Text: n.Value[:end] + "~" + n.Value[end:]}, true
		case token.INT, token.FLOAT, token.CHAR:
			return edit{Length: len(n.Value), Text: "(" + n.Value + " + 1)"}, true
		}
	case *ast.Ident:
		switch n.Name {
		case "true":
			return edit{Length: len("true"), Text: "false"}, true
		case "false":
			return edit{Length: len("false"), Text: "true"}, true
		}
	}
	return edit{}, false
}

// goName returns a function's name, after that of the type that it is a method of.
func goName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	for x := d.Recv.List[0].Type; ; {
		switch y := x.(type) {
		case *ast.StarExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.IndexListExpr:
			x = y.X
		case *ast.ParenExpr:
			x = y.X
		case *ast.Ident:
			return y.Name + "." + d.Name.Name
		default:
			return d.Name.Name
		}
	}
}

// goTests returns the names of the tests, examples and fuzz targets in a test file.
func goTests(path string, text []byte) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("mutate: %w", err)
	}
	var names []string
	for _, d := range file.Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok || d.Recv != nil {
			continue
		}
		for _, prefix := range []string{"Test", "Example", "Fuzz"} {
			rest, is := strings.CutPrefix(d.Name.Name, prefix)
			first, _ := utf8.DecodeRuneInString(rest)
			if is && d.Name.Name != "TestMain" && (rest == "" || !unicode.IsLower(first)) {
				names = append(names, d.Name.Name)
			}
		}
	}
	return names, nil
}

// A span is lines of a file, from the first to the last.
type span struct{ first, last int }

// goCovered reads a profile of go test -coverprofile: the statements that ran, by file. Files
// are named as Go does, by the path of their package.
func goCovered(profile string) (map[string][]span, error) {
	covered := map[string][]span{}
	for line := range strings.Lines(profile) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "mode:") {
			continue
		}
		colon := strings.LastIndexByte(line, ':')
		fields := strings.FieldsFunc(line[colon+1:], func(r rune) bool { return r == '.' || r == ',' || r == ' ' })
		if colon < 0 || len(fields) != 6 {
			return nil, fmt.Errorf("mutate: the coverage has the line %q", line)
		}
		var numbers [6]int
		for i, f := range fields {
			n, err := strconv.Atoi(f)
			if err != nil {
				return nil, fmt.Errorf("mutate: the coverage has the line %q", line)
			}
			numbers[i] = n
		}
		s := span{numbers[0], numbers[2]}
		if file := line[:colon]; numbers[5] > 0 && !slices.Contains(covered[file], s) {
			covered[file] = append(covered[file], s)
		}
	}
	return covered, nil
}
