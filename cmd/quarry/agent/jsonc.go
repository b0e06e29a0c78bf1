package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// spaces are JSON's white space.
const spaces = " \t\r\n"

var hujsonPlace = regexp.MustCompile(`^hujson: line (\d+), column \d+: `)

// parseJSON returns the tree of a text, whose offsets are those of the text.
func parseJSON(text []byte) (hujson.Value, error) {
	// The library wants a newline after a comment that ends the file.
	tree, err := hujson.Parse(append(bytes.Clone(text), '\n'))
	if err == nil {
		return tree, nil
	}
	reason, line := err.Error(), 0
	if place := hujsonPlace.FindStringSubmatch(reason); place != nil {
		line, _ = strconv.Atoi(place[1])
		line = min(line, lineAt(text, len(text)))
		reason = strings.TrimPrefix(reason, place[0])
	}
	return tree, refuse(line, "not JSON: %s", reason)
}

func decodeJSON(text []byte) (map[string]any, error) {
	if len(bytes.Trim(text, spaces)) == 0 {
		return map[string]any{}, nil
	}
	tree, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	tree.Standardize()
	all := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(tree.Pack()))
	d.UseNumber() // 1 and 1.0 are not the same text
	if err := d.Decode(&all); err != nil {
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			return nil, refuse(lineAt(text, tree.StartOffset), "the file holds %s, not an object", wrong.Value)
		}
		return nil, refuse(0, "not JSON: %v", err)
	}
	return all, nil
}

// A container is an object of the file, with the way in which its members are
// written.
type container struct {
	*hujson.Object
	start, end int // of its braces
	lines      bool
	compact    bool   // no space after a colon
	indent     string // of its members, where each has a line
	outer      string // of the line with its closing brace
}

// open describes an object that lies in parent, nil for the outermost.
func open(v hujson.Value, parent *container, unit string) (*container, bool) {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, false
	}
	c := &container{Object: object, start: v.StartOffset, end: v.EndOffset}
	c.lines = bytes.Contains(object.AfterExtra, []byte("\n"))
	if parent != nil {
		c.outer, c.compact = parent.indent, parent.compact
	}
	if len(object.Members) == 0 {
		c.lines = c.lines || parent == nil || parent.lines
	}
	c.indent = c.outer + unit
	for _, m := range object.Members {
		if i := bytes.LastIndexByte(m.Name.BeforeExtra, '\n'); i >= 0 {
			c.lines = true
			if rest := m.Name.BeforeExtra[i+1:]; len(bytes.Trim(rest, spaces)) == 0 {
				c.indent = string(rest)
			}
		}
		c.compact = len(m.Value.BeforeExtra) == 0
	}
	return c, true
}

// unitOf is what a file indents by: as much as its first member.
func unitOf(v hujson.Value) string {
	if c, ok := open(v, nil, ""); ok && c.lines && c.indent != "" {
		return c.indent
	}
	return "  "
}

// find returns the index of a member, -1 where there is none. Two of one name
// are refused: programs differ in which of them they take.
func (c *container) find(text []byte, name string) (int, error) {
	found := -1
	for i, m := range c.Members {
		if literal, ok := m.Name.Value.(hujson.Literal); !ok || literal.String() != name {
			continue
		}
		if found >= 0 {
			return 0, refuse(lineAt(text, m.Name.StartOffset), "%q is there twice", name)
		}
		found = i
	}
	return found, nil
}

// trailing reports whether a comma follows the last member.
func (c *container) trailing() bool {
	n := len(c.Members)
	return n > 0 && c.Members[n-1].Value.AfterExtra != nil
}

// add returns how a member comes to the end of the object: after the last
// comment, so that comments stay with what they are about. The second result is
// the space before the closing brace, where removing the member could not tell it.
func (c *container) add(text []byte, name string, value any, unit string) ([]splice, *string) {
	eol := lineEnd(text)
	extra := c.AfterExtra
	at := c.end - 1 - len(extra)
	at += len(bytes.TrimRight(extra, spaces))
	rest := string(text[at : c.end-1])
	w := writer{eol: eol, unit: unit, lines: c.lines, compact: c.compact}
	member := w.member(name, value, c.indent)
	if c.lines {
		member = eol + c.indent + member
	} else if len(c.Members) > 0 && !c.compact {
		member = " " + member
	}
	switch {
	case c.trailing():
		member += ","
	case len(c.Members) > 0:
		comma := c.Members[len(c.Members)-1].Value.EndOffset
		return []splice{{comma, comma, ","}, {at, at, member}}, nil
	case c.lines && !strings.Contains(rest, "\n"):
		return []splice{{at, at, member + eol + c.outer}}, &rest
	}
	return []splice{{at, at, member}}, nil
}

