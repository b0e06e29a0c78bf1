package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/grep"
	"github.com/quarry-search/quarry/index/search"
)

// grepFake is a fake in which /grep finds so many lines of each section.
func grepFake(t testing.TB, definitions, code, tests int) *fake {
	x := newFake(t)
	add := func(n int, file, section, role string) {
		for i := range n {
			x.matches = append(x.matches, grep.GrepLine{File: file, Line: i + 1, Text: "validateToken()", Section: section, Role: role})
		}
	}
	add(definitions, "src/auth/jwt.ts", grep.InDefinitions, answer.RoleDefinition)
	add(code, "src/auth/use.ts", grep.InCode, "")
	add(tests, "test/jwt.test.ts", grep.InTests, answer.RoleTest)
	return x
}

// header returns the header of a text, and what follows it.
func header(t testing.TB, text []byte) (m te.Meta, rest string) {
	t.Helper()
	parts := strings.SplitN(string(text), "\n", 4)
	if len(parts) < 4 || parts[0] != "# TE_BEGIN_META" || parts[2] != "# TE_END_META" {
		t.Fatalf("no header: %s", text)
	}
	if err := json.Unmarshal([]byte(parts[1]), &m); err != nil {
		t.Fatal(err)
	}
	return m, parts[3]
}

func TestGrepSmallResultIsWhole(t *testing.T) {
	x := grepFake(t, 1, 3, 1)
	c, h := newChecker(t), newServer(t, x, Options{}).Handler()
	r := c.post(h, "/grep", `{"pattern":"validateToken","format":"te","path":"src","glob":"*.ts","ignore_case":"true","word":true,"literal":true}`)
	want := `# TE_BEGIN_META
{"v":1,"cmd":"grep","matches":5,"files":3,"hot_zone":"src/ (75%)"}
# TE_END_META

src/auth/jwt.ts:1: validateToken()  # definition
src/auth/use.ts:1: validateToken()
src/auth/use.ts:2: validateToken()
src/auth/use.ts:3: validateToken()
test/jwt.test.ts:1: validateToken()
`
	if diff := cmp.Diff(want, string(r.body)); diff != "" || r.header.Get("X-Matches") != "5" || r.header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("%v\n%s", r.header, diff)
	}
	asked := grep.GrepQuery{Pattern: "validateToken", Literal: true, IgnoreCase: true, Word: true, Path: "src", Glob: []string{"*.ts"}}
	if diff := cmp.Diff(asked, x.greps[0]); diff != "" {
		t.Error(diff)
	}
	var body wire.GrepResponse
	c.get(h, "/grep?pattern=validateToken").decode(t, &body)
	if len(body.Matches) != 5 || body.Matches[0].Role != "definition" || body.Breadcrumbs == nil || body.Meta.Truncated || body.Meta.Handle != "" {
		t.Errorf("%+v", body)
	}
	// Nothing is not null.
	x.matches = nil
	r = c.get(h, "/grep?pattern=nothing")
	if !strings.HasPrefix(string(r.body), `{"matches":[],"breadcrumbs":["no file`) && !strings.HasPrefix(string(r.body), `{"matches":[],"breadcrumbs":[],`) {
		t.Errorf("%s", r.body)
	}
}

func TestGrepLargeResultIsTruncatedWithHandle(t *testing.T) {
	x := grepFake(t, 3, 612, 235)
	c, h := newChecker(t), newServer(t, x, Options{}).Handler()
	m, text := header(t, c.post(h, "/grep", `{"pattern":"validateToken","format":"te"}`).body)
	if *m.Matches != 850 || !m.Truncated || m.Handle == "" {
		t.Errorf("%+v", m)
	}
	for _, crumb := range []string{"\n# TE: 602 more elsewhere\n", "\n# TE: 225 more in tests\n"} {
		if !strings.Contains(text, crumb) {
			t.Errorf("no %q in %s", crumb, text)
		}
	}
	if n := strings.Count(text, "validateToken()"); n != 3+10+10 {
		t.Errorf("%d lines are shown", n)
	}
	var body wire.GrepResponse
	c.post(h, "/grep", `{"pattern":"validateToken","limit":700}`).decode(t, &body)
	if len(body.Matches) > 700 || len(body.Matches) < 300 || !body.Meta.Truncated { // 16,000 characters
		t.Errorf("%d lines", len(body.Matches))
	}
	// Who has more room is shown more, up to what an answer may have.
	var gemini wire.GrepResponse
	req := request(http.MethodPost, "/grep", `{"pattern":"validateToken","limit":700,"agent_id":"x"}`)
	req.Header.Set("X-Agent-Id", "gemini-shell")
	c.do(h, req).decode(t, &gemini)
	if len(gemini.Matches) <= len(body.Matches) {
		t.Errorf("%d lines with 20,000 characters, %d with 16,000", len(gemini.Matches), len(body.Matches))
	}
}

