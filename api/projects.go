package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/quarry-search/quarry/index/answer"
)

// A Project is one of the indexes that a server asks.
type Project struct {
	Name    string // selects it, and stands at its results; not empty
	Index   Index
	NoModel string     // why the Index computes no vectors, for /status
	Watcher func() any // what its file watcher says of itself, as something that encodes to a JSON object; nil: there is none
}

// A ProjectInfo is what a server says of a project without asking its index.
type ProjectInfo struct {
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
	// called. Errors: *ProjectError, *BusyError, and that of ctx.
	Acquire(ctx context.Context, selector string) (p Project, release func(), err error)
	// List returns all of them, the first one first. It waits for nothing.
	List() []ProjectInfo
	// Add takes on a root; with name "" it is called like the root's last element. A
	// root that is there already is no error. Errors: *RootError, *BusyError.
	Add(ctx context.Context, root, name string) (info ProjectInfo, added bool, err error)
	// Remove lets go of a project; what is on disk of it stays. Errors: *ProjectError.
	Remove(ctx context.Context, selector string) error
}

// A ProjectError says that no project has a name or root, and which there are.
type ProjectError struct {
	Selector string
	Have     []ProjectInfo
}

// Error returns a sentence for the client.
func (e *ProjectError) Error() string {
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

// single is a server's only Index.
type single struct{ Project }

func (s single) Acquire(_ context.Context, selector string) (Project, func(), error) {
	if FindProject(1, func(int) (name, root string) { return s.Name, s.Index.Root() }, selector) < 0 {
		return Project{}, nil, &ProjectError{selector, s.List()}
	}
	return s.Project, func() {}, nil
}

func (s single) List() []ProjectInfo {
	info := ProjectInfo{Name: s.Name, Root: s.Index.Root(), Loaded: true, State: s.Index.State(), Work: s.Index.Work()}
	if x, ok := s.Index.(interface {
		Memory() answer.Memory
		Overlays() int
	}); ok {
		info.Parts, info.Overlays = x.Memory(), x.Overlays()
	}
	return []ProjectInfo{info}
}

func (s single) Add(context.Context, string, string) (ProjectInfo, bool, error) {
	return ProjectInfo{}, false, &RootError{"this server has one project only", true}
}

func (s single) Remove(context.Context, string) error {
	return &RootError{"this server has one project only", true}
}

// FindProject returns which of n projects has a name, or a root that a path leads to; ""
// is the first one. -1: none. Links are followed only where no root is written like the
// path.
func FindProject(n int, project func(i int) (name, root string), selector string) int {
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

// project returns the project that a request is about; what is wrong with its fields
// comes first.
func (s *Server) project(ctx context.Context, d *decoder) (Project, func(), error) {
	selector := d.text("project", maxPath)
	if d.err != nil {
		return Project{}, nil, d.err
	}
	p, release, err := s.projects.Acquire(ctx, selector)
	if err == nil {
		trailOf(ctx).project = p.Name
	}
	return p, release, err
}

// info is project without loading anything.
func (s *Server) info(d *decoder) (ProjectInfo, error) {
	selector := d.text("project", maxPath)
	if d.err != nil {
		return ProjectInfo{}, d.err
	}
	all := s.projects.List()
	i := FindProject(len(all), func(i int) (name, root string) { return all[i].Name, all[i].Root }, selector)
	if i < 0 {
		return ProjectInfo{}, &ProjectError{selector, all}
	}
	return all[i], nil
}

// projectBody is how a project is shown.
type projectBody struct {
	Name   string `json:"name"`
	Root   string `json:"root"`
	Loaded bool   `json:"loaded"`
	Memory int64  `json:"memory_bytes"`
	answer.State
}

func newProjectBody(p ProjectInfo) projectBody {
	return projectBody{p.Name, p.Root, p.Loaded, p.Memory, p.State}
}

func (s *Server) projectBodies() []projectBody {
	list := []projectBody{}
	for _, p := range s.projects.List() {
		list = append(list, newProjectBody(p))
	}
	return list
}

type projectsBody struct {
	Projects []projectBody `json:"projects"`
}

func (s *Server) listProjects(w http.ResponseWriter, r *http.Request) {
	s.write(w, r, http.StatusOK, projectsBody{s.projectBodies()})
}

// maxServed is how many projects there may be before no request can add one. Those that
// the operator has named do not go by it.
const maxServed = 64

// addProject takes on a root: 201, or 200 where it was there.
func (s *Server) addProject(w http.ResponseWriter, r *http.Request) {
	d := s.decode(w, r)
	root, called := d.text("root", maxPath), d.text("name", maxName)
	switch {
	case root == "":
		d.failf("root is missing or empty")
	case !filepath.IsAbs(root) && d.err == nil:
		d.err = problemf(codeInvalidPath, "root must be an absolute path")
	case strings.ContainsRune(called, '/'):
		d.failf("name must not have a slash")
	}
	if err := checkPath(root); err != nil && d.err == nil {
		d.err = err
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.timeout(d))
	defer cancel()
	if d.err != nil {
		s.fail(w, r, d.err)
		return
	}
	if all := s.projects.List(); len(all) >= maxServed && !slices.ContainsFunc(all, func(p ProjectInfo) bool { return p.Root == root }) {
		s.fail(w, r, crowdedf(crowdProjects, "%d projects are served already", maxServed))
		return
	}
	info, added, err := s.projects.Add(ctx, root, called)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	status := http.StatusOK
	if added {
		status = http.StatusCreated
	}
	s.write(w, r, status, newProjectBody(info))
}

func (s *Server) removeProject(w http.ResponseWriter, r *http.Request) {
	selector, err := url.PathUnescape(chi.URLParam(r, "name"))
	if err != nil || selector == "" {
		s.fail(w, r, problemf(codeInvalidRequest, "the name of the project is malformed"))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.limits.Timeout)
	defer cancel()
	if err := s.projects.Remove(ctx, selector); err != nil {
		s.fail(w, r, err)
		return
	}
	s.links.keep(s.projects.List())
	w.WriteHeader(http.StatusNoContent)
}
