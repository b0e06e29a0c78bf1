package socket

import (
	"context"
	"slices"
)

// changeImpact answers with the tests that a change may break: that of files, of a
// diff, or of what git says has changed since a revision.
func (c *call) changeImpact(ctx context.Context) (answer, error) {
	files := c.f.texts("files")
	base := c.f.text("git_base")
	delete(c.f, "files")
	switch {
	case len(files) > maxFiles:
		return nil, failf(codeInvalidRequest, "files has more than %d elements", maxFiles)
	case len(files) > 0:
		return c.filesImpact(ctx, files)
	case c.f["diff"] == nil:
		if c.opt.Diff == nil {
			return nil, failf(codeNotSupported, "this server cannot ask git what has changed; files or diff says it")
		}
		project := c.f.text("project")
		if project == "" {
			project = c.project
		}
		diff, err := c.opt.Diff(ctx, project, base)
		if err != nil {
			return nil, failf(codeInvalidRequest, "%v", err)
		}
		if diff == "" {
			a := newChange()
			a.message = "No changed files"
			return a.answer(), nil
		}
		c.f["diff"] = diff
	}
	body, err := c.get(ctx, "/impact", c.impactFields("diff", c.f["diff"]))
	if err != nil {
		return nil, err
	}
	a := newChange()
	for _, ch := range body.list("changed") {
		a.file(ch.text("file"))
		a.function(ch)
	}
	for _, l := range body.list("left_out") {
		a.file(l.text("file"))
	}
	a.add(body)
	return a.answer(), nil
}

// impactFields are the request to /impact about something: with the fields of the command's that are
// that endpoint's, too.
func (c *call) impactFields(name string, about any) fields {
	f := fields{"limit": 1000, name: about}
	for _, own := range []string{"depth", "limit", "offset", "glob", "tests", "include_tests", "commands", "overlay", "timeout_ms", "strict"} {
		if v := c.f[own]; v != nil && v != "" {
			f[own] = v
		}
	}
	return f
}

// maxFiles is how many files a request may name, each of which is asked about.
const maxFiles = 100

// filesImpact is changeImpact where all of some files may have changed.
func (c *call) filesImpact(ctx context.Context, files []string) (answer, error) {
	a := newChange()
	for _, file := range files {
		a.file(file)
		outline, err := c.get(ctx, "/structure", fields{"path": file, "limit": 1})
		if err != nil {
			return nil, err
		}
		for _, f := range outline.list("files") {
			for _, s := range f.list("symbols") {
				if kind := s.text("kind"); runs(kind) {
					a.function(fields{"symbol": qualified(s), "file": f["file"]})
				}
			}
		}
		body, err := c.get(ctx, "/impact", c.impactFields("target", file))
		if f := (*failure)(nil); err != nil && asFailure(err, &f) && f.code == "unsupported_language" {
			a.unknown, a.complete = append(a.unknown, fields{"file": file, "reason": f.message}), false
			continue
		}
		if err != nil {
			return nil, err
		}
		a.add(body)
	}
	return a.answer(), nil
}

// A change gathers what some answers of /impact say.
type change struct {
	tests, files, functions []string
	callers                 []fields
	unknown                 []fields // files without a call graph
	unfollowed              []fields // changed symbols without edges
	ambiguous, runs         []fields
	incomplete              []string
	complete, truncated     bool
	state                   any // of the index
	message                 string
}

func newChange() *change {
	return &change{tests: []string{}, files: []string{}, functions: []string{}, callers: []fields{}, ambiguous: []fields{}, complete: true}
}

func (a *change) file(name string) {
	if name != "" && !slices.Contains(a.files, name) {
		a.files = append(a.files, name)
	}
}

func (a *change) function(f fields) {
	if name := place(f); f.text("symbol") != "" && !slices.Contains(a.functions, name) {
		a.functions = append(a.functions, name)
	}
}

func (a *change) add(body fields) {
	for _, t := range body.texts("tests") {
		if !slices.Contains(a.tests, t) {
			a.tests = append(a.tests, t)
		}
	}
	a.callers = append(a.callers, named(body.list("callers"))...)
	a.ambiguous = append(a.ambiguous, named(body.list("ambiguous"))...)
	a.unfollowed = append(a.unfollowed, body.list("unfollowed")...)
	a.runs = append(a.runs, body.list("runs")...)
	for _, why := range body.texts("incomplete") {
		if !slices.Contains(a.incomplete, why) {
			a.incomplete = append(a.incomplete, why)
		}
	}
	a.complete, a.state = a.complete && body.flag("complete"), body["index"]
	a.unknown = append(a.unknown, body.list("left_out")...)
	a.truncated = a.truncated || body.flag("truncated")
}

func (a *change) answer() answer {
	out := fields{
		"affected_tests": a.tests, "changed_files": a.files, "changed_functions": a.functions,
		"summary": fields{"files_changed": len(a.files), "functions_changed": len(a.functions), "tests_affected": len(a.tests)},
	}
	if a.message != "" {
		out["message"] = a.message
	}
	result := fields{
		"callers": a.callers, "ambiguous": a.ambiguous, "left_out": a.unknown, "truncated": a.truncated,
		"complete": a.complete,
	}
	if a.unknown == nil {
		result["left_out"] = []fields{}
	}
	for name, list := range map[string][]fields{"unfollowed": a.unfollowed, "runs": a.runs} {
		if len(list) > 0 {
			result[name] = list
		}
	}
	if len(a.incomplete) > 0 {
		result["incomplete"] = a.incomplete
	}
	if a.state != nil {
		result["index"] = a.state
	}
	reply := answer{"result": result, "truncated": a.truncated}
	for name, v := range out {
		reply[name] = v
		result[name] = v
	}
	return reply
}
