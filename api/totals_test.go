package api

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/embed/static"
	"github.com/quarry-search/quarry/index"
)

// A listed is an endpoint whose answers are lists, as the property test asks it.
type listed struct {
	path  string
	lists []string // fields of an answer whose entries, one list after the other, total counts
	pages bool     // it takes an offset
	ask   func(r *random) object
}

type object = map[string]any

// A random draws the fields of requests, of what the index has.
type random struct {
	*rand.Rand
	files, folders, symbols []string // files with symbols, names in the files
}

func oneOf[T any](r *random, list ...T) T { return list[r.Intn(len(list))] }

// sometimes gives a field a value, or leaves it out.
func sometimes[T any](r *random, f object, name string, values ...T) {
	if r.Intn(3) == 0 {
		f[name] = oneOf(r, values...)
	}
}

func (r *random) narrowed(f object, langs bool) object {
	sometimes(r, f, "path", append(r.folders, oneOf(r, r.files...), ".")...)
	sometimes(r, f, "glob", []string{"*.go"}, []string{"*.py", "*.ts"}, []string{"!*_test.go"}, []string{"none/**"})
	if langs {
		sometimes(r, f, "lang", "go", "python", "typescript")
	}
	return f
}

// target is a symbol or, now and then, a file with some.
func (r *random) target() string {
	if r.Intn(5) == 0 {
		return oneOf(r, r.files...)
	}
	return oneOf(r, r.symbols...)
}

