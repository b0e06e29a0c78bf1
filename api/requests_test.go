package api

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/search"
)

var update = flag.Bool("update", false, "write the responses to testdata")

// TestRequests replays testdata/*.txtar: each file "name" is a request, and
// "name.want" the response to it. In the request $ROOT is the root, and $REPEAT(c,n)
// is n times c. The server has one file, src/auth/jwt.ts, ignored is an
// empty folder, and link leads outside.
func TestRequests(t *testing.T) {
	for _, file := range []string{"search", "filters", "modes", "related", "summarize", "admin", "http"} {
		t.Run(file, func(t *testing.T) {
			name := "testdata/" + file + ".txtar"
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{}
			for _, f := range ar.Files {
				if n, ok := strings.CutSuffix(f.Name, ".want"); ok {
					want[n] = string(f.Data)
				}
			}
			out := &txtar.Archive{Comment: ar.Comment}
			for _, f := range ar.Files {
				if strings.HasSuffix(f.Name, ".want") {
					continue
				}
				var got string
				t.Run(f.Name, func(t *testing.T) {
					got = replay(t, string(f.Data))
					if !*update {
						if diff := cmp.Diff(want[f.Name], got); diff != "" {
							t.Errorf("response (-want +got):\n%s", diff)
						}
					}
				})
				out.Files = append(out.Files, f, txtar.File{Name: f.Name + ".want", Data: []byte(got)})
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(out), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// given renders the fields of a query that are not zero.
func given(q search.Query) string {
	v := reflect.ValueOf(q)
	var fields []string
	for i := range v.NumField() {
		if f := v.Field(i); !f.IsZero() {
			fields = append(fields, fmt.Sprintf("%s:%v", v.Type().Field(i).Name, f))
		}
	}
	return strings.Join(fields, " ")
}

// replay sends one request to a new server and renders the response, and the
// query that reached the index.
func replay(t *testing.T, text string) string {
	x := newFake(t)
	h := newServer(t, x, Options{Version: "1.2.3", AllowOrigins: []string{"app://editor"}}).Handler()
	text = strings.ReplaceAll(text, "$ROOT", x.root)
	for {
		before, rest, ok := strings.Cut(text, "$REPEAT(")
		if !ok {
			break
		}
		arg, after, _ := strings.Cut(rest, ")")
		c, count, _ := strings.Cut(arg, ",")
		var n int
		if _, err := fmt.Sscan(count, &n); err != nil {
			t.Fatal(err)
		}
		text = before + strings.Repeat(c, n) + after
	}
	head, body, _ := strings.Cut(text, "\n\n")
	line, fields, _ := strings.Cut(head, "\n")
	method, target, _ := strings.Cut(strings.TrimSpace(line), " ")
	req := request(method, target, strings.TrimSuffix(body, "\n"))
	req.Header.Set("X-Request-Id", "test")
	sc := bufio.NewScanner(strings.NewReader(fields))
	for sc.Scan() {
		k, v, _ := strings.Cut(sc.Text(), ": ")
		if k == "Host" {
			req.Host = v
		}
		req.Header.Set(k, v)
	}

	got := newChecker(t).do(h, req)
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d\n", got.status)
	for _, k := range []string{"Allow", "Retry-After", "X-Ignored", "X-Index-Generation"} {
		if v := got.header.Values(k); len(v) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", k, strings.Join(v, ", "))
		}
	}
	io.WriteString(&b, endedLine(strings.ReplaceAll(string(got.body), x.root, "$ROOT")))
	for _, q := range x.queries {
		if !reflect.DeepEqual(q, search.Query{Text: q.Text, Limit: 10}) {
			fmt.Fprintf(&b, "asked: %s\n", given(q))
		}
	}
	for _, q := range x.summaries {
		q.Count = nil
		fmt.Fprintf(&b, "asked: %+v\n", q)
	}
	for _, inv := range x.invs {
		fmt.Fprintf(&b, "told: %+v\n", inv)
	}
	if got.header.Get("X-Request-Id") != "test" || got.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers: %v", got.header)
	}
	if got.status != http.StatusOK && got.header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("an error as %q", got.header.Get("Content-Type"))
	}
	return strings.ReplaceAll(b.String(), x.root, "$ROOT")
}
