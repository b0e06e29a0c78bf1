package diagnostics

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/store"
)

// A sarifLog is what is read and written of SARIF 2.1.0.
type sarifLog struct {
	Schema  string     `json:"$schema,omitempty"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	Bases   map[string]sarifArtifact `json:"originalUriBaseIds,omitempty"`
	Results []sarifResult            `json:"results"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules,omitempty"`
}

type sarifRule struct {
	ID      string        `json:"id"`
	Short   *sarifMessage `json:"shortDescription,omitempty"`
	Default *sarifDefault `json:"defaultConfiguration,omitempty"`
}

type sarifDefault struct {
	Level string `json:"level,omitempty"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId,omitempty"`
	RuleIndex *int            `json:"ruleIndex,omitempty"`
	Rule      *sarifReference `json:"rule,omitempty"`
	Kind      string          `json:"kind,omitempty"`
	Level     string          `json:"level,omitempty"`
	Message   sarifMessage    `json:"message"`
	Locations []sarifLocation `json:"locations,omitempty"`
}

type sarifReference struct {
	ID string `json:"id,omitempty"`
}

type sarifMessage struct {
	Text string `json:"text,omitempty"`
	ID   string `json:"id,omitempty"`
}

type sarifLocation struct {
	Physical sarifPlace  `json:"physicalLocation"`
	Logical  []sarifName `json:"logicalLocations,omitempty"`
}

type sarifName struct {
	Name string `json:"fullyQualifiedName,omitempty"`
}

type sarifPlace struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI  string `json:"uri,omitempty"`
	Base string `json:"uriBaseId,omitempty"`
}

type sarifRegion struct {
	Line    int `json:"startLine,omitempty"`
	Column  int `json:"startColumn,omitempty"`
	EndLine int `json:"endLine,omitempty"`
}

// maxReported bounds the findings of a log that are read.
const maxReported = 100_000

// ReadSARIF returns the findings of a log, without symbols. Their files are as the log has them:
// relative to where the tool ran, or absolute. It returns a QueryError for what is no SARIF 2.1.0.
func ReadSARIF(text []byte) ([]Finding, error) {
	var log sarifLog
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), &log); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, &QueryError{"sarif is not JSON: " + err.Error()}
		}
		return nil, &QueryError{"sarif is not a log of SARIF 2.1.0: it has other fields"}
	}
	if !strings.HasPrefix(log.Version, "2.") {
		return nil, &QueryError{fmt.Sprintf("sarif has version %q, and 2.1.0 is read", log.Version)}
	}
	var found []Finding
	for i := range log.Runs {
		run := &log.Runs[i]
		for j := range run.Results {
			if len(found) == maxReported {
				return nil, &QueryError{fmt.Sprintf("sarif has more than %d findings", maxReported)}
			}
			if f, ok := run.finding(&run.Results[j]); ok {
				found = append(found, f)
			}
		}
	}
	return found, nil
}

// finding is a result; ok is false for one that says that all is well.
func (r *sarifRun) finding(s *sarifResult) (f Finding, ok bool) {
	if s.Kind != "" && s.Kind != "fail" && s.Kind != "review" && s.Kind != "open" {
		return f, false
	}
	f = Finding{Kind: Reported, Rule: s.RuleID, Source: r.Tool.Driver.Name, Message: cmp.Or(s.Message.Text, s.Message.ID)}
	if f.Rule == "" && s.Rule != nil {
		f.Rule = s.Rule.ID
	}
	rules := r.Tool.Driver.Rules
	at := slices.IndexFunc(rules, func(o sarifRule) bool { return f.Rule != "" && o.ID == f.Rule })
	if s.RuleIndex != nil && *s.RuleIndex >= 0 && *s.RuleIndex < len(rules) {
		at = *s.RuleIndex
		f.Rule = cmp.Or(f.Rule, rules[at].ID)
	}
	level := s.Level
	if level == "" && at >= 0 && rules[at].Default != nil {
		level = rules[at].Default.Level
	}
	switch level {
	case Error, Note:
		f.Severity = level
	case "none":
		f.Severity = Note
	default:
		f.Severity = Warning // as SARIF 2.1.0 has it, 3.27.10
	}
	if len(s.Locations) > 0 {
		p := &s.Locations[0].Physical
		f.File = r.path(p.Artifact)
		if p.Region != nil {
			f.Line, f.Column, f.EndLine = max(0, p.Region.Line), max(0, p.Region.Column), p.Region.EndLine
			f.EndLine = max(f.Line, f.EndLine)
		}
	}
	return f, true
}

