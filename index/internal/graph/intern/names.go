package intern

import (
	"hash/maphash"
	"slices"
	"strings"
)

// A Name is an interned string.
type Name uint32

// Basic reports whether values of an external type hold nothing that can be called.
func (n Name) Basic() bool { return n-1 < Name(len(basicTypes)) }

// Names interns strings.
type Names struct {
	Text   []string // the first is ""
	ByText Table

	sorted []Name // of those that there were at the last Sort
}

// Sort lets Sorted return at once, until there are more names.
func (n *Names) Sort() { n.sorted = n.Sorted() }

// Sorted returns all names in the order of their texts. It may be called by several
// goroutines at once.
func (n *Names) Sorted() []Name {
	known := len(n.sorted)
	if known == len(n.Text) {
		return n.sorted
	}
	fresh := make([]Name, len(n.Text)-known)
	for i := range fresh {
		fresh[i] = Name(known + i)
	}
	byText := func(a, b Name) int { return strings.Compare(n.Text[a], n.Text[b]) }
	slices.SortFunc(fresh, byText)
	all := make([]Name, 0, len(n.Text))
	for _, name := range n.sorted {
		at := 0
		for at < len(fresh) && byText(fresh[at], name) < 0 {
			at++
		}
		all, fresh = append(append(all, fresh[:at]...), name), fresh[at:]
	}
	return append(all, fresh...)
}

// Lookup returns the number of a string that is known.
func (n *Names) Lookup(s string) (id Name, ok bool) {
	if s == "" {
		return 0, true
	}
	id = Name(n.ByText.Find(maphash.String(Seed, s), func(i uint32) bool { return n.Text[i] == s }))
	return id, id != 0
}

// Intern returns the number of a string.
func (n *Names) Intern(s string) Name {
	id, ok := n.Lookup(s)
	if !ok {
		id = Name(len(n.Text))
		n.Text = append(n.Text, strings.Clone(s))
		n.ByText.Add(uint32(id), func(i uint32) uint64 { return maphash.String(Seed, n.Text[i]) })
	}
	return id
}

// NewNames returns the names that are always there.
func NewNames() Names {
	n := Names{Text: []string{""}}
	for _, b := range basicTypes {
		n.Intern(b)
	}
	return n
}

// basicTypes are numbers, strings and truth values, by the names that most languages
// have for them. They come first, so that basic is one comparison.
var basicTypes = [...]string{"bool", "byte", "complex64", "complex128", "float32", "float64", "int", "int8", "int16", "int32", "int64",
	"rune", "string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr"}

// Seed is that of all hashes here: they are compared within one process only.
var Seed = maphash.MakeSeed()

// Bytes is what the strings take, and the table of them.
func (n *Names) Bytes() int64 { return Text(n.Text) + n.ByText.Bytes() + 4*int64(cap(n.sorted)) }
