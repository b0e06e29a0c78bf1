package ignore

import "strings"

// A pattern is one line of an ignore file.
//
// To match it alone takes time in proportion to pattern times path at worst,
// whatever the pattern. A List answers for many at once.
type pattern struct {
	segments []string // of a pattern with a slash, which is matched against the whole path, after prefix
	prefix   string   // what comes before the first wildcard
	name     string   // of a pattern without one, which is matched against the last element
	suffix   string   // name is "*" + suffix, and suffix is literal
	literal  bool     // name or path holds no wildcard
	path     string   // the whole pattern, where it has a slash and is literal
	negate   bool
	dirOnly  bool
}

const wildcards = `*?[\`

// parsePatterns reads an ignore file.
func parsePatterns(text string) []pattern {
	var ps []pattern
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if line == "" || line[0] == '#' {
			continue
		}
		if p, ok := parsePattern(trimSpaces(line)); ok {
			ps = append(ps, p)
		}
	}
	return ps
}

// trimSpaces removes the spaces at the end that no backslash protects.
func trimSpaces(s string) string {
	end := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
		case '\\':
			i++
			end = min(i+1, len(s))
		default:
			end = i + 1
		}
	}
	return s[:end]
}

func parsePattern(s string) (pattern, bool) {
	var p pattern
	if strings.HasPrefix(s, "!") {
		p.negate = true
		s = s[1:]
	}
	if strings.HasSuffix(s, "/") {
		p.dirOnly = true
		s = s[:len(s)-1]
	}
	if s == "" {
		return p, false
	}
	if !strings.Contains(s, "/") {
		p.name = s
		p.literal = !strings.ContainsAny(s, wildcards)
		if s[0] == '*' && !strings.ContainsAny(s[1:], wildcards) {
			p.suffix = s[1:]
		}
		return p, true
	}
	s = strings.TrimPrefix(s, "/")
	if s == "" {
		return p, false
	}
	if !strings.ContainsAny(s, wildcards) {
		p.literal, p.path = true, s
		return p, true
	}
	// Git compares the text before the first wildcard on its own, with the effect
	// that "lib**/x" matches lib1/2/x, as if "**" were a whole element.
	i := strings.IndexAny(s, wildcards)
	p.prefix = s[:i]
	p.segments = splitSegments(s[i:])
	return p, true
}

// splitSegments cuts a pattern at its slashes, of which those in brackets are
// none and an escaped one is one.
func splitSegments(s string) []string {
	var segments []string
	from := 0
	cut := func(to int) {
		segment := s[from:to]
		if len(segment) >= 2 && strings.Trim(segment, "*") == "" {
			segment = "**"
		}
		segments = append(segments, segment)
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '/':
			cut(i)
			from = i + 1
		case '\\':
			if i++; i < len(s) && s[i] == '/' {
				cut(i - 1)
				from = i + 1
			}
		case '[':
			if _, width := matchClass(s[i:], 0); width > 0 {
				i += width - 1
			}
		}
	}
	cut(len(s))
	return segments
}

// match says whether the pattern is about the path, given relative to the
// folder of the ignore file. base is the path's last element.
func (p *pattern) match(path, base string, dir bool) bool {
	switch {
	case p.dirOnly && !dir:
		return false
	case p.path != "":
		return path == p.path
	case p.segments != nil:
		rest, ok := strings.CutPrefix(path, p.prefix)
		return ok && matchSegments(p.segments, rest)
	case p.literal:
		return base == p.name
	case p.suffix != "":
		return strings.HasSuffix(base, p.suffix)
	}
	return matchName(p.name, base)
}

// matchSegments matches a path element by element. "**" stands for any number
// of elements, at the end for at least one.
func matchSegments(segments []string, path string) bool {
	if path == "" { // all of it was the pattern's prefix
		return len(segments) == 1 && strings.Trim(segments[0], "*") == ""
	}
	star, again := -1, "" // the last "**" seen, and where it was tried last
	i := 0
	for path != "" {
		if i < len(segments) && segments[i] == "**" {
			if i == len(segments)-1 {
				return true
			}
			star, again = i, path
			i++
			continue
		}
		if i < len(segments) {
			head, tail, _ := strings.Cut(path, "/")
			if matchName(segments[i], head) {
				i++
				path = tail
				continue
			}
		}
		if star < 0 {
			return false
		}
		_, again, _ = strings.Cut(again, "/")
		path, i = again, star+1
	}
	return i == len(segments)
}

// matchName matches one element of a path, byte by byte as git does.
func matchName(pat, name string) bool {
	star, again := -1, 0
	p, n := 0, 0
	for n < len(name) {
		if p < len(pat) {
			switch pat[p] {
			case '*':
				star, again = p, n
				p++
				continue
			case '?':
				p++
				n++
				continue
			case '[':
				in, width := matchClass(pat[p:], name[n])
				if width == 0 {
					return false
				}
				if in {
					p += width
					n++
					continue
				}
			case '\\':
				if p+1 == len(pat) {
					return false
				}
				if pat[p+1] == name[n] {
					p += 2
					n++
					continue
				}
			default:
				if pat[p] == name[n] {
					p++
					n++
					continue
				}
			}
		}
		if star < 0 {
			return false
		}
		again++
		p, n = star+1, again
	}
	for p < len(pat) && pat[p] == '*' {
		p++
	}
	return p == len(pat)
}

// matchClass matches the bracket expression that pat begins with. A width of 0
// says that it never ends, so that the whole pattern matches nothing.
func matchClass(pat string, c byte) (in bool, width int) {
	i := 1
	negate := i < len(pat) && (pat[i] == '!' || pat[i] == '^')
	if negate {
		i++
	}
	var prev byte
	for first := true; ; first = false {
		if i >= len(pat) {
			return false, 0
		}
		ch := pat[i]
		if ch == ']' && !first {
			return in != negate, i + 1
		}
		switch {
		case ch == '\\':
			i++
			if i >= len(pat) {
				return false, 0
			}
			ch = pat[i]
			in = in || c == ch
		case ch == '-' && prev != 0 && i+1 < len(pat) && pat[i+1] != ']':
			i++
			if pat[i] == '\\' {
				i++
				if i >= len(pat) {
					return false, 0
				}
			}
			in = in || prev <= c && c <= pat[i]
			ch = 0 // a range does not begin another one
		case ch == '[' && i+1 < len(pat) && pat[i+1] == ':':
			end := strings.Index(pat[i+2:], ":]")
			if end < 0 {
				in = in || c == '['
				break
			}
			known, is := posixClass(pat[i+2:i+2+end], c)
			if !known {
				return false, 0
			}
			in = in || is
			i += 2 + end + 1
			ch = 0
		default:
			in = in || c == ch
		}
		prev = ch
		i++
	}
}

func posixClass(name string, c byte) (known, in bool) {
	lower, upper := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z'
	digit := '0' <= c && c <= '9'
	graph := 0x20 < c && c < 0x7f
	switch name {
	case "alnum":
		return true, lower || upper || digit
	case "alpha":
		return true, lower || upper
	case "blank":
		return true, c == ' ' || c == '\t'
	case "cntrl":
		return true, c < 0x20 || c == 0x7f
	case "digit":
		return true, digit
	case "graph":
		return true, graph
	case "lower":
		return true, lower
	case "print":
		return true, graph || c == ' '
	case "punct":
		return true, graph && !lower && !upper && !digit
	case "space":
		return true, c == ' ' || '\t' <= c && c <= '\r'
	case "upper":
		return true, upper
	case "xdigit":
		return true, digit || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
	}
	return false, false
}