// path is the path of an artifact: relative, or absolute where the log says so.
func (r *sarifRun) path(a sarifArtifact) string {
	text := a.URI
	if u, err := url.Parse(text); err == nil && (u.Scheme == "file" || u.Scheme == "") {
		text = u.Path
	}
	if base, ok := r.Bases[a.Base]; ok && a.Base != "" && !strings.HasPrefix(text, "/") {
		if u, err := url.Parse(base.URI); err == nil && u.Path != "" {
			text = path.Join(u.Path, text)
		}
	}
	if runtime.GOOS == "windows" { // file:///C:/x
		text = strings.TrimPrefix(text, "/")
	}
	if text == "" {
		return ""
	}
	return path.Clean(text)
}

// reported returns the findings of the log of a query that are about its files, and about those
// that the index has not where the query does not name languages.
func (l *look) reported(q *Query, files []*store.Record) ([]Finding, error) {
	found, err := ReadSARIF([]byte(q.SARIF))
	if err != nil {
		return nil, err
	}
	asked := map[string]bool{}
	for _, r := range files {
		asked[r.Path] = true
	}
	root := filepath.ToSlash(l.index.Root())
	narrow := q.Path != "" && q.Path != "." || len(q.Glob) > 0 || len(q.Lang) > 0
	var kept []Finding
	gone := 0
	for _, f := range found {
		if rel, ok := strings.CutPrefix(f.File, strings.TrimSuffix(root, "/")+"/"); ok {
			f.File = rel
		}
		switch {
		case asked[f.File]:
			l.known[f.File] = true
		case l.index.Record(f.File) != nil || narrow:
			continue
		default:
			gone++
		}
		kept = append(kept, f)
	}
	if gone > 0 {
		l.NotLookedAt = append(l.NotLookedAt, fmt.Sprintf("symbols of %d findings: the index does not have their files", gone))
	}
	return kept, nil
}

// WriteSARIF writes findings as a log, a run for each tool. version is that of this program.
func WriteSARIF(w io.Writer, found []Finding, version string) error {
	log := sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{}}
	at := map[string]int{}
	for i := range found {
		f := &found[i]
		n, ok := at[f.Source]
		if !ok {
			n = len(log.Runs)
			at[f.Source] = n
			run := sarifRun{Results: []sarifResult{}}
			run.Tool.Driver.Name = cmp.Or(f.Source, "unknown")
			if f.Source == Source {
				run.Tool.Driver.Version, run.Tool.Driver.Rules = version, rules()
			}
			log.Runs = append(log.Runs, run)
		}
		log.Runs[n].Results = append(log.Runs[n].Results, resultOf(f))
	}
	if len(found) == 0 {
		run := sarifRun{Results: []sarifResult{}}
		run.Tool.Driver = sarifDriver{Name: Source, Version: version, Rules: rules()}
		log.Runs = append(log.Runs, run)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(&log)
}

// rules are the kinds of findings as SARIF describes them.
func rules() (list []sarifRule) {
	for _, k := range ownKinds {
		list = append(list, sarifRule{ID: k.name, Short: &sarifMessage{Text: k.what}, Default: &sarifDefault{Level: k.severity}})
	}
	return list
}

func resultOf(f *Finding) sarifResult {
	s := sarifResult{RuleID: f.Rule, Level: f.Severity, Message: sarifMessage{Text: f.Message}}
	if f.File == "" {
		return s
	}
	p := sarifLocation{Physical: sarifPlace{Artifact: sarifArtifact{URI: (&url.URL{Path: f.File}).EscapedPath()}}}
	if !path.IsAbs(f.File) {
		p.Physical.Artifact.Base = "SRCROOT"
	}
	if f.Line > 0 {
		p.Physical.Region = &sarifRegion{f.Line, f.Column, f.EndLine}
	}
	if f.Symbol != "" {
		p.Logical = []sarifName{{f.Symbol}}
	}
	s.Locations = []sarifLocation{p}
	return s
}