// everyList is each endpoint with lists that its fields bound.
var everyList = []listed{
	{"/search", []string{"results"}, false, func(r *random) object {
		f := object{"query": oneOf(r, "client ip", "how is a token checked", "run", "store", "Run", "parse the path of a file", "zzz"),
			"mode": oneOf(r, "hybrid", "lexical", "semantic", "symbol", "regex")}
		sometimes(r, f, "per_file", 1, 2, 10)
		sometimes(r, f, "min_score", 0.01, 0.2, 0.6)
		sometimes(r, f, "kind", "function", "method")
		sometimes(r, f, "role", "definition", "test")
		sometimes(r, f, "max_tokens", 50, 500)
		return r.narrowed(f, true)
	}},
	{"/related", []string{"results"}, false, func(r *random) object {
		f := object{"file": oneOf(r, r.files...), "line": 1}
		sometimes(r, f, "per_file", 1, 2, 10)
		sometimes(r, f, "min_score", 0.01, 0.2, 0.6)
		return r.narrowed(f, true)
	}},
	{"/structure", []string{"files"}, true, func(r *random) object {
		f := object{}
		sometimes(r, f, "kind", "function", "method")
		sometimes(r, f, "depth", 1, 2)
		return r.narrowed(f, true)
	}},
	{"/imports", []string{"files"}, true, func(r *random) object {
		f := object{}
		sometimes(r, f, "module", "fmt", "lib", "os")
		sometimes(r, f, "head", true)
		return r.narrowed(f, true)
	}},
	{"/skeleton", []string{"files"}, true, func(r *random) object {
		f := r.narrowed(object{}, true)
		f["path"] = oneOf(r, append(r.folders, oneOf(r, r.files...), ".")...)
		sometimes(r, f, "max_tokens", 50, 500)
		return f
	}},
	{"/arch", []string{"layers", "modules", "matrix", "cycles", "hubs", "god_files", "violations", "together", "functions"}, true, func(r *random) object {
		f := object{"section": oneOf(r, "layers", "modules", "matrix", "cycles", "hubs", "functions")}
		sometimes(r, f, "level", "file", "package")
		sometimes(r, f, "tests", "with", "without", "only")
		sometimes(r, f, "kinds", "imports", "calls")
		return r.narrowed(f, true)
	}},
	{"/calls", []string{"edges", "ambiguous", "unresolved", "external"}, true, func(r *random) object {
		f := object{}
		if r.Intn(4) > 0 {
			f["target"] = r.target()
			sometimes(r, f, "depth", 2, 10)
			f["direction"] = oneOf(r, "callers", "callees", "both")
			sometimes(r, f, "group", true)
		}
		sometimes(r, f, "external", true)
		sometimes(r, f, "tests", "with", "without", "only")
		if r.Intn(2) == 0 {
			return f
		}
		return r.narrowed(f, false)
	}},
	{"/dead", []string{"dead"}, true, func(r *random) object {
		f := object{"confidence": "possible", "exports": "ignore"}
		sometimes(r, f, "tests", "with", "without", "only")
		if r.Intn(2) == 0 {
			return f
		}
		return r.narrowed(f, false)
	}},
	{"/references", []string{"references", "ambiguous"}, true, func(r *random) object {
		f := object{"target": oneOf(r, r.symbols...)}
		sometimes(r, f, "kind", "call", "read")
		sometimes(r, f, "tests", "with", "without", "only")
		if r.Intn(2) == 0 {
			return f
		}
		return r.narrowed(f, false)
	}},
	{"/cfg", []string{"blocks"}, false, func(r *random) object { return object{"target": oneOf(r, flowTargets...)} }},
	{"/dfg", []string{"edges"}, false, func(r *random) object {
		f := object{"target": oneOf(r, flowTargets[:2]...)}
		sometimes(r, f, "variable", "sum")
		return f
	}},
	{"/diagnostics", []string{"findings"}, true, func(r *random) object {
		f := object{}
		sometimes(r, f, "kind", "syntax", "unreachable")
		sometimes(r, f, "path", "flow", "src")
		return f
	}},
	{"/slice", []string{"lines"}, false, func(r *random) object {
		f := object{"target": fmt.Sprintf("flow/shop/cart.py:%d", 10+r.Intn(4))}
		sometimes(r, f, "depth", 1, 3)
		sometimes(r, f, "direction", "forward", "backward")
		return f
	}},
	{"/flows", []string{"flows"}, true, func(r *random) object {
		f := object{"source": oneOf(r, "func:*t*", "func:total"), "sink": "word:return"}
		sometimes(r, f, "depth", 1, 3)
		return f
	}},
	{"/graph", []string{"nodes"}, false, func(r *random) object {
		f := object{"target": r.target()}
		sometimes(r, f, "depth", 1, 3)
		sometimes(r, f, "collapse", "file", "folder", "class")
		return f
	}},
	{"/map", []string{"nodes"}, false, func(r *random) object {
		f := object{}
		sometimes(r, f, "depth", 1, 5)
		return r.narrowed(f, true)
	}},
	{"/impact", []string{"callers", "ambiguous"}, true, func(r *random) object {
		f := object{"target": r.target()}
		sometimes(r, f, "depth", 1, 2)
		sometimes(r, f, "tests", "with", "without", "only")
		if r.Intn(2) == 0 {
			return f
		}
		return r.narrowed(f, false)
	}},
	{"/trace", []string{"callers", "callees"}, false, func(r *random) object {
		f := object{"symbol": r.target()}
		sometimes(r, f, "depth", 2, 3)
		return f
	}},
	{"/startup", []string{"results"}, false, func(r *random) object {
		return object{"task": oneOf(r, "client ip", "how is a token checked", "run"), "max_tokens": 100_000}
	}},
	{"/grep", []string{"matches"}, false, func(r *random) object {
		f := object{"pattern": oneOf(r, "func", "import", "e", "return .", "zzz")}
		return r.narrowed(f, false)
	}},
	{"/find", []string{"paths"}, false, func(r *random) object {
		f := object{}
		sometimes(r, f, "name", "*.go", "lib*")
		sometimes(r, f, "type", "f", "d")
		sometimes(r, f, "path", r.folders...)
		return f
	}},
}

// flowTargets are functions of the exchanges with several blocks.
var flowTargets = []string{"flow/shop/cart.py:total", "flow/shop/cart.py:11", "flow/shop/cart.py"}