func TestHandleRetrieval(t *testing.T) {
	x := grepFake(t, 3, 612, 235)
	c, h := newChecker(t), newServer(t, x, Options{}).Handler()
	var body wire.GrepResponse
	c.post(h, "/grep", `{"pattern":"validateToken","session_id":"one"}`).decode(t, &body)
	got := body.Matches
	id := body.Meta.Handle
	for chunk, chunks := 1, 1; chunk <= chunks; chunk++ {
		var part wire.HandleResponse
		r := c.get(h, fmt.Sprintf("/handles/%s?chunk=%d", id, chunk))
		r.decode(t, &part)
		chunks = part.Chunks
		got = append(got, part.Matches...)
		if part.Chunk != chunk || len(r.body) > 50_000 || (part.Meta.Handle != "") != (chunk < chunks) || part.Meta.Matches != 850 {
			t.Errorf("%+v", part.Meta)
		}
		m, text := header(t, c.get(h, fmt.Sprintf("/handles/%s?chunk=%d&format=te", id, chunk)).body)
		if len(text) > 16_000 || m.Cmd != "grep" || !strings.HasSuffix(text, fmt.Sprintf("\n# TE: chunk %d of %d\n", chunk, chunks)) {
			t.Errorf("%+v %d characters", m, len(text))
		}
	}
	want := grepMatches(x.matches)
	for _, list := range [][]wire.GrepMatch{got, want} {
		slices.SortFunc(list, func(a, b wire.GrepMatch) int {
			return strings.Compare(fmt.Sprintf("%s %04d", a.File, a.Line), fmt.Sprintf("%s %04d", b.File, b.Line))
		})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what is shown and the chunks are not the result:\n%s", diff)
	}
	// Lines that are gone are counted.
	x.gone = map[int]bool{100: true, 101: true, 700: true}
	var all wire.HandleResponse
	req := request(http.MethodGet, "/handles/"+id, "")
	req.Header.Set("X-Agent-Id", "claude-dc")
	for chunk, chunks, gone, lines := 1, 1, 0, 0; chunk <= chunks; chunk++ {
		req.URL.RawQuery = fmt.Sprint("chunk=", chunk)
		c.do(h, req).decode(t, &all)
		chunks = all.Chunks
		lines += len(all.Matches)
		for _, crumb := range all.Breadcrumbs {
			var n int
			if _, err := fmt.Sscanf(crumb, "%d in files that have changed", &n); err == nil {
				gone += n
			}
		}
		if chunk == chunks && (gone != 3 || lines != 850-23-3) {
			t.Errorf("%d gone, %d lines", gone, lines)
		}
	}

	for target, want := range map[string]int{
		"/handles/res_000000000000": 404, "/handles/" + id + "?chunk=99": 400, "/handles/" + id + "?chunk=0": 400, "/handles/" + id + "?chunk=x": 400,
	} {
		if r := c.get(h, target); r.status != want || want == 404 && !strings.Contains(string(r.body), `"handle_expired"`) {
			t.Errorf("%s: %d %s", target, r.status, r.body)
		}
	}
	var list wire.HandlesResponse
	c.get(h, "/handles?session_id=one").decode(t, &list)
	if len(list.Handles) != 1 || list.Handles[0].Handle != id || list.Handles[0].Command != "grep" || list.Handles[0].Matches != 850 {
		t.Errorf("%+v", list)
	}
	c.get(h, "/handles?session_id=two").decode(t, &list)
	if list.Handles == nil || len(list.Handles) != 0 {
		t.Errorf("%+v", list)
	}
	if r := c.get(h, "/handles?session_id=one&format=te"); !strings.HasPrefix(string(r.body), id+" grep 850 ") {
		t.Errorf("%s", r.body)
	}
}

