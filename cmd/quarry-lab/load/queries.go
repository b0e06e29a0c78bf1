package load

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
	identifier = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]{5,40}`)
	comment    = regexp.MustCompile(`(?m)^[ \t]*(?://+|#+|\*|--)[ \t]*([A-Z][\w ,.'()-]{20,120})$`)
	extensions = map[string]string{ // of source files, with what begins a comment
		".go": "//", ".py": "#", ".js": "//", ".jsx": "//", ".ts": "//", ".tsx": "//", ".java": "//",
		".c": "//", ".h": "//", ".cc": "//", ".cpp": "//", ".cs": "//", ".rs": "//", ".rb": "#",
		".php": "//", ".swift": "//", ".kt": "//", ".scala": "//", ".sh": "#", ".lua": "--", ".ex": "#",
	}
)

// questions say where queries come from.
type questions struct {
	queries string // a file with one a line
	root    string // a folder of source that they are made of
	n       int
	seed    uint64
}

// loadQueries returns at most n different queries, in an order that depends on
// the seed alone.
func loadQueries(o questions) ([]string, error) {
	if (o.queries == "") == (o.root == "") {
		return nil, fmt.Errorf("search needs either --queries or --from-root")
	}
	random := rand.New(rand.NewPCG(o.seed, 0))
	if o.queries != "" {
		text, err := os.ReadFile(o.queries)
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
			return nil, fmt.Errorf("%s holds no query", o.queries)
		}
		return queries[:min(len(queries), o.n)], nil
	}
	names, comments, err := sample(o.root)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no source was found below %s", o.root)
	}
	random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	random.Shuffle(len(comments), func(i, j int) { comments[i], comments[j] = comments[j], comments[i] })
	// Half are comments as far as they last; the rest are names, alone at first
	// and then in pairs.
	seen := map[string]bool{}
	var queries []string
	add := func(q string) {
		if !seen[q] && len(queries) < o.n {
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
	for try := 0; len(queries) < o.n && try < 20*o.n; try++ {
		add(names[random.IntN(len(names))] + " " + names[random.IntN(len(names))])
	}
	random.Shuffle(len(queries), func(i, j int) { queries[i], queries[j] = queries[j], queries[i] })
	return queries, nil
}

// sample returns different identifiers and comments from the source below root.
func sample(root string) (names, comments []string, err error) {
	seen := map[string]bool{}
	keep := func(list *[]string, text string) {
		if text = strings.TrimSpace(text); !seen[text] && len(*list) < maxSamples {
			seen[text] = true
			*list = append(*list, text)
		}
	}
	err = sources(root, func(_ string, text []byte) bool {
		for _, m := range identifier.FindAll(text, 200) {
			keep(&names, string(m))
		}
		for _, m := range comment.FindAllSubmatch(text, 50) {
			keep(&comments, string(m[1]))
		}
		return len(names) < maxSamples
	})
	return names, comments, err
}

// sources calls f with the source files below root until it returns false.
func sources(root string, f func(path string, text []byte) bool) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == root:
			return err
		case err != nil:
			return nil // what cannot be read is left out
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case !d.Type().IsRegular() || extensions[filepath.Ext(path)] == "":
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