// totalsIndex has the files of all exchanges, each below a folder of its own.
func totalsIndex(t *testing.T) *index.Index {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "all")
	names, err := filepath.Glob("testdata/exchange/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			below, ok := strings.CutPrefix(f.Name, "root/")
			if !ok {
				continue
			}
			file := filepath.Join(dir, strings.TrimSuffix(filepath.Base(name), ".txtar"), filepath.FromSlash(below))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	model, err := static.New()
	if err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(dir, index.Options{Workers: 1, Embedder: model})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return x
}

// An asker asks a server and keeps what the answers say.
type asker struct {
	*checker
	h     http.Handler
	whole http.Handler // of the same index, whose answers are never too long
}

// A counted answer is one with what it says of how much there is.
type countedAnswer struct {
	entries   []string
	total     int
	truncated bool
	by        []string
	next      int
	all       object
}

func (a *asker) ask(t *testing.T, e *listed, f object) countedAnswer {
	t.Helper()
	body, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	r := a.post(a.h, e.path, string(body))
	if r.status != http.StatusOK {
		t.Fatalf("%s %s: %d %s", e.path, body, r.status, r.body)
	}
	var out countedAnswer
	r.decode(t, &out.all)
	for _, name := range e.lists {
		list, _ := out.all[name].([]any)
		for _, entry := range list {
			b, err := json.Marshal(entry)
			if err != nil {
				t.Fatal(err)
			}
			out.entries = append(out.entries, name+" "+string(b))
		}
	}
	meta := out.all["meta"].(object)
	out.total = int(meta["matches"].(float64))
	out.truncated, _ = meta["truncated"].(bool)
	for _, why := range asList(meta["truncated_by"]) {
		out.by = append(out.by, why.(string))
	}
	if total, ok := out.all["total"]; ok && int(total.(float64)) != out.total {
		t.Errorf("%s %s: total %v, matches %d", e.path, body, total, out.total)
	}
	if truncated, ok := out.all["truncated"]; ok && truncated != out.truncated {
		t.Errorf("%s %s: truncated %v, in meta %v", e.path, body, truncated, out.truncated)
	}
	next, _ := out.all["next_offset"].(float64)
	out.next = int(next)
	return out
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}

// beyond are the cuts that leave something out that total does not count.
var beyond = []string{"depth", "reached", "time", "left_out", "matches"}

// TestTotals asks every endpoint that returns lists at random: total, matches, the entries,
// truncated_by and the text say the same, with any limit and offset.
func TestTotals(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: the race detector sees nothing here")
	}
	x := totalsIndex(t)
	rounds := 5
	if n, err := strconv.Atoi(os.Getenv("QUARRY_TOTALS")); err == nil {
		rounds = n
	}
	for _, limits := range []Limits{{}, {Response: 6 << 10}} {
		a := &asker{newChecker(t), newServer(t, x, Options{Limits: limits}).Handler(), newServer(t, x, Options{}).Handler()}
		for i := range everyList {
			e := &everyList[i]
			t.Run(fmt.Sprint(e.path[1:], limits.Response), func(t *testing.T) {
				r := a.draw(t, int64(i)+1)
				some := 0
				for n := 0; n < rounds || some == 0 && n < 200; n++ {
					f := e.ask(r)
					if some += a.hold(t, e, r, f, limits.Response > 0); t.Failed() {
						b, _ := json.Marshal(f)
						t.Fatalf("%s %s", e.path, b)
					}
				}
				if some == 0 {
					t.Error("no answer has two entries")
				}
			})
		}
	}
}

