package markdown

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A htmlBlock is what a block of HTML in Markdown begins with, which says how it ends.
type htmlBlock uint8

const (
	noHTML            htmlBlock = iota
	htmlVerbatim                // <pre>, <script>, <style>, <textarea>
	htmlComment                 // <!--
	htmlInstruction             // <?
	htmlDeclaration             // <!DOCTYPE
	htmlCharacterData           // <![CDATA[
	htmlOfElement               // a tag of one of blockElements
	htmlOfOneTag                // any other tag, alone on its line
)

// verbatimElements are those whose text is not HTML, or keeps its blank lines.
var verbatimElements = [...]string{"pre", "script", "style", "textarea"}

// blockElements are those that begin a block of HTML in the middle of a paragraph.
var blockElements = syntax.Words(strings.Fields(`address article aside base basefont blockquote
	body caption center col colgroup dd details dialog dir div dl dt fieldset figcaption
	figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend
	li link main menu menuitem nav noframes ol optgroup option p param search section
	summary table tbody td tfoot th thead title tr track ul`)...)

// ends reports whether the block ends with the line.
func (b htmlBlock) ends(l *markdownLine) bool {
	text := l.src[l.text:l.end]
	switch b {
	case htmlVerbatim:
		return slices.ContainsFunc(verbatimElements[:], func(name string) bool { return closes(text, name) })
	case htmlComment:
		return bytes.Contains(text, []byte("-->"))
	case htmlInstruction:
		return bytes.Contains(text, []byte("?>"))
	case htmlDeclaration:
		return bytes.IndexByte(text, '>') >= 0
	case htmlCharacterData:
		return bytes.Contains(text, []byte("]]>"))
	}
	return l.blank()
}

// closes reports whether text holds an element's end tag.
func closes(text []byte, name string) bool {
	for {
		_, rest, ok := bytes.Cut(text, []byte("</"))
		if !ok {
			return false
		}
		if len(rest) > len(name) && rest[len(name)] == '>' && strings.EqualFold(string(rest[:len(name)]), name) {
			return true
		}
		text = rest
	}
}

// htmlBlock returns what kind of block of HTML the text begins, which is "<" and more.
func (l *markdownLine) htmlBlock() htmlBlock {
	text := l.src[l.text:l.end]
	switch {
	case bytes.HasPrefix(text, []byte("<!--")):
		return htmlComment
	case bytes.HasPrefix(text, []byte("<?")):
		return htmlInstruction
	case bytes.HasPrefix(text, []byte("<![CDATA[")):
		return htmlCharacterData
	case len(text) > 2 && text[1] == '!' && isLetter(text[2]):
		return htmlDeclaration
	}
	m := tagName.FindSubmatch(text)
	if m == nil {
		return noHTML
	}
	opening, name, rest := len(m[1]) == 0, strings.ToLower(string(m[2])), text[len(m[0]):]
	ended := len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t' || rest[0] == '>'
	verbatim := opening && slices.Contains(verbatimElements[:], name)
	switch {
	case verbatim && ended:
		return htmlVerbatim
	case blockElements[name] && (ended || bytes.HasPrefix(rest, []byte("/>"))):
		return htmlOfElement
	case !verbatim && (opening && openingTag.Match(rest) || !opening && closingTag.Match(rest)):
		return htmlOfOneTag
	}
	return noHTML
}

// A tag in Markdown begins with tagName; what follows is one of the others where the tag
// is alone on its line.
var (
	tagName    = regexp.MustCompile(`^<(/?)([A-Za-z][A-Za-z0-9-]*)`)
	openingTag = regexp.MustCompile(`^([ \t]+[A-Za-z_:][\w.:-]*([ \t]*=[ \t]*([^ \t"'=<>` + "`" + `]+|'[^']*'|"[^"]*"))?)*[ \t]*/?>[ \t]*$`)
	closingTag = regexp.MustCompile(`^[ \t]*>[ \t]*$`)
)

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
