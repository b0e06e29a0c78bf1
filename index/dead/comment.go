package dead

import (
	"bytes"
	"regexp"
)

// A commenter tells comments from code, line by line. It takes what it is not sure of for code,
// which names something then that is alive by it.
type commenter struct {
	lang  string
	block bool
}

// code returns the part of a line that is code. rest is what follows the line in the file. A comment with what
// texts take values by may be a line of such a text.
func (c *commenter) code(line, rest []byte) []byte {
	code := c.outside(line, rest)
	if form := filled[c.lang]; len(code) < len(line) && form != nil && form.Match(line) {
		return line
	}
	return code
}

// filled finds, by language, where a text takes a value.
var filled = map[string]*regexp.Regexp{
	"csharp": regexp.MustCompile(`\{\w`), "javascript": regexp.MustCompile(`\$\{`), "kotlin": regexp.MustCompile(`\$[{\w]`),
	"python": regexp.MustCompile(`\{\w`), "tsx": regexp.MustCompile(`\$\{`), "typescript": regexp.MustCompile(`\$\{`),
}

// outside returns the part of a line that is outside of comments.
func (c *commenter) outside(line, rest []byte) []byte {
	text := line[indentOf(line):]
	if c.block {
		end := bytes.Index(line, []byte("*/"))
		if end < 0 {
			return nil
		}
		c.block = false
		return line[end+2:]
	}
	switch c.lang {
	case "python", "ruby":
		if bytes.HasPrefix(text, []byte("#")) {
			return nil
		}
		return line
	case "php":
		if bytes.HasPrefix(text, []byte("#")) && !bytes.HasPrefix(text, []byte("#[")) {
			return nil
		}
		if bytes.IndexByte(text, '@') >= 0 { // annotations are written in comments, too
			return line
		}
	case "c", "cpp", "csharp", "go", "java", "javascript", "kotlin", "rust", "tsx", "typescript":
	default:
		return line
	}
	switch {
	case bytes.HasPrefix(text, []byte("//")):
		return nil
	case bytes.HasPrefix(text, []byte("/*")):
		end := bytes.Index(text[2:], []byte("*/"))
		if end >= 0 {
			return text[2+end+2:]
		}
		c.block = bytes.Contains(rest, []byte("*/")) // else it is none, but in a text
		if c.block {
			return nil
		}
	case c.lang == "javascript" || c.lang == "typescript" || c.lang == "tsx" || c.lang == "php":
		return line // of regular expressions nothing is known
	}
	if at := bytes.Index(line, []byte("//")); at >= 0 && !bytes.ContainsAny(line[:at], "\"'`") && !bytes.Contains(line[:at], []byte("/*")) {
		return line[:at]
	}
	return line
}

// indentOf is how many spaces and tabs a line begins with.
func indentOf(line []byte) int {
	for n, c := range line {
		if c != ' ' && c != '\t' {
			return n
		}
	}
	return len(line)
}
