package service

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/project"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index"
)

// common are the fields that most requests have; nil where one does not.
type common struct {
	timeout *int
	overlay *[]wire.OverlayFile
	project *string // of a request without a Scope
	fresh   *bool
}

// field returns a field of a request by its name in Go; nil: it has none of that type.
func field[T any](request any, name string) *T {
	v := reflect.ValueOf(request).Elem().FieldByName(name)
	if !v.IsValid() {
		return nil
	}
	p, _ := v.Addr().Interface().(*T)
	return p
}

func commonOf(request any) common {
	return common{
		timeout: field[int](request, "TimeoutMS"), overlay: field[[]wire.OverlayFile](request, "Overlay"),
		project: field[string](request, "Project"), fresh: field[bool](request, "Fresh"),
	}
}

// scopeOf returns the scope of a request, or a new one where it has none.
func scopeOf(request any) *wire.Scope {
	if s := field[wire.Scope](request, "Scope"); s != nil {
		return s
	}
	return new(wire.Scope)
}

// readOverlay reads the field overlay.
func readOverlay(d *fields.Fields) (files []wire.OverlayFile) {
	if !d.Has("overlay") {
		return nil
	}
	list, ok := d.Values["overlay"].([]any)
	switch {
	case !ok:
		d.Failf("overlay must be a list of objects with path and content; in a URL it cannot be given")
		return nil
	case len(list) > index.MaxOverlays:
		d.Failf("overlay has %d files, more than %d", len(list), index.MaxOverlays)
		return nil
	}
	for i, one := range list {
		f, err := overlayFile(one)
		if err != nil {
			if d.Err == nil {
				d.Err = problemAt(i, err)
			}
			return nil
		}
		files = append(files, f)
	}
	return files
}

// refuseOverlay fails where an answer would be of the saved files and not say so.
func refuseOverlay(d *fields.Fields) {
	if list, ok := d.Values["overlay"].([]any); d.Has("overlay") && (!ok || len(list) > 0) {
		d.Failf("overlay is not taken here: the answer would be of the saved files")
	}
}

// overlayFile reads an element of the field overlay.
func overlayFile(v any) (f wire.OverlayFile, err error) {
	given, ok := v.(map[string]any)
	if !ok {
		return f, wire.Problemf(wire.CodeInvalidRequest, "it must be an object with path and content")
	}
	f.Path, ok = given["path"].(string)
	switch {
	case !ok || f.Path == "":
		return f, wire.Problemf(wire.CodeInvalidRequest, "path is missing, empty or no string")
	case len(f.Path) > fields.MaxPath:
		return f, wire.Problemf(wire.CodeInvalidRequest, "path is longer than %d bytes", fields.MaxPath)
	}
	content, there := given["content"]
	switch text := content.(type) {
	case string:
		f.Content = &text
	case nil:
		if !there {
			return f, wire.Problemf(wire.CodeInvalidRequest, "content is missing; null says that the file is gone")
		}
	default:
		return f, wire.Problemf(wire.CodeInvalidRequest, "content must be a string, or null for a file that is gone")
	}
	return f, fields.CheckPath(f.Path)
}

// MaxQueries bounds a batch.
const MaxQueries = 32

// readQueries reads query or queries, and the shape of the answer.
func (s *Service) readQueries(d *fields.Fields, c *Call, q *wire.SearchRequest) {
	if !c.Form.Rag {
		shape := d.OneOf("shape", wire.ShapeQuarry, wire.ShapeOsgrep)
		if shape == "" && s.opt.Osgrep && !c.Inside && !d.Has("queries") {
			shape = wire.ShapeOsgrep
		}
		if shape == wire.ShapeOsgrep && d.Has("queries") {
			d.Failf("the shape osgrep is for one query")
		}
		if shape == wire.ShapeOsgrep {
			delete(d.Values, "rerank") // osgrep's server does not look at it either
		}
		c.Form.Osgrep = shape == wire.ShapeOsgrep && !c.Form.Text
	}
	if !d.Has("queries") {
		if q.Query = d.Text("query", s.limits.Query); strings.TrimSpace(q.Query) == "" {
			d.Failf("query is missing or empty")
		}
		return
	}
	if d.Has("query") {
		d.Failf("query and queries cannot both be given")
	}
	q.Queries = d.Texts("queries", s.limits.Query)
	if len(q.Queries) == 0 || len(q.Queries) > MaxQueries {
		d.Failf("queries must be 1 to %d", MaxQueries)
	}
	for _, text := range q.Queries {
		if strings.TrimSpace(text) == "" {
			d.Failf("queries has an empty query")
		}
	}
}

// readSearch reads projects, and fails where nothing ranks that could be looked at again.
func readSearch(d *fields.Fields, q *wire.SearchRequest) {
	if list, _ := d.Values["overlay"].([]any); len(list) > 0 && d.Has("projects") {
		d.Failf("overlay is for a search of one project, and cannot be given with projects")
	}
	q.Projects = readProjects(d)
	if q.Rerank && (q.Mode == wire.ModeSymbol || q.Mode == wire.ModeRegex) {
		d.Failf("rerank is for the modes hybrid, lexical and semantic, which rank")
	}
}

