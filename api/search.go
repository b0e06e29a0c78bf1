package api

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index"
)

// Bounds that are not worth a setting.
const (
	defaultResults = 10
	maxPerFile     = 10
	maxPath        = 4096 // bytes, as Linux has it
	maxName        = 256  // bytes of a language or a symbol
)

// searchBody is the response to a search.
type searchBody struct {
	Results []index.Result `json:"results"`
	Index   indexBody      `json:"index"`
	Meta    searchMeta     `json:"meta"`
}

type searchMeta struct {
	V         int      `json:"v"`
	Cmd       string   `json:"cmd"`
	Matches   int      `json:"matches"`
	Truncated bool     `json:"truncated"`
	Clamped   []string `json:"clamped,omitempty"`
	Unindexed bool     `json:"unindexed,omitempty"` // the index knows no file at or below the query's path
}

// indexBody says, in every response, which index gave it.
type indexBody struct {
	State      string  `json:"state"`
	Generation uint64  `json:"generation"`
	Progress   float64 `json:"progress"`
	Vectors    float64 `json:"vectors"`
	Freshness  string  `json:"freshness"`
	Pending    int     `json:"pending"`
	Root       string  `json:"root"`
}

func newIndexBody(s index.State) indexBody {
	return indexBody{s.State, s.Generation, s.Progress, s.Vectors, s.Freshness, s.Pending, s.Root}
}

func (s *Server) search(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	d := s.decode(w, r)
	q, timeout := s.searchQuery(d)
	if err := s.checkProject(d); err != nil {
		s.fail(w, r, err)
		return
	}
	if err := s.resolve(&q); err != nil {
		s.fail(w, r, err)
		return
	}

	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	defer cancel()
	answer, waited, err := s.ask(ctx, q)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	unindexed := false
	if len(answer.Results) == 0 && q.Path != "" && !s.index.Knows(q.Path) {
		// Nothing below a path that is not there is not the same as no match.
		unindexed = true
		_, err := os.Lstat(filepath.Join(s.index.Root(), filepath.FromSlash(q.Path)))
		if err != nil && !errors.Is(err, fs.ErrPermission) {
			s.fail(w, r, problemf(codeNotFound, "the path %q does not exist", q.Path))
			return
		}
	}
	searched := time.Now()

	body := searchBody{
		Results: answer.Results,
		Index:   newIndexBody(answer.State),
		Meta:    searchMeta{V: 1, Cmd: "search", Matches: answer.Matches, Truncated: answer.Truncated, Clamped: d.clamped, Unindexed: unindexed},
	}
	if body.Results == nil {
		body.Results = []index.Result{}
	}
	buf, err := s.encodeSearch(&body)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer release(buf)
	h := w.Header()
	h.Set("X-Index-Generation", strconv.FormatUint(answer.State.Generation, 10))
	h.Set("Server-Timing", fmt.Sprintf("queue;dur=%.3f, search;dur=%.3f, total;dur=%.3f",
		ms(waited), ms(searched.Sub(start)-waited), ms(time.Since(start))))
	tag := fmt.Sprintf(`"g%d-%016x"`, answer.State.Generation, xxhash.Sum64(buf.Bytes()))
	h.Set("ETag", tag)
	if r.Method != http.MethodPost && matchesTag(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	send(w, r, http.StatusOK, buf)
}

// ask puts the query to the index when a slot is free, and says how long that
// took.
func (s *Server) ask(ctx context.Context, q index.Query) (a index.Answer, waited time.Duration, err error) {
	start := time.Now()
	if err := s.slots.acquire(ctx); err != nil {
		return a, 0, err
	}
	defer s.slots.release()
	waited = time.Since(start)
	s.metrics.queue.Observe(waited.Seconds())
	a, err = s.index.Search(ctx, q)
	return a, waited, err
}

// searchQuery reads the fields of a search; what is wrong with them is in d.err.
func (s *Server) searchQuery(d *decoder) (q index.Query, timeout time.Duration) {
	if !d.has("query") && d.has("q") {
		d.fields["query"] = d.fields["q"]
	}
	q = index.Query{
		Text:     d.text("query", s.limits.Query),
		Limit:    d.count("limit", 1, min(defaultResults, s.limits.Limit), s.limits.Limit),
		Path:     d.text("path", maxPath),
		Lang:     d.texts("lang", maxName),
		Role:     d.oneOf("role", index.RoleDefinition, index.RoleTest, index.RoleConfig),
		Symbol:   d.text("symbol", maxName),
		Mode:     index.Mode(d.oneOf("mode", string(index.Hybrid), string(index.Semantic), string(index.Lexical))),
		MinScore: d.fraction("min_score"),
		PerFile:  d.count("per_file", 1, 0, maxPerFile),
	}
	if strings.TrimSpace(q.Text) == "" {
		d.failf("query is missing or empty")
	}
	if f := d.text("format", maxName); f != "" && f != "json" {
		d.failf("format %q is not supported; the only format is json", f)
	}
	return q, s.timeout(d)
}

// timeout reads timeout_ms, at most and by default Limits.Timeout.
func (s *Server) timeout(d *decoder) time.Duration {
	most := int(s.limits.Timeout.Milliseconds())
	return time.Duration(d.count("timeout_ms", 1, most, most)) * time.Millisecond
}

// checkProject returns d.err, or wrong_project when the request names a project
// that is not the one served here: its root, or the last element of it.
func (s *Server) checkProject(d *decoder) error {
	project := d.text("project", maxPath)
	root := s.index.Root()
	if d.err != nil || project == "" || project == filepath.Base(root) {
		return d.err
	}
	if filepath.IsAbs(project) {
		if filepath.Clean(project) == root {
			return nil
		}
		if real, err := filepath.EvalSymlinks(project); err == nil && real == root {
			return nil
		}
	}
	return problemf(codeWrongProject, "this server has the project %q", root)
}

// resolve replaces the query's path by the index's form of it.
func (s *Server) resolve(q *index.Query) error {
	if q.Path == "" {
		return nil
	}
	if err := checkPath(q.Path); err != nil {
		return err
	}
	rel, err := s.index.Resolve(q.Path)
	switch {
	case err == nil:
		q.Path = filepath.ToSlash(rel)
		if rel == "." {
			q.Path = ""
		}
		return nil
	case errors.Is(err, index.ErrOutside):
		return problemf(codeInvalidPath, "the path %q is outside the root", q.Path)
	case errors.Is(err, fs.ErrNotExist):
		return problemf(codeNotFound, "the path %q does not exist", q.Path)
	case errors.Is(err, index.ErrClosed):
		return err
	}
	return problemf(codeInvalidPath, "the path %q cannot be resolved", q.Path)
}

// checkPath refuses what is no path on any system.
func checkPath(path string) error {
	if strings.ContainsRune(path, 0) {
		return problemf(codeInvalidPath, "the path has a zero byte")
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
