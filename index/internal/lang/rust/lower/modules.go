package lower

import (
	"bytes"
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

func (l *lowerer) modItem(n syntax.Node, attrs []syntax.Node) {
	name, body := l.Child(n, "name"), l.Child(n, "body")
	pos := l.Start(name)
	text := l.text(name)
	if body == 0 {
		module := text
		for i := len(l.modules) - 1; i >= 0; i-- {
			module = l.modules[i] + "::" + module
		}
		if path := l.pathAttribute(attrs); path != "" {
			module = path
		}
		info := ir.ImportInfo{Module: l.Str(module), Name: l.Str("*"), Alias: l.Str(text), Flags: ir.Mod}
		l.AddImport(info, text, l.visible(n), pos)
		return
	}
	_, done := l.beginClass(n, ir.Namespace)
	self := l.self
	l.self = 0
	l.modules = append(l.modules, text)
	l.itemList(body)
	l.modules = l.modules[:len(l.modules)-1]
	l.self = self
	done()
}

// pathAttribute returns the file that #[path = "..."] names, or "".
func (l *lowerer) pathAttribute(attrs []syntax.Node) string {
	for _, a := range attrs {
		attr := l.ChildOf(a, "attribute")
		if l.Kind(l.First(attr)) == "identifier" && string(l.Bytes(l.First(attr))) == "path" {
			return l.text(l.ChildOf(l.Child(attr, "value"), "string_content"))
		}
	}
	return ""
}

// hasTest reports whether an attribute makes a function a test: #[test],
// #[tokio::test], #[rstest].
func (l *lowerer) hasTest(attrs []syntax.Node) bool {
	for _, a := range attrs {
		path := l.NamedChild(l.ChildOf(a, "attribute"), 0)
		switch l.pathEnd(path) {
		case "test", "rstest", "bench", "test_case", "wasm_bindgen_test", "quickcheck", "proptest":
			return true
		}
	}
	return false
}

// hasAttribute reports whether one of the attributes has this text in brackets.
func (l *lowerer) hasAttribute(attrs []syntax.Node, text string) bool {
	for _, a := range attrs {
		if bytes.Equal(l.Bytes(l.ChildOf(a, "attribute")), []byte(text)) {
			return true
		}
	}
	return false
}

// isConditional reports whether only some builds have what has the attributes.
func (l *lowerer) isConditional(attrs []syntax.Node) bool {
	return slices.ContainsFunc(attrs, func(a syntax.Node) bool { return bytes.HasPrefix(l.Bytes(l.ChildOf(a, "attribute")), []byte("cfg(")) })
}
