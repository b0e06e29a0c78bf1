// Package flow measures the control flow, the chains of definitions and uses and the slices
// of index/internal/flow against what other programs say, and against runs.
//
// The graphs come from a test, since the package is closed to programs:
//
//	go test ./index/internal/flow -run TestDump -dump LIST -dump-to GRAPHS
//
// LIST has a line for each source: its language, a tab, its path.
package flow

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
)

// A graph is that of a function, as TestDump writes it. Offsets are bytes.
type graph struct {
	File       string
	Name       string
	Start, End int
	Module     bool
	Steps      []step
	Vars       []string
	Free       []bool
	Pairs      [][4]int // step and access of the definition, of the use
	Deps       [][4]int // a step, one that it depends on, why, by which variable
}

type step struct {
	Kind       string
	Start, End int
	Next       []edge
	Access     []access
}

type edge struct {
	To   int
	Kind string
}

type access struct {
	Kind                                int // 0: use, 1: definition
	Var                                 int
	Path                                string
	Start, End                          int
	Update, Weak, ByCall, Inner, Scalar bool
}

// readGraphs returns the graphs of a file, by source.
func readGraphs(name string) (files map[string][]*graph, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	files = map[string][]*graph{}
	for dec := json.NewDecoder(bufio.NewReader(f)); ; {
		var g graph
		switch err := dec.Decode(&g); err {
		case nil:
			files[g.File] = append(files[g.File], &g)
		case io.EOF:
			return files, nil
		default:
			return nil, err
		}
	}
}