// draw returns what draws among the code of the index.
func (a *asker) draw(t *testing.T, seed int64) *random {
	t.Helper()
	r := &random{Rand: rand.New(rand.NewSource(seed))}
	var all wire.StructureResponse
	whole := &asker{a.checker, a.whole, nil}
	whole.post(whole.h, "/structure", `{"limit":1000}`).decode(t, &all)
	for _, f := range all.Files {
		folder, _, _ := strings.Cut(f.File, "/")
		if !slices.Contains(r.folders, folder) {
			r.folders = append(r.folders, folder)
		}
		if slices.Contains([]string{"go", "python", "typescript"}, f.Lang) {
			if len(f.Symbols) > 0 {
				r.files = append(r.files, f.File)
			}
			for _, s := range f.Symbols {
				if s.Kind == "function" || s.Kind == "method" {
					r.symbols = append(r.symbols, f.File+":"+s.Name)
				}
			}
		}
	}
	return r
}

// hold asks for what f says with several limits, and in pages. It returns 1 where there was
// something to divide.
func (a *asker) hold(t *testing.T, e *listed, r *random, f object, small bool) int {
	t.Helper()
	whole := a.ask(t, e, with(f, "limit", 100))
	for _, limit := range []int{1, 2, 3 + r.Intn(20), 100} {
		got := a.ask(t, e, with(f, "limit", limit))
		if got.total != whole.total {
			t.Errorf("limit %d: total %d, with 100 it is %d", limit, got.total, whole.total)
		}
		a.agree(t, e, &got, limit, 0)
		a.text(t, e, with(f, "limit", limit), &got)
		a.te(t, e, with(f, "limit", limit), &got)
	}
	if !e.pages {
		return min(1, whole.total/2)
	}
	for _, limit := range []int{1 + r.Intn(3), 5 + r.Intn(20), 1000} {
		var all []string
		offset, large := 0, 0
		for {
			page := a.ask(t, e, with(f, "limit", limit, "offset", offset))
			all = append(all, page.entries...)
			if page.total != whole.total {
				t.Errorf("offset %d: total %d, at 0 it is %d", offset, page.total, whole.total)
			}
			a.agree(t, e, &page, limit, offset)
			if len(page.entries) == 0 && slices.Contains(page.by, "max_tokens") && (page.next == 0 || page.next == offset+1) {
				large++ // not even a part of the entry fits
				if offset = page.next; offset > 0 {
					continue
				}
			}
			if page.next == 0 {
				break
			}
			if page.next != offset+len(page.entries) || len(page.entries) == 0 {
				t.Errorf("offset %d: %d entries, and the next offset is %d", offset, len(page.entries), page.next)
				break
			}
			offset = page.next
		}
		if len(all)+large != whole.total {
			t.Errorf("limit %d: %d entries on all pages, total %d", limit, len(all), whole.total)
		}
		slices.Sort(all)
		if once := slices.Compact(slices.Clone(all)); len(once) != len(all) && !small {
			t.Errorf("limit %d: %d entries are on several pages", limit, len(all)-len(once))
		}
	}
	past := a.ask(t, e, with(f, "offset", whole.total+3))
	if len(past.entries) != 0 || past.total != whole.total || past.next != 0 {
		t.Errorf("past the end: %d entries, total %d", len(past.entries), past.total)
	}
	return min(1, whole.total/2)
}

// agree holds what an answer says of itself against what it has.
func (a *asker) agree(t *testing.T, e *listed, got *countedAnswer, limit, offset int) {
	t.Helper()
	if got.truncated != (len(got.by) > 0) && e.path != "/grep" && e.path != "/find" {
		t.Errorf("truncated is %v, by %v", got.truncated, got.by)
	}
	left := got.total - offset - len(got.entries)
	counts := !slices.ContainsFunc(got.by, func(c string) bool { return slices.Contains(beyond, c) || c == "size" })
	switch {
	case left < 0 && offset == 0:
		t.Errorf("%d entries, total %d", len(got.entries), got.total)
	case left > 0 && !got.truncated:
		t.Errorf("limit %d, offset %d: %d of %d entries, and nothing says so", limit, offset, len(got.entries), got.total)
	case left <= 0 && e.path == "/search" && slices.Equal(got.by, []string{"max_tokens"}): // of an entry a part is there
	case left <= 0 && got.truncated && counts:
		t.Errorf("limit %d, offset %d: all %d entries are there, and truncated says %v", limit, offset, got.total, got.by)
	}
	if slices.Contains(got.by, "limit") && left <= 0 {
		t.Errorf("cut by limit, but nothing is left out")
	}
}

