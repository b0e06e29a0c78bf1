package peers

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A subject is a folder to index, and what is looked for in it.
type subject struct {
	name    string
	root    string
	files   int
	bytes   int64
	queries []query
	define  string // the name of a function
	edited  string // a file to edit, from the root
}

var (
	identifier = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]{4,}`)
	function   = regexp.MustCompile(`(?m)^\s*(?:pub |export |static |async )*(?:func|def|fn|fun|function|class) ([A-Za-z_]\w{5,})\(`)
)

// newSubject reads a folder and chooses, the same each time, a rare word, a common one
// and expressions. Words of files that git would not show may be among them.
func newSubject(root string) (subject, error) {
	s := subject{name: filepath.Base(root), root: root}
	counts := map[string]int{}
	functions := map[string]string{} // and their files
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root:
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if len(text) > 1<<20 || !utf8.Valid(text) {
			return nil
		}
		s.files++
		s.bytes += int64(len(text))
		for _, w := range identifier.FindAll(text, -1) {
			counts[string(w)]++
		}
		for _, m := range function.FindAllSubmatch(text, -1) {
			functions[string(m[1])] = path
		}
		return nil
	})
	if err != nil {
		return s, fmt.Errorf("cannot read %s: %w", root, err)
	}
	var rare []string
	for w, n := range counts {
		if n == 2 && len(w) >= 8 && functions[w] == "" {
			rare = append(rare, w)
		}
	}
	if len(rare) == 0 || len(functions) == 0 {
		return s, errors.New(root + " has too few names to look for")
	}
	slices.Sort(rare)
	common := slices.MinFunc(slices.Collect(maps.Keys(counts)), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	names := slices.Sorted(maps.Keys(functions))
	s.define = names[len(names)/2]
	rel, err := filepath.Rel(root, functions[s.define])
	s.edited = rel
	s.queries = []query{
		{"rare word", rare[len(rare)/2], true},
		{"common word", common, true},
		{"no match", "zqxzqxzqx", true},
		{"expression", common + `\w*\(`, false},
		{"without a literal", `[a-z]+[0-9]{3,}[a-z]`, false},
	}
	return s, err
}
