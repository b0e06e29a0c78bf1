package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

// The shapes of a search's answer.
const (
	shapeQuarry = "quarry"
	shapeOsgrep = "osgrep"
)

// osgrepLines is how many lines of a result osgrep's server gives.
const osgrepLines = 15

// osgrepBody is the response to a search as programs read it that speak to osgrep's
// server, and what is ours besides: nothing that an answer says of itself is lost.
type osgrepBody struct {
	Results  []osgrepHit         `json:"results"`
	Index    wire.Index          `json:"index"`
	Projects []wire.ProjectState `json:"projects,omitempty"`
	Meta     searchMeta          `json:"meta"`
	Receipt  *receipt            `json:"receipt,omitempty"`
}

// An osgrepHit has no field for which there is nothing to tell: the hash of the
// file, the complexity, and whether the symbol is exported are not known here.
type osgrepHit struct {
	Type       string         `json:"type"` // text
	Text       string         `json:"text"`
	Score      float64        `json:"score"` // as ours: not in relation to the best
	Confidence string         `json:"confidence"`
	Metadata   osgrepMetadata `json:"metadata"`
	Generated  osgrepPlace    `json:"generated_metadata"`
	Role       string         `json:"role"`
	Defined    []string       `json:"defined_symbols"`
	// These are there because programs go through them, and always empty.
	Parent     string   `json:"parent_symbol"`
	Referenced []string `json:"referenced_symbols"`
	Imports    []string `json:"imports"`
	Exports    []string `json:"exports"`
}

type osgrepMetadata struct {
	Path     string `json:"path"`
	IsAnchor bool   `json:"is_anchor"` // always false: there are no chunks that stand for a whole file
	Project  string `json:"project,omitempty"`
}

type osgrepPlace struct {
	StartLine int    `json:"start_line"` // 0-based
	EndLine   int    `json:"end_line"`   // 0-based, inclusive
	NumLines  int    `json:"num_lines"`
	Type      string `json:"type"`
}

// osgrepShape reads the field shape, and reports whether the answer has osgrep's. What
// another endpoint asks for in this process has ours, whatever the server's mode.
func (s *Server) osgrepShape(r *http.Request, d *decoder) bool {
	shape := d.oneOf("shape", shapeQuarry, shapeOsgrep)
	if shape == "" && s.opt.Osgrep && !fromInside(r) && !d.has("queries") {
		shape = shapeOsgrep
	}
	if shape == shapeOsgrep && d.has("queries") {
		d.failf("the shape osgrep is for one query")
	}
	return shape == shapeOsgrep && !formOf(r).text
}

// shapeOf returns what is encoded of a response.
func shapeOf(body trimmer) any {
	b, ok := body.(*searchBody)
	if !ok || !b.osgrep {
		return body
	}
	out := &osgrepBody{Results: make([]osgrepHit, len(b.Results)), Index: b.Index, Projects: b.Projects, Meta: b.Meta, Receipt: b.Receipt}
	for i := range b.Results {
		out.Results[i] = newOsgrepHit(&b.Results[i])
	}
	return out
}

func newOsgrepHit(r *search.Result) osgrepHit {
	out := osgrepHit{
		Type: "text", Text: osgrepText(r), Score: r.Score, Confidence: "Low",
		Metadata:   osgrepMetadata{Path: r.File, Project: r.Project},
		Generated:  osgrepPlace{r.Line - 1, r.EndLine - 1, r.EndLine - r.Line + 1, osgrepType(r)},
		Role:       osgrepRole(r),
		Defined:    []string{},
		Referenced: []string{}, Imports: []string{}, Exports: []string{},
	}
	switch {
	case r.Score > 0.8:
		out.Confidence = "High"
	case r.Score > 0.5:
		out.Confidence = "Medium"
	}
	if r.Symbol != "" {
		out.Defined = append(out.Defined, r.Symbol)
	}
	return out
}

// osgrepText is the content's first lines, and how many of the place follow.
func osgrepText(r *search.Result) string {
	lines := strings.Split(strings.TrimRight(r.Content, "\n"), "\n")
	shown := min(len(lines), osgrepLines)
	text := strings.Join(lines[:shown], "\n")
	if more := r.EndLine - r.Line + 1 - shown; more > 0 {
		text += fmt.Sprintf("\n... (+%d more lines)", more)
	}
	return text
}

// osgrepType is the kind of a result in osgrep's words, which are fewer.
func osgrepType(r *search.Result) string {
	switch r.Kind {
	case "":
		return "block"
	case "function", "method", "class", "interface":
		return r.Kind
	case "constructor":
		return "method"
	case "struct":
		return "class"
	case "trait":
		return "interface"
	case "type":
		return "type_alias"
	}
	return "other"
}

// osgrepRole is the role of a result in osgrep's words. It has none for tests and
// configuration, and its ORCHESTRATION goes by a measure that is not taken here.
func osgrepRole(r *search.Result) string {
	switch {
	case r.Kind == "heading", slices.Contains([]string{"markdown", "text", "rst", "asciidoc", "org", "tex"}, r.Lang):
		return "DOCS"
	case r.Role == answer.RoleConfig:
		return ""
	case r.Symbol != "":
		return "DEFINITION"
	}
	return "IMPLEMENTATION"
}
