package api

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

// Bounds that are not worth a setting.
const (
	defaultResults = 10
	maxPerFile     = 10
	maxPath        = 4096      // bytes, as Linux has it
	maxName        = 256       // bytes of a language, a symbol, a glob or a kind
	maxQueries     = 32        // of a batch
	maxList        = 32        // elements of a filter
	maxTokens      = 1_000_000 // more than any response has
	maxLines       = 1 << 30   // of a file
)

// searchQuery reads the fields of a search: its queries, and what they have in
// common. What is wrong with them is in d.err.
func (s *Server) searchQuery(d *decoder) (queries []string, q search.Query) {
	queries = s.queries(d)
	q = s.filters(d)
	q.Symbol = d.text("symbol", maxName)
	q.Mode = search.Mode(d.oneOf("mode", string(search.Hybrid), string(search.Semantic), string(search.Lexical), string(search.Symbol), string(search.Regex)))
	q.Explain = d.flag("explain")
	q.Without = d.few("without", maxName)
	return queries, q
}

// queries reads query, or its short form q, or queries.
func (s *Server) queries(d *decoder) []string {
	if !d.has("query") && d.has("q") {
		d.fields["query"] = d.fields["q"]
	}
	if !d.has("queries") {
		text := d.text("query", s.limits.Query)
		if strings.TrimSpace(text) == "" {
			d.failf("query is missing or empty")
		}
		return []string{text}
	}
	if d.has("query") {
		d.failf("query and queries cannot both be given")
	}
	queries := d.texts("queries", s.limits.Query)
	if len(queries) == 0 || len(queries) > maxQueries {
		d.failf("queries must be 1 to %d", maxQueries)
	}
	for _, text := range queries {
		if strings.TrimSpace(text) == "" {
			d.failf("queries has an empty query")
		}
	}
	return queries
}

// filters reads the fields that /search and /related have in common.
func (s *Server) filters(d *decoder) search.Query {
	q := search.Query{
		Limit:     d.count("limit", 1, min(defaultResults, s.limits.Limit), s.limits.Limit),
		Path:      d.text("path", maxPath),
		Glob:      d.few("glob", maxName),
		Lang:      d.few("lang", maxName),
		Kind:      d.someOf("kind", search.Kinds()...),
		Role:      d.oneOf("role", answer.RoleDefinition, answer.RoleTest, answer.RoleConfig),
		MinScore:  d.fraction("min_score"),
		PerFile:   d.count("per_file", 1, 0, maxPerFile),
		MaxTokens: d.count("max_tokens", 1, 0, maxTokens),
	}
	d.jsonOnly()
	return q
}

// timeout reads timeout_ms, at most and by default Limits.Timeout.
func (s *Server) timeout(d *decoder) time.Duration {
	most := int(s.limits.Timeout.Milliseconds())
	return time.Duration(d.count("timeout_ms", 1, most, most)) * time.Millisecond
}

// resolve replaces a request's path by the index's form of it.
func resolve(x Index, path *string) error {
	if *path == "" {
		return nil
	}
	if err := checkPath(*path); err != nil {
		return err
	}
	rel, err := x.Resolve(*path)
	switch {
	case err == nil:
		*path = filepath.ToSlash(rel)
		if rel == "." {
			*path = ""
		}
		return nil
	case errors.Is(err, index.ErrOutside):
		return problemf(codeInvalidPath, "the path %q is outside the root", *path)
	case errors.Is(err, fs.ErrNotExist):
		return problemf(codeNotFound, "the path %q does not exist", *path)
	case errors.Is(err, answer.ErrClosed):
		return err
	}
	return problemf(codeInvalidPath, "the path %q cannot be resolved", *path)
}

// checkPath refuses what is no path on any system.
func checkPath(path string) error {
	if strings.ContainsRune(path, 0) {
		return problemf(codeInvalidPath, "the path has a zero byte")
	}
	return nil
}
