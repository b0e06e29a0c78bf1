package api

import (
	"context"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/service"
	"github.com/quarry-search/quarry/api/slot"
	"github.com/quarry-search/quarry/api/wire"
)

// project returns the project that a request without a body is about.
func (s *Server) project(w http.ResponseWriter, r *http.Request, c *exchange) (Project, func(), error) {
	d := s.decode(w, r)
	d.ID("session_id", r.Header.Get("X-Session-Id"))
	d.ID("agent_id", r.Header.Get("X-Agent-Id"))
	selector := d.Text("project", fields.MaxPath)
	if d.Err != nil {
		return Project{}, nil, d.Err
	}
	p, release, err := s.projects.Acquire(r.Context(), selector)
	if err == nil {
		c.Project = p.Name
	}
	return p, release, err
}

// projectInfo is how a project is shown.
func projectInfo(p *ProjectInfo) wire.ProjectInfo {
	s := &p.State
	return wire.ProjectInfo{
		Name: p.Name, Root: p.Root, Loaded: p.Loaded, MemoryBytes: p.Memory, State: wire.State(s.State), Generation: s.Generation, Progress: s.Progress,
		Vectors: s.Vectors, Freshness: wire.Freshness(s.Freshness), Pending: s.Pending, Paused: s.Paused, Files: s.Files, Chunks: s.Chunks,
	}
}

func projectList(all []ProjectInfo) []wire.ProjectInfo {
	list := []wire.ProjectInfo{}
	for _, p := range all {
		list = append(list, projectInfo(&p))
	}
	return list
}

func (s *Server) listProjects(w http.ResponseWriter, r *http.Request, c *exchange) {
	s.write(w, r, c, http.StatusOK, &wire.ProjectList{Projects: projectList(s.projects.List(r.Context()))})
}

// maxServed is how many projects there may be before no request can add one. Those that
// the operator has named do not go by it.
const maxServed = 64

// addProject takes on a root: 201, or 200 where it was there.
func (s *Server) addProject(w http.ResponseWriter, r *http.Request, c *exchange) {
	e := service.Then(service.Of("/projects", s.add), checkProject)
	request, err := s.read(w, r, &e, c)
	c.sayIgnored(w.Header())
	if err != nil {
		s.fail(w, r, c, err)
		return
	}
	body, err := s.add(r.Context(), &c.Call, request.(*wire.AddProjectRequest))
	switch {
	case err != nil:
		s.fail(w, r, c, err)
	case body.added:
		s.write(w, r, c, http.StatusCreated, &body.ProjectInfo)
	default:
		s.write(w, r, c, http.StatusOK, &body.ProjectInfo)
	}
}

func checkProject(d *fields.Fields, q *wire.AddProjectRequest) {
	switch {
	case q.Root == "":
		d.Failf("root is missing or empty")
	case !filepath.IsAbs(q.Root) && d.Err == nil:
		d.Err = wire.Problemf(wire.CodeInvalidPath, "root must be an absolute path")
	case strings.ContainsRune(q.Name, '/'):
		d.Failf("name must not have a slash")
	}
	if err := fields.CheckPath(q.Root); err != nil && d.Err == nil {
		d.Err = err
	}
}

// addedProject is a project, and whether it is new.
type addedProject struct {
	wire.ProjectInfo
	added bool
}

func (s *Server) add(ctx context.Context, _ *service.Call, q *wire.AddProjectRequest) (*addedProject, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(q.TimeoutMS)*time.Millisecond)
	defer cancel()
	if all := s.projects.List(ctx); len(all) >= maxServed && !slices.ContainsFunc(all, func(p ProjectInfo) bool { return p.Root == q.Root }) {
		return nil, slot.Crowdedf(slot.CrowdProjects, "%d projects are served already", maxServed)
	}
	info, added, err := s.projects.Add(ctx, q.Root, q.Name)
	return &addedProject{projectInfo(&info), added}, err
}

func (s *Server) removeProject(w http.ResponseWriter, r *http.Request, c *exchange) {
	selector, err := url.PathUnescape(chi.URLParam(r, "name"))
	if err != nil || selector == "" {
		s.fail(w, r, c, wire.Problemf(wire.CodeInvalidRequest, "the name of the project is malformed"))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.limits.Timeout)
	defer cancel()
	if err := s.service.Remove(ctx, selector); err != nil {
		s.fail(w, r, c, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