// readProjects reads projects, in place of project.
func readProjects(d *fields.Fields) []string {
	if !d.Has("projects") {
		return nil
	}
	if d.Has("project") {
		d.Failf("project and projects cannot both be given")
	}
	list := d.Texts("projects", fields.MaxPath)
	if n := len(list); n == 0 || n > project.MaxNamed || slices.Contains(list, "") {
		d.Failf(`projects must be "*", or 1 to %d names or paths`, project.MaxNamed)
	}
	return list
}

func readExtract(d *fields.Fields, _ *Call, q *wire.ExtractRequest) {
	if d.Has("file") && !d.Has("target") {
		q.File = d.Target("file")
		return
	}
	q.Target = d.Target("target")
	q.File = d.Text("file", fields.MaxPath)
}

// readRelated reads a place, or a name of which the place is looked up.
func readRelated(d *fields.Fields, q *wire.RelatedRequest) {
	switch {
	case !d.Has("target"):
		if d.Values["file"] == nil || q.File == "" {
			d.Failf("file is missing or empty")
		}
		if !d.Has("line") {
			d.Failf("line is missing")
		}
		return
	case d.Has("file") || d.Has("line"):
		d.Failf("target and file, line cannot both be given")
	}
	q.Target = d.Target("target")
	if i := strings.LastIndexByte(q.Target, ':'); i > 0 {
		if line, err := strconv.Atoi(q.Target[i+1:]); err == nil && line > 0 {
			q.File, q.Line, q.Target = q.Target[:i], line, ""
		}
	}
}

func readCalls(d *fields.Fields, q *wire.CallsRequest) {
	if d.Has("target") {
		q.Target = d.Target("target")
	}
}

func readImpact(d *fields.Fields, q *wire.ImpactRequest) {
	var about []string
	for name, given := range map[string]bool{"target": d.Has("target"), "diff": d.Has("diff"), "files": len(q.Files) > 0, "git": q.Git || q.Base != "", "edited": q.Edited} {
		if given {
			about = append(about, name)
		}
	}
	slices.Sort(about)
	switch {
	case len(about) > 1:
		d.Failf("%s cannot both be given", strings.Join(about[:2], " and "))
	case len(about) == 0 || about[0] == "target":
		q.Target = d.Target("target")
	}
}

func readTrace(d *fields.Fields, q *wire.TraceRequest) {
	if d.Has("to") {
		q.To = d.Target("to")
	}
}

func readStartup(d *fields.Fields, q *wire.StartupRequest) {
	if d.Has("entry_point") && d.Values["entry_point"] != "" {
		q.EntryPoint = d.Target("entry_point")
	}
}

func readCat(d *fields.Fields, q *wire.CatRequest) {
	if q.End > 0 && q.End < q.Start {
		d.Failf("end must not be before start")
	}
	if q.Highlight && q.Number {
		d.Failf("highlight is of the lines as they are: not with number")
	}
}

// readSummarize reads the one field that a summary is to be of.
func (s *Service) readSummarize(d *fields.Fields, q *wire.SummarizeRequest) {
	given := ""
	for _, name := range Summarized() {
		switch {
		case !d.Has(name):
		case given != "":
			d.Failf("%s and %s cannot both be given", given, name)
		default:
			given = name
		}
	}
	switch given {
	case "":
		d.Failf("one of %s is needed", strings.Join(Summarized(), ", "))
	case "content":
		q.Content = d.Text("content", int(s.limits.Body))
	case "handoff":
		if q.Handoff, _ = d.Values["handoff"].(map[string]any); q.Handoff == nil {
			d.Failf("handoff must be an object")
		}
	case "recall":
		var ok bool
		if q.Recall, ok = recallOf(d.Values["recall"]); !ok {
			d.Failf("recall must be a list of objects")
		} else if q.Recall == nil {
			q.Recall = []map[string]any{}
		}
	case "path":
		if q.Path = d.Text("path", fields.MaxPath); q.Path == "" {
			q.Path = "." // the root
		}
	case "paths":
		if q.Paths = d.Texts("paths", fields.MaxPath); len(q.Paths) == 0 || len(q.Paths) > fields.MaxList {
			d.Failf("paths must be 1 to %d", fields.MaxList)
		}
	case "symbol":
		q.Symbol = d.Target("symbol")
	case "target":
		readSubject(d.Target("target"), q)
	case "query":
		if q.Query = d.Text("query", s.limits.Query); strings.TrimSpace(q.Query) == "" {
			d.Failf("query is missing or empty")
		}
	}
}

// readSubject decides what a target is that a summary is to be of: with white space a
// question, with a slash a path, else a symbol.
func readSubject(target string, q *wire.SummarizeRequest) {
	switch {
	case strings.ContainsAny(target, " \t\n"):
		q.Query = target
	case target == "." || strings.Contains(target, "/") && !strings.Contains(target, ":"):
		q.Path = target
	default:
		q.Symbol = target
	}
}
