// Package ignore matches paths against the patterns of an ignore file, with git's meaning
// of them (gitignore(5), wildmatch.c), in a time that the author of the file cannot
// influence: names without wildcards are looked up, and all patterns with wildcards are
// tried in one pass over the path, by one automaton.
//
// It reads no files and knows nothing of the folders above: the caller must handle that an
// excluded folder excludes everything below it.
package ignore

// A List is the patterns of one ignore file. A nil List has none. It does not change
// once it is made, and is safe for concurrent use.
type List struct {
	names map[string]literal // of patterns without a slash and without wildcards
	paths map[string]literal // of those with a slash

	name, path *automaton // of patterns with wildcards: for the last element, for the path; nil: none

	size int // characters of the patterns with wildcards
	left int // patterns that are left out
}

// A literal is what the last patterns with some text say, as ranks: the number of the
// line, from 2 on, times two, and one more for a pattern that takes back. 0: none.
type literal struct{ any, folder int }

func rank(i int, negate bool) int {
	if negate {
		return (i+1)<<1 | 1
	}
	return (i + 1) << 1
}

// Parse reads an ignore file. Patterns with wildcards count up to room characters of
// them altogether; those beyond are left out.
func Parse(text string, room int) *List {
	l := &List{}
	var names, paths []ranked
	for i, p := range parsePatterns(text) {
		at := rank(i, p.negate)
		switch {
		case p.path != "":
			l.paths = add(l.paths, p.path, at, p.dirOnly)
		case p.literal:
			l.names = add(l.names, p.name, at, p.dirOnly)
		case l.size+p.cost() > room:
			l.left++
		case p.segments != nil:
			l.size += p.cost()
			paths = append(paths, ranked{p, at})
		default:
			l.size += p.cost()
			names = append(names, ranked{p, at})
		}
	}
	if len(l.names)+len(l.paths)+len(names)+len(paths)+l.left == 0 {
		return nil
	}
	l.name, l.path = compile(names), compile(paths)
	return l
}

func add(m map[string]literal, text string, at int, folder bool) map[string]literal {
	if m == nil {
		m = map[string]literal{}
	}
	v := m[text]
	if folder {
		v.folder = at
	} else {
		v.any = at
	}
	m[text] = v
	return m
}

// Size returns how many characters the patterns with wildcards have; the time of a Match
// grows with it.
func (l *List) Size() int {
	if l == nil {
		return 0
	}
	return l.size
}

// Left returns how many patterns Parse has left out.
func (l *List) Left() int {
	if l == nil {
		return 0
	}
	return l.left
}

// Match returns the verdict of the last pattern that matches a path: excluded, or not. path
// is relative to the folder of the ignore file, base its last element.
func (l *List) Match(path, base string, folder bool) (out, decided bool) {
	if l == nil {
		return false, false
	}
	best := max(lookup(l.names, base, folder), lookup(l.paths, path, folder))
	best = l.name.last(base, path, base, folder, best)
	best = l.path.last(path, path, base, folder, best)
	return best > 0 && best&1 == 0, best > 0
}

func lookup(m map[string]literal, text string, folder bool) int {
	if len(m) == 0 {
		return 0
	}
	v := m[text]
	if folder {
		return max(v.any, v.folder)
	}
	return v.any
}
