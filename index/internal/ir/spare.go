package ir

// A Spare is memory for Restore to make files of, where they are restored again and again:
// all but their expressions, arguments and the bodies of their functions is made of what
// the last file was made of. The zero value is an empty one. It is for one goroutine.
type Spare struct {
	strings []string
	vars    []VarInfo
	funcs   []FuncInfo
	classes []ClassInfo
	imports []ImportInfo
	raw     []byte
	ends    []uint32
	later   []bool
	first   []Expr
	roots   []Expr

	encoded []byte

	exprs [][]Node
	args  [][]Arg
}

// maxSpare bounds the lists of expressions that wait to be used again: package graph lets
// go of a sixteenth of what is at hand, some hundreds of files, before it needs more.
const maxSpare = 512

// Add gives the expressions and arguments of a file away, which nobody may use any more.
func (s *Spare) Add(exprs []Node, args []Arg) {
	s.exprs, s.args = laid(s.exprs, exprs), laid(s.args, args)
}

// Bytes returns an empty slice to put an encoded file into, and Keep takes back what has
// become of it. Both may be called of nil.
func (s *Spare) Bytes() []byte {
	if s == nil {
		return nil
	}
	return s.encoded[:0]
}

// Keep is described at Bytes.
func (s *Spare) Keep(b []byte) {
	if s != nil {
		s.encoded = b
	}
}

// laid adds a list, in place of the first one when there are many.
func laid[T any](all [][]T, list []T) [][]T {
	if cap(list) == 0 {
		return all
	}
	if len(all) == maxSpare {
		all = append(all[:0], all[1:]...)
	}
	return append(all, list)
}

// picked returns a list of length n of zeros: the smallest that has room and is not much
// larger, or a new one.
func picked[T any](all *[][]T, n int) []T {
	best := -1
	for i, l := range *all {
		if c := cap(l); c >= n && c/2 <= n && (best < 0 || c < cap((*all)[best])) {
			best = i
		}
	}
	if best < 0 {
		return make([]T, n)
	}
	list := (*all)[best][:n]
	last := len(*all) - 1
	(*all)[best] = (*all)[last]
	(*all)[last] = nil
	*all = (*all)[:last]
	clear(list)
	return list
}

// renewed returns a list of length n of zeros in place of one that nobody uses.
func renewed[T any](list *[]T, n int) []T {
	if cap(*list) < n {
		*list = make([]T, n)
	}
	l := (*list)[:n]
	clear(l)
	return l
}
