// Package project has what a server asks: an index, and the projects that each have one.
package project

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
)

// A Project is one of the indexes that a server asks.
type Project struct {
	Name    string // selects it, and stands at its results; not empty
	Index   Index
	NoModel string               // why the Index computes no vectors, for /status
	Watcher func() *wire.Watcher // what its file watcher says of itself; nil: there is none
}

// An Info is what a server says of a project without asking its index.
type Info struct {
	Name     string
	Root     string
	Loaded   bool          // its index is in memory; else it is loaded by the next request for it
	State    answer.State  // as it is, or was when the index left the memory
	Work     answer.Work   // of all indexes that the project has had since the server began
	Memory   int64         // bytes that its index takes, about; 0: none, or not known
	Parts    answer.Memory // the same by what they are for
	Overlays int           // that are kept for the next request with them
}

// Projects are the indexes that a server asks. Their methods may be called by several
// goroutines at once.
type Projects interface {
	// Acquire returns the project of a name or of the absolute path of its root; "" is
	// the first. One that is on disk is loaded. It stays in memory until release is
	// called. Errors: *MissingError, *BusyError, and that of ctx.
	Acquire(ctx context.Context, selector string) (p Project, release func(), err error)
	// List returns all that there are for whoever asks, the first one first. It waits for
	// nothing.
	List(ctx context.Context) []Info
	// Add takes on a root; with name "" it is called like the root's last element. A
	// root that is there already is no error. Errors: *RootError, *BusyError.
	Add(ctx context.Context, root, name string) (info Info, added bool, err error)
	// Remove lets go of a project; what is on disk of it stays. Errors: *MissingError.
	Remove(ctx context.Context, selector string) error
}

// A MissingError says that no project has a name or root, and which there are.
type MissingError struct {
	Selector string
	Have     []Info
}

// Error returns a sentence for the client.
func (e *MissingError) Error() string {
	switch len(e.Have) {
	case 0:
		return "this server has no project"
	case 1:
		return fmt.Sprintf("this server has the project %q", e.Have[0].Root)
	}
	names := make([]string, len(e.Have))
	for i, p := range e.Have {
		names[i] = fmt.Sprintf("%q (%s)", p.Name, p.Root)
	}
	return fmt.Sprintf("no project is %q; this server has %s", e.Selector, strings.Join(names, ", "))
}

// A RootError says why a root is not taken on.
type RootError struct {
	Reason     string // a sentence for the client
	NotAllowed bool   // it is not below a root that the operator has allowed
}

// Error returns the reason.
func (e *RootError) Error() string { return e.Reason }

// A BusyError says that there is no memory for what was asked, for now.
type BusyError struct {
	Reason string // a sentence for the client
	After  time.Duration
}

// Error returns the reason.
func (e *BusyError) Error() string { return e.Reason }

// Single returns the projects of a server that has only one, which is called like the last
// element of its root.
func Single(x Index) Projects {
	return single{Project{Name: filepath.Base(x.Root()), Index: x}}
}

// single is a server's only Index.
type single struct{ Project }

func (s single) Acquire(ctx context.Context, selector string) (Project, func(), error) {
	if Find(1, func(int) (name, root string) { return s.Name, s.Index.Root() }, selector) < 0 {
		return Project{}, nil, &MissingError{selector, s.List(ctx)}
	}
	return s.Project, func() {}, nil
}

func (s single) List(context.Context) []Info {
	info := Info{Name: s.Name, Root: s.Index.Root(), Loaded: true, State: s.Index.State(), Work: s.Index.Work()}
	if x, ok := s.Index.(interface {
		Memory() answer.Memory
		Overlays() int
	}); ok {
		info.Parts, info.Overlays = x.Memory(), x.Overlays()
	}
	return []Info{info}
}

func (s single) Add(context.Context, string, string) (Info, bool, error) {
	return Info{}, false, &RootError{"this server has one project only", true}
}

func (s single) Remove(context.Context, string) error {
	return &RootError{"this server has one project only", true}
}

// Find returns which of n projects has a name, or a root that a path leads to; ""
// is the first one. -1: none. Links are followed only where no root is written like the
// path.
func Find(n int, project func(i int) (name, root string), selector string) int {
	find := func(same func(name, root string) bool) int {
		for i := range n {
			if same(project(i)) {
				return i
			}
		}
		return -1
	}
	i := find(func(name, _ string) bool { return selector == "" || name == selector })
	if i >= 0 || !filepath.IsAbs(selector) {
		return i
	}
	clean := filepath.Clean(selector)
	if i = find(func(_, root string) bool { return root == clean }); i >= 0 {
		return i
	}
	real, err := filepath.EvalSymlinks(selector)
	if err != nil {
		return -1
	}
	return find(func(_, root string) bool { return root == real })
}