func TestRawPassthrough(t *testing.T) {
	x := grepFake(t, 2, 3*4096, 1)
	c, h := newChecker(t), newServer(t, x, Options{}).Handler()
	r := c.post(h, "/grep", `{"pattern":"validateToken","raw":true}`)
	var want strings.Builder
	for _, l := range x.matches {
		fmt.Fprintf(&want, "%s:%d:%s\n", l.File, l.Line, l.Text)
	}
	if string(r.body) != want.String() || r.trailer.Get("X-Matches") != fmt.Sprint(len(x.matches)) {
		t.Errorf("%d bytes, want %d; %v", len(r.body), want.Len(), r.trailer)
	}
	if r := c.get(h, "/grep?pattern=x&raw=true&limit=1&base=src"); string(r.body) != "auth/jwt.ts:1:validateToken()\n" {
		t.Errorf("%s", r.body)
	}
	if r := c.get(h, "/cat?path=src/auth/jwt.ts&raw=true"); string(r.body) != "export function validateToken() {}\n" {
		t.Errorf("%s", r.body)
	}
	x.paths = []grep.FoundPath{{Path: "src", Dir: true}, {Path: "src/a.ts"}}
	if r := c.get(h, "/find?raw=true"); string(r.body) != "src\nsrc/a.ts\n" {
		t.Errorf("%s", r.body)
	}
	if r := c.get(h, "/find?raw=true&format=json"); r.status != 400 {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := c.do(h, request(http.MethodHead, "/grep?pattern=x&raw=true", "")); r.status != 200 || len(r.body) > 0 {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// A raw answer that fails half-way is broken off: what came must not be taken for all.
func TestRawIsBrokenOff(t *testing.T) {
	x := grepFake(t, 2, 3, 1)
	x.rawFails = errors.New("the disk is gone")
	server := httptest.NewServer(newServer(t, x, Options{}).Handler())
	defer server.Close()
	resp, err := http.Post(server.URL+"/grep", "", strings.NewReader(`{"pattern":"x","raw":true}`))
	if err != nil {
		return // not even the header has come
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("it ends like a whole one: %q", body)
	}
}

func TestBadRegex(t *testing.T) {
	c, h := newChecker(t), newServer(t, newFake(t), Options{}).Handler()
	r := c.post(h, "/grep", `{"pattern":"a(b","format":"te"}`)
	want := "# TE_BEGIN_META\n{\"v\":1,\"cmd\":\"grep\",\"error\":\"invalid_pattern\"}\n# TE_END_META\n\n[TE] invalid regex pattern\n"
	if r.status != 400 || string(r.body) != want {
		t.Errorf("%d %s", r.status, r.body)
	}
	r = c.post(h, "/grep", `{"pattern":"a(b"}`)
	if r.status != 400 || !strings.HasPrefix(string(r.body), `{"error":"invalid_pattern"`) {
		t.Errorf("%d %s", r.status, r.body)
	}
	for target, want := range map[string]int{
		"/grep": 400, "/grep?pattern=": 400, "/cat": 400, "/grep?pattern=a&path=../x": 400, "/find?name=[a": 400, "/find?type=x": 400,
		"/cat?path=src/auth/jwt.ts&start=2&end=1": 400, "/grep?pattern=a&format=xml": 400, "/find?path=none": 404, "/grep?pattern=a&path=none": 404,
		"/grep?pattern=a&project=other": 409, "/cat?path=none.ts": 404, "/cat?path=link/jwt.ts": 400,
	} {
		for _, text := range []bool{false, true} {
			req := request(http.MethodGet, target, "")
			if text {
				req.Header.Set("Accept", "text/plain; charset=utf-8")
			}
			r := c.do(h, req)
			if r.status != want || text != strings.HasPrefix(string(r.body), "# TE_BEGIN_META\n") {
				if strings.Contains(target, "format=xml") {
					continue
				}
				t.Errorf("%s, text %v: %d %s", target, text, r.status, r.body)
			}
		}
	}
}

func TestPermissionDenied(t *testing.T) {
	x := newFake(t)
	c, h := newChecker(t), newServer(t, x, Options{}).Handler()
	for _, test := range []struct {
		reason, code string
		status       int
	}{
		{grep.RefusedAccess, "permission_denied", 403}, {grep.RefusedSecret, "permission_denied", 403}, {grep.RefusedIgnored, "permission_denied", 403},
		{grep.RefusedSpecial, "permission_denied", 403}, {grep.RefusedFolder, "invalid_path", 400},
		{grep.RefusedBinary, "binary_file", 422}, {grep.RefusedEncoding, "binary_file", 422}, {grep.RefusedSize, "file_too_large", 422},
	} {
		x.read = func(q grep.ReadQuery) (grep.FileText, error) {
			size := int64(-1)
			if test.status == 422 {
				size = 4096
			}
			return grep.FileText{}, &grep.FileError{File: q.Path, Size: size, Reason: test.reason, Detail: "permission denied"}
		}
		r := c.get(h, "/cat?path=a")
		if r.status != test.status || !strings.HasPrefix(string(r.body), `{"error":"`+test.code+`"`) {
			t.Errorf("%s: %d %s", test.reason, r.status, r.body)
		}
		m, text := header(t, c.get(h, "/cat?path=a&format=te").body)
		if m.Error != test.code || !strings.HasPrefix(text, "\n[TE] a ") {
			t.Errorf("%s: %+v %s", test.reason, m, text)
		}
		if (m.Size != nil) != (test.status == 422) || (m.ContentType == "binary") != (test.reason == grep.RefusedBinary) {
			t.Errorf("%s: %+v", test.reason, m)
		}
	}
}

func TestCatAndFind(t *testing.T) {
	x := newFake(t)
	text := strings.Repeat("line\n", 120)
	if err := os.WriteFile(filepath.Join(x.root, "long.ts"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for i := range 70 {
		x.paths = append(x.paths, grep.FoundPath{Path: fmt.Sprintf("src/f%02d.ts", i)})
	}
	c, h := newChecker(t), newServer(t, x, Options{}).Handler()
	var cat wire.CatResponse
	c.get(h, "/cat?path=long.ts").decode(t, &cat)
	if cat.Content != text[:250] || cat.Meta.Lines != 120 || !cat.Meta.Truncated || cat.Breadcrumbs[0] != "70 more lines" || cat.Meta.ContentType != "code/typescript" {
		t.Errorf("%+v", cat)
	}
	var part wire.HandleResponse
	c.get(h, "/handles/"+cat.Meta.Handle).decode(t, &part)
	if cat.Content+part.Content != text || part.Chunks != 1 {
		t.Errorf("%+v", part)
	}
	m, body := header(t, c.get(h, "/handles/"+cat.Meta.Handle+"?format=te").body)
	if m.Cmd != "cat" || *m.Lines != 120 || body != "\n"+text[250:]+"\n# TE: chunk 1 of 1\n" {
		t.Errorf("%+v %s", m, body)
	}
	var find wire.FindResponse
	c.post(h, "/find", `{"name":"*.ts"}`).decode(t, &find)
	if len(find.Paths) != 25 || find.Meta.Matches != 70 || find.Breadcrumbs[0] != "45 more in src/" {
		t.Errorf("%+v", find)
	}
	c.get(h, "/handles/"+find.Meta.Handle).decode(t, &part)
	if diff := cmp.Diff(foundPaths(x.paths), append(find.Paths, part.Paths...)); diff != "" {
		t.Error(diff)
	}
}

// The header of an answer in JSON has the keys of the text's, and no others.
func TestMetaHasNoHints(t *testing.T) {
	x := grepFake(t, 3, 612, 235)
	c, h := newChecker(t), newServer(t, x, Options{}).Handler()
	for _, target := range []string{"/grep?pattern=a", "/cat?path=src/auth/jwt.ts", "/find"} {
		var body struct {
			Meta map[string]any `json:"meta"`
		}
		c.get(h, target).decode(t, &body)
		for key := range body.Meta {
			if !slices.Contains([]string{"v", "cmd", "matches", "lines", "size", "files", "truncated", "handle", "hot_zone", "content_type", "error"}, key) {
				t.Errorf("%s: meta has %s", target, key)
			}
		}
	}
	schema := c.doc.Components.Schemas["EnvelopeMeta"].Value
	for _, key := range []string{"next_moves", "suggestions", "hints", "hint"} {
		if schema.Properties[key] != nil {
			t.Errorf("the document has %s", key)
		}
	}
}

// Of a very long rest only what is asked for is measured, and nothing of it is lost.
func TestHandleOfManyLines(t *testing.T) {
	const n = 3 * 50_000
	x := grepFake(t, 0, n, 0)
	c, h := newChecker(t), newServer(t, x, Options{}).Handler()
	var body wire.GrepResponse
	c.post(h, "/grep", `{"pattern":"validateToken"}`).decode(t, &body)
	var first, last wire.HandleResponse
	c.get(h, "/handles/"+body.Meta.Handle).decode(t, &first)
	if !strings.HasPrefix(first.Breadcrumbs[0], "chunk 1 of about ") {
		t.Errorf("%v", first.Breadcrumbs)
	}
	if r := c.get(h, fmt.Sprintf("/handles/%s?chunk=%d", body.Meta.Handle, 2*first.Chunks)); r.status != 400 {
		t.Errorf("%d", r.status)
	}
	c.get(h, "/handles/"+body.Meta.Handle).decode(t, &last)
	if first.Chunks < last.Chunks*95/100 || first.Chunks > last.Chunks*105/100 || last.Breadcrumbs[0] != fmt.Sprintf("chunk 1 of %d", last.Chunks) {
		t.Errorf("about %d chunks, and there are %d", first.Chunks, last.Chunks)
	}
	c.get(h, fmt.Sprintf("/handles/%s?chunk=%d", body.Meta.Handle, last.Chunks)).decode(t, &last)
	if lines := last.Matches; lines[len(lines)-1].Line != n {
		t.Errorf("the last line is %d, want %d", lines[len(lines)-1].Line, n)
	}
}

// A search in the form of the envelope: lines, a count of the rest, and a handle for it.
func TestRagSearch(t *testing.T) {
	x := newFake(t)
	var all []search.Result
	for i := range 30 {
		all = append(all, search.Result{File: "src/a.ts", Line: i + 1, EndLine: i + 1, Content: "x", Signature: fmt.Sprintf("function f%d()", i), Score: 1 - float64(i)/40})
	}
	x.search = func(_ context.Context, q search.Query) (search.Answer, error) {
		n := min(q.Limit, len(all))
		return search.Answer{Results: slices.Clone(all[:n]), Matches: 42, State: x.State()}, nil
	}
	c, h := newChecker(t), newServer(t, x, Options{}).Handler()
	r := c.post(h, "/search", `{"query":"where is it","format":"te","session_id":"one"}`)
	m, rest := header(t, r.body)
	if r.status != 200 || m.Cmd != "rag" || *m.Matches != 42 || !m.Truncated || m.Handle == "" || r.header.Get("X-Matches") != "42" {
		t.Errorf("%d %s", r.status, r.body)
	}
	if !strings.HasPrefix(rest, "\nsrc/a.ts:1: function f0()  # 100%\nsrc/a.ts:2: function f1()  # 98%\n") ||
		!strings.HasSuffix(rest, "src/a.ts:10: function f9()  # 78%\n\n# TE: 20 more\n# TE: 12 that match less than the first 30\n") {
		t.Errorf("%s", rest)
	}
	var chunk wire.HandleResponse
	c.get(h, "/handles/"+m.Handle+"?session_id=one").decode(t, &chunk)
	if chunk.Results == nil || len(chunk.Results) != 20 || chunk.Results[0].Line != 11 || chunk.Chunks != 1 || chunk.Meta.Truncated {
		t.Errorf("%+v", chunk)
	}
	if metrics := string(c.get(h, "/metrics").body); !strings.Contains(metrics, "\nquarry_handles 1\n") {
		t.Error("/metrics does not count the handle")
	}
	if r := c.get(h, "/search?query=x&format=te&limit=3"); !strings.Contains(string(r.body), "# TE: 27 more\n") {
		t.Errorf("%s", r.body)
	}
	for _, bad := range []string{`{"format":"te"}`, `{"queries":["a"],"format":"te"}`, `{"query":"a","format":"te","projects":"*"}`} {
		if r := c.post(h, "/search", bad); r.status != 400 || !json.Valid(r.body) {
			t.Errorf("%s: %d %s", bad, r.status, r.body)
		}
	}
}

// grepMatches and foundPaths are what the index has found, as an answer shows it.
func grepMatches(lines []grep.GrepLine) (all []wire.GrepMatch) {
	for i := range lines {
		l := &lines[i]
		all = append(all, wire.GrepMatch{File: l.File, Line: l.Line, Content: te.Clip(l), Role: wire.Role(l.Role), Symbol: l.Symbol})
	}
	return all
}

func foundPaths(paths []grep.FoundPath) (all []wire.FoundPath) {
	for _, p := range paths {
		all = append(all, wire.FoundPath(p))
	}
	return all
}
