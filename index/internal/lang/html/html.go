// Package html takes HTML apart into tags and text by the tokenizer of the standard's algorithm;
// where an element ends is found without building a document (element.go). What is
// wanted are elements with an id, headings that begin with text, scripts and style
// sheets, and comments. A megabyte takes 8 ms, two thirds of them the tokenizer's.
//
// The tokenizer gives no offsets, but its tokens leave nothing out: each begins where the
// one before it ends. Where the value of an attribute is, an attributeReader finds again.
package html

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A htmlReader reads one text.
type htmlReader struct {
	src      []byte
	found    *syntax.Found
	at, end  int         // of the token
	tag      syntax.Span // the start tag before it
	heading  bool        // which began a heading
	elements elements
}

// Language returns what is known of HTML.
func Language() syntax.Language {
	return syntax.Language{Name: "html", Scan: scan, Rules: syntax.Rules{Exported: syntax.Always, Name: htmlName}}
}

// scan finds what is wanted of a page. Every text is HTML; it is broken where it ends in a
// tag, a comment or an element whose end tag must not be left out.
func scan(src []byte) (found syntax.Found, broken bool) {
	broken = scanInto(&found, src)
	return found, broken
}

func scanInto(found *syntax.Found, src []byte) (broken bool) {
	h := htmlReader{src: src, found: found, elements: newElements(src, found)}
	z := html.NewTokenizer(bytes.NewReader(src))
	for {
		kind := z.Next()
		h.at, h.end = h.end, h.end+len(z.Raw())
		heading := h.heading
		h.heading = false
		switch kind {
		case html.ErrorToken:
			return h.elements.finish() || broken || h.at < len(src)
		case html.TextToken:
			if heading {
				h.define(syntax.Heading, syntax.Span{Start: h.at, End: h.end})
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			closed := kind == html.SelfClosingTagToken // as in XML, whatever the element
			if closed || string(name) == "noscript" {
				z.NextIsNotRawText()
			}
			h.start(name, more, closed)
		case html.EndTagToken:
			name, _ := z.TagName()
			h.elements.leave(name, h.at, h.end)
		case html.CommentToken:
			if bytes.HasPrefix(src[h.at:], []byte("<!--")) {
				found.Comments = append(found.Comments, syntax.Span{Start: h.at, End: h.end})
			}
			broken = src[h.end-1] != '>' // it goes on to the end of the text
		}
	}
}

// start takes a start tag. more says that it has attributes, closed that it ends itself.
func (h *htmlReader) start(name []byte, more, closed bool) {
	open := h.elements.enter(name, h.at, closed)
	h.heading = open && len(name) == 2 && name[0] == 'h' && '1' <= name[1] && name[1] <= '6'
	h.tag = syntax.Span{Start: h.at, End: h.end}
	if !more {
		return
	}
	script, link := string(name) == "script", string(name) == "link"
	if !script && !link && !bytes.Contains(h.src[h.at:h.end], []byte("id")) {
		return
	}
	path, named := false, false // a second attribute of a name does not count
	tag := attributeReader{src: h.src, at: h.at + 1 + len(name), end: h.end - 1}
	for key, value := range tag.all {
		switch word := string(h.src[key.Start:key.End]); {
		case script && word == "src" || link && word == "href":
			if value = value.Trim(h.src); !path && value.Start < value.End {
				h.found.Assets = append(h.found.Assets, syntax.Asset{Span: h.tag, Path: value})
			}
			path = true
		case word == "id" && !script && string(name) != "style":
			if !named {
				h.define(syntax.Key, value)
			}
			named = true
		}
	}
}

// define takes an element for a definition, as long as it is known to be.
func (h *htmlReader) define(kind syntax.Kind, name syntax.Span) {
	if name = name.Trim(h.src); name.Start < name.End {
		h.found.Definitions = append(h.found.Definitions, syntax.Definition{Span: h.tag, Kind: kind, Name: name})
	}
}

// htmlName is the name of an element: the text, without references to characters.
func htmlName(text string) (string, string) {
	return syntax.OneLine(strings.TrimSpace(html.UnescapeString(text)))
}
