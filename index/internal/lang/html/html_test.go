package html

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// TestHTMLElements says which elements there are, and where they end.
func TestHTMLElements(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		want      string // the name and the text of each, and a comma between
	}{
		{"nested", "<a id=b><c id='d'>e</c></a> f", "b <a id=b><c id='d'>e</c></a>, b.d <c id='d'>e</c>"},
		{"heading", "<h1> a b <i>c</i></h1><h7>d</h7><H2>e</H2>", "a b <h1> a b <i>c</i></h1>, e <H2>e</H2>"},
		{"heading without a text", "<h1><i>a</i></h1><h2></h2><h3> <!-- b -->c</h3>", ""},
		{"void", "<img id=a> b <br id=c></br>", "a <img id=a>, c <br id=c>"},
		{"items", "<ul><li id=a>b <li id=c>d </ul>", "a <li id=a>b, c <li id=c>d"},
		{"terms", "<dl><dt id=a>b<dd id=c>d<dt id=e>f</dl>", "a <dt id=a>b, c <dd id=c>d, e <dt id=e>f"},
		{"paragraphs", "<p id=a>b <p id=c><i>d</i><ul></ul>e", "a <p id=a>b, c <p id=c><i>d</i>"},
		{"cells", "<table><tr id=a><td id=b>c<td id=d>e<tr id=f></table>", "a <tr id=a><td id=b>c<td id=d>e, a.b <td id=b>c, a.d <td id=d>e, f <tr id=f>"},
		{"a table in a cell", "<table><tr><td id=a><table><tr><td id=b>c</table></table>", "a <td id=a><table><tr><td id=b>c</table>, a.b <td id=b>c"},
		{"parts of a table", "<table><caption id=a>b<thead id=c><tbody id=d></table>", "a <caption id=a>b, c <thead id=c>, d <tbody id=d>"},
		{"choices", "<select><optgroup id=a><option id=b>c<option id=d>e<optgroup id=f></select>", "a <optgroup id=a><option id=b>c<option id=d>e, a.b <option id=b>c, a.d <option id=d>e, f <optgroup id=f>"},
		{"a stray end", "<a id=b></c></a>d", "b <a id=b></c></a>"},
		{"an end too early", "<a id=b><c id=d>e</a>f</c>", "b <a id=b><c id=d>e</a>, b.d <c id=d>e"},
		{"no end", "<a id=b> <c id=d>\n", "b <a id=b> <c id=d>, b.d <c id=d>"},
		{"capitals", "<A ID=b>c</a>", ""},
		{"a custom element", "<a-b id=c><d:e id=f></a-b>", "c <a-b id=c><d:e id=f></a-b>, c.f <d:e id=f>"},

		{"attributes", "<a\n b = 'id=c' d=id id\t=\n\"e f\"g>h</a>", "e f <a b = 'id=c' d=id id = \"e f\"g>h</a>"},
		{"no value", "<a id><b id=><c id=''><d =id=e>", ""},
		{"a second one", "<a id=b id=c></a>", "b <a id=b id=c></a>"},
		{"quotes", "<a b='>' id=c'>d</a>", "c' <a b='>' id=c'>d</a>"},
		{"templates", "<a {{ if .b }}class=\"c\"{{ end }} id=\"{{ .d }}\">e</a>", "{{ .d }} <a {{ if .b }}class=\"c\"{{ end }} id=\"{{ .d }}\">e</a>"},

		{"script", "<script id=a>'<b id=c>'</script><d id=e>", "e <d id=e>"},
		{"title", "<title><a id=b></title><textarea id=c><d id=e></textarea>", "c <textarea id=c><d id=e></textarea>"},
		{"noscript", "<noscript><a id=b></a></noscript>", "b <a id=b></a>"},
		{"comment", "<!-- <a id=b> --><c id=d></c>", "d <c id=d></c>"},
		{"closed as in XML", "<title/><a id=b /><c id=\"d\"/>e<img id=f />", "b <a id=b />, d <c id=\"d\"/>, f <img id=f />"},
		{"a slash in a value", "<a id=b/>c</a>", "b/ <a id=b/>c</a>"},
		{"references", "<h1>&nbsp;a &amp; b > c</h1><h2>&nbsp;</h2><d id='e&quot;f'>", "a & b > c <h1>&nbsp;a &amp; b > c</h1>, e\"f <d id='e&quot;f'>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, s := range newParser(t).Parse("html", []byte(tt.src)).Symbols {
				name := strings.TrimPrefix(s.Parent+"."+s.Name, ".")
				got = append(got, fmt.Sprint(name, " ", strings.Join(strings.Fields(tt.src[s.Start:s.End]), " ")))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestHTMLImports says what a page asks for.
func TestHTMLImports(t *testing.T) {
	for src, want := range map[string]string{
		`<script src="a.js"></script><script src=b type="text/x"></script>`:                                "a.js b",
		`<script type="text/x">import "c"</script><script src></script><script/>`:                          "",
		`<link rel="stylesheet" type="text/css" href=" a.css "><link href='b' id=c/><link rel="./icon" />`: "a.css b",
		`<a href="a.html"><img src="b.png"><base href="/c/">`:                                              "",
		`<link href="a" href="b"><script src="c" src="d"/>`:                                                "a c",
	} {
		var got []string
		for _, i := range newParser(t).Parse("html", []byte(src)).Imports {
			got = append(got, i.Path)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}

// TestHTMLErrors: only what breaks off is an error, for the standard says what all the
// rest means.
func TestHTMLErrors(t *testing.T) {
	p := newParser(t)
	for src, want := range map[string]bool{
		"<!DOCTYPE html><p>a<li>b": false,
		"a < b & c > d &amp; &e;":  false,
		"<a></b></a></c>":          false,
		"<?xml?><![CDATA[a]]></>":  false,
		"{{ if a }}<a {{ b }}>":    true,
		"<a>":                      true,
		"<a></a":                   true,
		"<a b='></a>":              true,
		"<!-- a":                   true,
		"<script>a</scr":           true,
		"<title>a":                 true,
	} {
		if f := p.Parse("html", []byte(src)); f.Errors != want || !f.Grammar {
			t.Errorf("%s: errors %v, grammar %v", src, f.Errors, f.Grammar)
		}
	}
}

// newParser returns a parser of HTML.
func newParser(t *testing.T) *syntax.Parser {
	p := syntax.NewLanguages(Language()).NewParser()
	t.Cleanup(p.Close)
	return p
}
