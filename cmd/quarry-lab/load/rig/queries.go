package rig

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

const (
	maxSource  = 1 << 20 // bytes of a file that is read for queries
	maxSamples = 50_000  // identifiers and comments kept
)

var (
	// Identifier matches names of 6 letters and more.
	Identifier = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]{5,40}`)
	comment    = regexp.MustCompile(`(?m)^[ \t]*(?://+|#+|\*|--)[ \t]*([A-Z][\w ,.'()-]{20,120})$`)
	// Extensions are those of source files, with what begins a comment.
	Extensions = map[string]string{
		".go": "//", ".py": "#", ".js": "//", ".jsx": "//", ".ts": "//", ".tsx": "//", ".java": "//",
		".c": "//", ".h": "//", ".cc": "//", ".cpp": "//", ".cs": "//", ".rs": "//", ".rb": "#",
		".php": "//", ".swift": "//", ".kt": "//", ".scala": "//", ".sh": "#", ".lua": "--", ".ex": "#",
	}
)

// Questions say where queries come from.
type Questions struct {
	Queries string // a file with one a line
	Root    string // a folder of source that they are made of
	N       int
	Seed    uint64
}

// LoadQueries returns at most n different queries, in an order that depends on
// the seed alone.
func LoadQueries(o Questions) ([]string, error) {
	if (o.Queries == "") == (o.Root == "") {
		return nil, fmt.Errorf("search needs either --queries or --from-root")
	}
	random := rand.New(rand.NewPCG(o.Seed, 0))
	if o.Queries != "" {
		text, err := os.ReadFile(o.Queries)
		if err != nil {
			return nil, err
		}
		var queries []string
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" {
				queries = append(queries, line)
			}
		}
		if len(queries) == 0 {
			return nil, fmt.Errorf("%s holds no query", o.Queries)
		}
		return queries[:min(len(queries), o.N)], nil
	}
	names, comments, err := Sample(o.Root)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no source was found below %s", o.Root)
	}
	random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	random.Shuffle(len(comments), func(i, j int) { comments[i], comments[j] = comments[j], comments[i] })
	// Half are comments as far as they last; the rest are names, alone at first
	// and then in pairs.
	seen := map[string]bool{}
	var queries []string
	add := func(q string) {
		if !seen[q] && len(queries) < o.N {
			seen[q] = true
			queries = append(queries, q)
		}
	}
	for i := range max(len(names), len(comments)) {
		if i < len(comments) {
			add(comments[i])
		}
		if i < len(names) {
			add(names[i])
		}
	}
	for try := 0; len(queries) < o.N && try < 20*o.N; try++ {
		add(names[random.IntN(len(names))] + " " + names[random.IntN(len(names))])
	}
	random.Shuffle(len(queries), func(i, j int) { queries[i], queries[j] = queries[j], queries[i] })
	return queries, nil
}

// Sample returns different identifiers and comments from the source below root.
func Sample(root string) (names, comments []string, err error) {
	seen := map[string]bool{}
	keep := func(list *[]string, text string) {
		if text = strings.TrimSpace(text); !seen[text] && len(*list) < maxSamples {
			seen[text] = true
			*list = append(*list, text)
		}
	}
	err = Sources(root, func(_ string, text []byte) bool {
		for _, m := range Identifier.FindAll(text, 200) {
			keep(&names, string(m))
		}
		for _, m := range comment.FindAllSubmatch(text, 50) {
			keep(&comments, string(m[1]))
		}
		return len(names) < maxSamples
	})
	return names, comments, err
}

// Sources calls f with the source files below root until it returns false.
func Sources(root string, f func(path string, text []byte) bool) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == root:
			return err
		case err != nil:
			return nil // what cannot be read is left out
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case !d.Type().IsRegular() || Extensions[filepath.Ext(path)] == "":
			return nil
		}
		if info, err := d.Info(); err != nil || info.Size() > maxSource {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		if !f(path, text) {
			return fs.SkipAll
		}
		return nil
	})
}
