package callgraph

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
)

// filesBelow lists the files of a kind in some folders of dir. A folder may be such a file itself.
func filesBelow(dir string, folders []string, is func(path string) bool) (files []string, err error) {
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(dir, folder), func(p string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && is(p) {
				files = append(files, p)
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("callgraph: list the sources: %w", err)
		}
	}
	return files, nil
}

// A spot is a place as the program prints it: file, line and column.
type spot [3]any

func (s spot) place(column bool) (place, error) {
	file, ok := s[0].(string)
	line, isLine := s[1].(float64)
	col, isColumn := s[2].(float64)
	if !ok || !isLine || !isColumn {
		return place{}, fmt.Errorf("callgraph: no place: %v", s)
	}
	if !column {
		col = 0
	}
	return place{filepath.ToSlash(file), int(line), int(col)}, nil
}

// newTruth returns one that knows nothing yet.
func newTruth() truth {
	return truth{
		sites: map[place]kind{}, edges: map[edge]bool{}, files: map[string]bool{},
		right: map[edge]bool{}, oneOf: map[place]bool{},
		implicit: map[edge]bool{}, foreign: map[edge]bool{}, functions: map[place]string{}, known: map[place]bool{},
		literal: map[edge]bool{},
	}
}

// readCalls reads what a program prints that resolves calls with a compiler: files, the
// functions in them, of which the declared ones have no body, and calls, one JSON object a line.
func readCalls(r io.Reader) (truth, error) {
	t := newTruth()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var call struct {
			File      string
			Function  *spot
			Name      string
			At        spot
			Kind      string
			To, Below []spot
			Declared  *bool
			Literal   bool // To are functions without a name: those that they are written in
		}
		if err := json.Unmarshal(lines.Bytes(), &call); err != nil {
			return truth{}, fmt.Errorf("callgraph: read the compiler's calls: %w", err)
		}
		if call.File != "" {
			t.files[filepath.ToSlash(call.File)] = true
			continue
		}
		if call.Function != nil {
			at, err := call.Function.place(false)
			if err != nil {
				return truth{}, err
			}
			if call.Declared != nil {
				t.known[at] = true
			}
			if call.Declared == nil || !*call.Declared {
				t.functions[at] = call.Name
			}
			continue
		}
		site, err := call.At.place(true)
		if err != nil {
			return truth{}, err
		}
		switch call.Kind {
		case "direct", "external":
			t.sites[site] = direct
		case "interface":
			t.sites[site] = through
			t.oneOf[site] = true
		case "implicit", "foreign":
		default:
			t.unreached++
			continue
		}
		to := &t.edges
		switch call.Kind {
		case "implicit":
			site.column = 0
			to = &t.implicit
		case "foreign":
			site.column = 0
			to = &t.foreign
		}
		for edges, list := range map[*map[edge]bool][]spot{to: call.To, &t.right: call.Below} {
			for _, s := range list {
				to, err := s.place(false)
				if err != nil {
					return truth{}, err
				}
				e := edge{site, to}
				switch { // at one place may stand two calls: f()()
				case !call.Literal:
					delete(t.literal, e)
				case !(*edges)[e]:
					t.literal[e] = true
				}
				(*edges)[e] = true
			}
		}
	}
	if err := lines.Err(); err != nil {
		return truth{}, fmt.Errorf("callgraph: read the compiler's calls: %w", err)
	}
	return t, nil
}
