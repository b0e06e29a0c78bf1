package syntax

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// HTML is taken apart into tags and text by the tokenizer of the standard's algorithm;
// where an element ends is found without building a document (html_element.go). What is
// wanted are elements with an id, headings that begin with text, scripts and style
// sheets, and comments. A megabyte takes 8 ms, two thirds of them the tokenizer's.
//
// The tokenizer gives no offsets, but its tokens leave nothing out: each begins where the
// one before it ends. Where the value of an attribute is, an attributeReader finds again.

// A htmlReader reads one text.
type htmlReader struct {
	x        *extraction
	at, end  int  // of the token
	tag      span // the start tag before it
	heading  bool // which began a heading
	elements elements
}

// readHTML finds what is wanted of a page. Every text is HTML; it is broken where it
// ends in a tag, a comment or an element whose end tag must not be left out.
func readHTML(x *extraction) (broken bool) {
	h := htmlReader{x: x, elements: newElements(x)}
	z := html.NewTokenizer(bytes.NewReader(x.src))
	for {
		kind := z.Next()
		h.at, h.end = h.end, h.end+len(z.Raw())
		heading := h.heading
		h.heading = false
		switch kind {
		case html.ErrorToken:
			return h.elements.finish() || broken || h.at < len(x.src)
		case html.TextToken:
			if heading {
				h.define(Heading, span{h.at, h.end})
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
			if bytes.HasPrefix(x.src[h.at:], []byte("<!--")) {
				x.comments = append(x.comments, span{h.at, h.end})
			}
			broken = x.src[h.end-1] != '>' // it goes on to the end of the text
		}
	}
}

// start takes a start tag. more says that it has attributes, closed that it ends itself.
func (h *htmlReader) start(name []byte, more, closed bool) {
	open := h.elements.enter(name, h.at, closed)
	h.heading = open && len(name) == 2 && name[0] == 'h' && '1' <= name[1] && name[1] <= '6'
	h.tag = span{h.at, h.end}
	if !more {
		return
	}
	script, link := string(name) == "script", string(name) == "link"
	if !script && !link && !bytes.Contains(h.x.src[h.at:h.end], []byte("id")) {
		return
	}
	path, named := false, false // a second attribute of a name does not count
	tag := attributeReader{src: h.x.src, at: h.at + 1 + len(name), end: h.end - 1}
	for key, value := range tag.all {
		switch word := string(h.x.src[key.start:key.end]); {
		case script && word == "src" || link && word == "href":
			if value = h.x.trim(value); !path && value.start < value.end {
				h.x.imports = append(h.x.imports, imported{span: h.tag, path: value, name: none, alias: none})
			}
			path = true
		case word == "id" && !script && string(name) != "style":
			if !named {
				h.define(Key, value)
			}
			named = true
		}
	}
}

// define takes an element for a definition, as long as it is known to be.
func (h *htmlReader) define(kind Kind, name span) {
	if name = h.x.trim(name); name.start < name.end {
		h.x.defs = append(h.x.defs, newDef(kind, h.tag, name))
	}
}

// htmlName is the name of an element: the text, without references to characters.
func htmlName(text string) (string, string) {
	return oneLine(strings.TrimSpace(html.UnescapeString(text)))
}