// with is f with other values.
func with(f object, pairs ...any) object {
	out := make(object, len(f)+len(pairs)/2)
	for k, v := range f {
		out[k] = v
	}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i].(string)] = pairs[i+1]
	}
	return out
}

var shownOf = regexp.MustCompile(`(\d+) of (more than )?(\d+)[ a-z]* shown`)

// text holds the text form against the answer.
func (a *asker) text(t *testing.T, e *listed, f object, want *countedAnswer) {
	t.Helper()
	if slices.Contains(want.by, "size") || e.path == "/startup" {
		return // of a text it is another; a text by itself says it in its way
	}
	body, _ := json.Marshal(with(f, "format", "text"))
	r := a.post(a.h, e.path, string(body))
	if r.status != http.StatusOK {
		t.Fatalf("%s: %d %s", body, r.status, r.body)
	}
	got := shownOf.FindStringSubmatch(string(r.body))
	if left := want.total - len(want.entries); (got != nil) != (left > 0) {
		t.Errorf("as text: %q, and %d of %d are there", got, len(want.entries), want.total)
	} else if got != nil && (got[1] != fmt.Sprint(len(want.entries)) || got[3] != fmt.Sprint(want.total)) {
		t.Errorf("as text: %q, and %d of %d are there", got[0], len(want.entries), want.total)
	}
}

// counted is what breadcrumbs say of what is left out.
var counted = regexp.MustCompile(`\b\d+ (?:more|in|elsewhere|that match less|beyond)`)

// te holds the form of the envelope against the answer: its rows and what the breadcrumbs
// count add up to the matches of its header.
func (a *asker) te(t *testing.T, e *listed, f object, want *countedAnswer) {
	t.Helper()
	if !slices.Contains([]string{"/search", "/grep", "/find"}, e.path) {
		return
	}
	body, _ := json.Marshal(with(f, "format", "te"))
	r := a.post(a.h, e.path, string(body))
	if r.status != http.StatusOK {
		t.Fatalf("%s: %d %s", body, r.status, r.body)
	}
	meta, rest := header(t, r.body)
	rows, more := 0, 0
	for line := range strings.Lines(rest) {
		crumb, is := strings.CutPrefix(line, "# TE: ")
		switch {
		case !is && strings.TrimSpace(line) != "":
			rows++
		case is:
			for _, n := range counted.FindAllString(crumb, -1) {
				n, _ := strconv.Atoi(n[:strings.Index(n, " ")])
				more += n
			}
		}
	}
	if *meta.Matches != want.total || rows+more != *meta.Matches || meta.Truncated != (more > 0) {
		t.Errorf("as te: %d rows and %d more, matches %d, truncated %v; total %d\n%s", rows, more, *meta.Matches, meta.Truncated, want.total, r.body)
	}
}

// TestTotalsCoverage has the property test ask every endpoint that takes a limit.
func TestTotalsCoverage(t *testing.T) {
	doc, err := load()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for path, item := range doc.Paths.Map() {
		if item.Post == nil || item.Post.RequestBody == nil {
			continue
		}
		if media := item.Post.RequestBody.Value.Content["application/json"]; media != nil && takesLimit(media.Schema.Value.Properties["limit"]) {
			got = append(got, path)
		}
	}
	want := []string{"/cat", "/verify"} // lines of a file, and how many examples of what is wrong
	for i := range everyList {
		want = append(want, everyList[i].path)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("endpoints with a limit: %q, asked: %q", got, want)
	}
}

func takesLimit(schema any) bool { return !reflect.ValueOf(schema).IsNil() }
