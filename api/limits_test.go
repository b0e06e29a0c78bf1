package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/project"
	"github.com/quarry-search/quarry/api/service"
	"github.com/quarry-search/quarry/api/session"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index"
)

// A limitRow is a row of docs/limits.md.
type limitRow struct{ name, value, beyond string }

// limitRows reads a table of the page.
func limitRows(t *testing.T, section string) []limitRow {
	t.Helper()
	text, err := os.ReadFile("../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n## "+section+"\n")
	rest, _, _ = strings.Cut(rest, "\n## ")
	var rows []limitRow
	for line := range strings.Lines(rest) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) == 4 && !strings.HasPrefix(line, "|---") && !strings.HasPrefix(line, "| limit ") {
			rows = append(rows, limitRow{strings.TrimPrefix(cells[0], "| "), cells[1], strings.TrimSuffix(cells[3], " |")})
		}
	}
	if len(rows) < 5 {
		t.Fatalf("%d rows of %s", len(rows), section)
	}
	return rows
}

// bytesOf writes a size as the page does.
func bytesOf(n int64) string {
	switch {
	case n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n%(1<<10) == 0 && n > 4<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// fieldOf is a body with one field.
func fieldOf(rest, name, value string) string {
	return fmt.Sprintf(`{%s"%s":%s}`, rest, name, value)
}

func manyOf(n int, one string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(one+",", n), ",") + "]"
}

func quoted(n int) string { return strconv.Quote(strings.Repeat("a", n)) }

// TestLimits holds docs/limits.md to the code, and oversteps each limit that a request can.
func TestLimits(t *testing.T) {
	l := Limits{}.WithDefaults()
	const q = `"query":"token",`
	overlay := func(n int, content string) string {
		var files []string
		for i := range n {
			files = append(files, fmt.Sprintf(`{"path":"f%d.go","content":%s}`, i, content))
		}
		return "[" + strings.Join(files, ",") + "]"
	}
	// With a target, body is sent there, and the answer must be what the page says.
	known := map[string]struct{ value, target, body string }{
		"body":                                  {bytesOf(l.Body), "/search", fieldOf("", "query", quoted(int(l.Body)))},
		"header":                                {bytesOf(maxHeader), "", ""}, // TestLimitsOfConnections
		"nesting of JSON":                       {"10000 levels", "/search", fieldOf("", "query", strings.Repeat("[", 10_001)+strings.Repeat("]", 10_001))},
		"query, pattern":                        {bytesOf(int64(l.Query)), "/grep", fieldOf("", "pattern", quoted(l.Query+1))},
		"repetitions in a pattern":              {"1000", "/grep", fieldOf("", "pattern", `"(a{1000}){2}"`)},
		"path":                                  {bytesOf(fields.MaxPath), "/search", fieldOf(q, "path", quoted(fields.MaxPath+1))},
		"name: of a language, a symbol, a glob": {bytesOf(fields.MaxName), "/search", fieldOf(q, "symbol", quoted(fields.MaxName+1))},
		"elements of a filter":                  {fmt.Sprint(fields.MaxList), "/search", fieldOf(q, "glob", manyOf(fields.MaxList+1, `"*.go"`))},
		"id of a session or an agent":           {bytesOf(fields.MaxID), "/search", fieldOf(q, "session_id", quoted(fields.MaxID+1))},
		"queries of a search":                   {fmt.Sprint(service.MaxQueries), "/search", fieldOf("", "queries", manyOf(service.MaxQueries+1, `"a"`))},
		"projects of a search":                  {fmt.Sprint(project.MaxNamed), "/search", fieldOf(q, "projects", manyOf(project.MaxNamed+1, `"shop"`))},
		"paths of a summary":                    {fmt.Sprint(fields.MaxList), "/summarize", fieldOf("", "paths", manyOf(fields.MaxList+1, `"src"`))},
		"files of an overlay":                   {fmt.Sprint(index.MaxOverlays), "/search", fieldOf(q, "overlay", overlay(index.MaxOverlays+1, `""`))},
		"bytes of an overlay":                   {bytesOf(index.MaxOverlayBytes), "/search", fieldOf(q, "overlay", overlay(5, quoted(1<<20)))},
		"results of a search":                   {fmt.Sprint(l.Limit), "/search", fieldOf(q, "limit", fmt.Sprint(l.Limit+1))},
		"results of one file":                   {fmt.Sprint(10), "/search", fieldOf(q, "per_file", fmt.Sprint(10+1))},
		"tokens of a budget":                    {fmt.Sprint(1_000_000), "/search", fieldOf(q, "max_tokens", fmt.Sprint(1_000_000+1))},
		"depth of a walk":                       {fmt.Sprint(10), "/calls", fieldOf(`"target":"ValidateToken",`, "depth", fmt.Sprint(10+1))},
		"depth of an impact":                    {fmt.Sprint(wire.MaxImpact), "/impact", fieldOf(`"target":"ValidateToken",`, "depth", fmt.Sprint(wire.MaxImpact+1))},
		"edges of a page":                       {fmt.Sprint(1000), "/impact", fieldOf(`"target":"ValidateToken",`, "limit", fmt.Sprint(1000+1))},
		"files of a structure":                  {fmt.Sprint(5000), "/structure", fieldOf("", "limit", fmt.Sprint(5000+1))},
		"differences of a verification":         {fmt.Sprint(10_000), "/verify", fieldOf("", "limit", fmt.Sprint(10_000+1))},
		"timeout_ms":                            {l.Timeout.String(), "/search", fieldOf(q, "timeout_ms", "30001")},
		"timeout_ms of a verification":          {(10 * time.Minute).String(), "/verify", fieldOf("", "timeout_ms", "600001")},
		"response":                              {bytesOf(int64(l.Response)), "", ""}, // TestResponseSize
		"time of a grep":                        {EnvelopeOptions{}.WithDefaults().GrepTimeout.String(), "", ""},
		"lines of the relay":                    {fmt.Sprint(maxServiceLines), "", ""},  // below
		"requests in line":                      {fmt.Sprint(l.Queue), "", ""},          // TestClassesApart
		"requests of a session in line":         {fmt.Sprint(session.MaxTurns), "", ""}, // TestSessionLine
		"verifications at once":                 {"1", "", ""},                          // TestOneVerification
		"streams of events":                     {fmt.Sprint(maxStreams), "", ""},       // TestEvents
		"projects":                              {fmt.Sprint(maxServed), "", ""},        // TestProjectsAreBounded
		"connections":                           {fmt.Sprint(l.Connections), "", ""},    // TestConnections
		"sessions":                              {fmt.Sprint(session.MaxSessions), "", ""},
		"bytes of sessions":                     {bytesOf(session.SessionBytes), "", ""},
		"answers to what asks inside":           {bytesOf(maxAsked), "", ""},
		"arrival of a header":                   {l.HeaderTimeout.String(), "", ""}, // TestSlowClients
		"arrival of a body":                     {l.BodyTimeout.String(), "", ""},   // TestHalfOpen
		"taking a response":                     {l.WriteTimeout.String(), "", ""},  // TestSlowClients
		"taking an event":                       {eventTimeout.String(), "", ""},
		"pause between two requests":            {l.IdleTimeout.String(), "", ""},
	}
	x, run := openReal(t)
	run()
	c := newChecker(t)
	large := newServer(t, x, Options{Limits: Limits{Body: 16 << 20}}).Handler() // for what a body of 1 MiB cannot overstep
	h := newServer(t, x, Options{}).Handler()
	if r := c.post(h, "/invalidate", `{"all":true,"wait":true}`); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	var names []string
	for _, row := range limitRows(t, "HTTP") {
		names = append(names, row.name)
		k, ok := known[row.name]
		if !ok || k.value != row.value {
			t.Errorf("%s: the page says %s, the code %q", row.name, row.value, k.value)
		}
		if k.target == "" {
			continue
		}
		to := h
		if strings.Contains(row.beyond, "limit comes first") {
			if r := c.post(h, k.target, k.body); r.status != 413 {
				t.Errorf("%s: %d %s", row.name, r.status, r.body)
			}
			to = large
		}
		r := c.post(to, k.target, k.body)
		status, _, _ := strings.Cut(row.beyond, " ")
		want, refused := strconv.Atoi(status)
		switch {
		case refused != nil && (r.status != 200 || !strings.Contains(string(r.body), `"clamped":["`)):
			t.Errorf("%s: %d %.300s, not %s", row.name, r.status, r.body, row.beyond)
		case refused == nil && (r.status != want || !strings.Contains(row.beyond, "`"+r.problem(t)+"`")):
			t.Errorf("%s: %d %.300s, not %s", row.name, r.status, r.body, row.beyond)
		}
	}
	for name := range known {
		if !slices.Contains(names, name) {
			t.Errorf("the page does not have %s", name)
		}
	}
	lines := strings.Repeat("->relay:code find src\n", maxServiceLines+8)
	if r := c.post(h, "/relay", fieldOf(`"format":"json",`, "text", strconv.Quote(lines))); r.status != 200 || !strings.Contains(string(r.body), `"understood":40`) || strings.Count(string(r.body), `"action":"find"`) != maxServiceLines {
		t.Errorf("lines of the relay: %d %.300s", r.status, r.body)
	}
}

// problem returns the code of an error.
func (r reply) problem(t *testing.T) string {
	var p wire.Problem
	r.decode(t, &p)
	return p.Code
}

// What only a connection can overstep.
func TestLimitsOfConnections(t *testing.T) {
	s := newServer(t, newFake(t), Options{})
	port, _ := serve(t, s)
	conn := dialPort(t, port, "GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: "+strings.Repeat("a", maxHeader+8<<10)+"\r\n\r\n")
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge || !resp.Close {
		t.Errorf("%d", resp.StatusCode)
	}
}

// many are more projects than a request may add to.
type many struct {
	Projects
	n int
}

func (m many) List(context.Context) []ProjectInfo { return make([]ProjectInfo, m.n) }

func (m many) Add(context.Context, string, string) (ProjectInfo, bool, error) {
	return ProjectInfo{Name: "one", Root: "/one"}, true, nil
}

// A request cannot make a server serve any number of projects.
func TestProjectsAreBounded(t *testing.T) {
	for n, want := range map[int]int{maxServed - 1: 201, maxServed: 429} {
		h := newServer(t, nil, Options{Projects: many{n: n}}).Handler()
		rec := httptest.NewRecorder() // the answers of this one are not whole
		if h.ServeHTTP(rec, request("POST", "/projects", `{"root":"/one"}`)); rec.Code != want {
			t.Errorf("with %d projects: %d %s", n, rec.Code, rec.Body)
		}
	}
}