// remove returns how a member goes, with the space before it and its comma. Where
// it was the only one, tail is the space that comes before the closing brace, nil
// for what is there.
func (c *container) remove(text []byte, i int, tail *string) []splice {
	m := c.Members[i]
	before := m.Name.BeforeExtra
	kept := bytes.TrimRight(before, spaces)
	from := m.Name.StartOffset - len(before) + len(kept)
	end := m.Value.EndOffset
	last := i == len(c.Members)-1
	var cuts []splice
	next := end
	switch {
	case !last || c.trailing():
		comma := end + len(m.Value.AfterExtra)
		cuts = append(cuts, splice{comma, comma + 1, ""})
		if comma == end {
			next++
		}
	case i > 0:
		previous := c.Members[i-1].Value
		comma := previous.EndOffset + len(previous.AfterExtra)
		cuts = append(cuts, splice{comma, comma + 1, ""})
	}
	// What follows must not come to lie in a line comment.
	following := text[next:]
	line, _, _ := bytes.Cut(following, []byte("\n"))
	if endsInLineComment(kept) && len(bytes.Trim(line, spaces)) > 0 {
		from += bytes.IndexByte(before[len(kept):], '\n') + 1
		tail = nil
	}
	cuts = append(cuts, splice{from, end, ""})
	if len(c.Members) == 1 && tail != nil && !endsInLineComment(kept) {
		if rest := text[next : c.end-1]; len(bytes.Trim(rest, spaces)) == 0 {
			cuts = append(cuts, splice{next, c.end - 1, *tail})
		}
	}
	return cuts
}

// empty reports whether an object holds nothing, no comment either.
func (c *container) empty() bool {
	return len(c.Members) == 0 && len(bytes.Trim(c.AfterExtra, spaces)) == 0
}

// endsInLineComment reports whether white space and comments end with a comment
// that lasts until the end of its line.
func endsInLineComment(extra []byte) bool {
	line := false
	for len(extra) > 0 {
		end := 1
		switch {
		case bytes.HasPrefix(extra, []byte("//")):
			line = true
			if end = bytes.IndexByte(extra, '\n'); end < 0 {
				return true
			}
		case bytes.HasPrefix(extra, []byte("/*")):
			line = false
			end = 2 + bytes.Index(extra[2:], []byte("*/")) + 2
		case extra[0] == '\n':
			line = false
		}
		extra = extra[end:]
	}
	return line
}

// A member is a key of an object that is yet to be written, and its value.
type member struct {
	key   string
	value any
}

// A writer writes values in the layout of their surroundings.
type writer struct {
	eol, unit      string
	lines, compact bool
}

func (w writer) member(key string, value any, indent string) string {
	colon := ": "
	if w.compact && !w.lines {
		colon = ":"
	}
	return quoted(key) + colon + w.value(value, indent)
}

// value writes a string, a bool, a []string or a []member, whose line is
// indented by indent.
func (w writer) value(v any, indent string) string {
	between := ", "
	if w.compact && !w.lines {
		between = ","
	}
	switch v := v.(type) {
	case []string:
		var all []string
		for _, s := range v {
			all = append(all, quoted(s))
		}
		return "[" + strings.Join(all, between) + "]"
	case []member:
		open, end := "", ""
		if w.lines {
			open, end = w.eol+indent+w.unit, w.eol+indent
			between = "," + open
		}
		var all []string
		for _, m := range v {
			all = append(all, w.member(m.key, m.value, indent+w.unit))
		}
		return "{" + open + strings.Join(all, between) + end + "}"
	case string:
		return quoted(v)
	}
	return fmt.Sprint(v)
}

// quoted is a string in JSON and in TOML, with < and & as they are.
func quoted(s string) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always can be
	return strings.ReplaceAll(strings.TrimSuffix(out.String(), "\n"), "\x7f", `\u007f`)
}
