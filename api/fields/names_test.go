package fields

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/api/wire"
)

var update = flag.Bool("update", false, "write the table of docs/http.md")

// endpoints are those whose requests have a struct, in the order of the documentation.
var endpoints = []string{
	"/search", "/related", "/structure", "/skeleton", "/extract", "/imports", "/arch", "/diagnostics", "/calls", "/impact", "/dead", "/definition", "/references", "/context", "/trace",
	"/startup", "/summarize", "/cfg", "/dfg", "/slice", "/flows", "/graph", "/map", "/grep", "/cat", "/find", "/handles", "/handles/{id}", "/invalidate", "/reindex", "/verify", "/status",
}

func document(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromFile("../../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestAliasesAreDocumented holds the other names of fields to x-aliases of openapi.yaml, and the
// parameters of a GET to the fields of its POST.
func TestAliasesAreDocumented(t *testing.T) {
	doc := document(t)
	for _, endpoint := range endpoints {
		item := doc.Paths.Value(endpoint)
		want := map[string][]string{}
		for _, n := range Names(wire.NewRequest(endpoint)) {
			want[n.Field] = n.Aliases
		}
		if item.Post != nil {
			body := item.Post.RequestBody.Value.Content.Get("application/json").Schema.Value
			for name, p := range body.Properties {
				if diff := cmp.Diff(listed(p.Value.Extensions, p.Extensions), want[name]); diff != "" {
					t.Errorf("POST %s %s: aliases (-openapi.yaml +wire):\n%s", endpoint, name, diff)
				}
			}
		}
		if item.Get == nil {
			continue
		}
		for _, p := range item.Get.Parameters {
			if p.Value.In != "query" {
				continue
			}
			if diff := cmp.Diff(listed(p.Value.Extensions, p.Extensions), want[p.Value.Name]); diff != "" {
				t.Errorf("GET %s %s: aliases (-openapi.yaml +wire):\n%s", endpoint, p.Value.Name, diff)
			}
		}
	}
}

func listed(extensions ...map[string]any) []string {
	var list []string
	for _, e := range extensions {
		all, _ := e["x-aliases"].([]any)
		for _, name := range all {
			list = append(list, name.(string))
		}
	}
	return list
}

// The marks in docs/http.md between which the table is.
const (
	begin = "<!-- fields: made by go test ./api/fields -update -->\n"
	end   = "<!-- end of fields -->\n"
)

// TestTable holds the table of fields in docs/http.md to the structs.
func TestTable(t *testing.T) {
	const file = "../../docs/http.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	old, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the table", file)
	}
	table := table()
	if *update {
		if err := os.WriteFile(file, []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(old, table); diff != "" {
		t.Errorf("%s (-is +should be; -update writes it):\n%s", file, diff)
	}
}

// table has a line for each field that is the same at some endpoints.
func table() string {
	var order []string
	where := map[string][]string{}
	for _, endpoint := range endpoints {
		for _, n := range Names(wire.NewRequest(endpoint)) {
			line := fmt.Sprintf("| `%s` | %s | %s | %s |", n.Field, ticked(n.Aliases), span(&n), standard(&n))
			if where[line] == nil {
				order = append(order, line)
			}
			where[line] = append(where[line], "`"+endpoint+"`")
		}
	}
	slices.SortStableFunc(order, func(a, b string) int {
		return strings.Compare(strings.SplitN(a, "`", 3)[1], strings.SplitN(b, "`", 3)[1])
	})
	out := "\n| field | also | value | default | endpoints |\n|---|---|---|---|---|\n"
	for _, line := range order {
		list := strings.Join(where[line], " ")
		if len(where[line]) == len(endpoints) {
			list = "all"
		}
		out += line + " " + list + " |\n"
	}
	return out + "\n"
}

func ticked(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return "`" + strings.Join(words, "` `") + "`"
}

// usual are the bounds that tags name, where nothing else is configured.
var usual = map[string]string{"results": "100", "timeout": "30000", "query": "8192", "text": "65536"}

func bound(tag reflect.StructTag, name string) string {
	if known, ok := usual[tag.Get(name)]; ok {
		return known
	}
	return tag.Get(name)
}

// span says which values a field may have.
func span(n *Name) string {
	words := strings.Fields(n.Tag.Get("of"))
	_, isTarget := n.Tag.Lookup("target")
	switch kind := n.Type.Kind(); {
	case isTarget:
		return "a target"
	case n.Tag.Get("of") == "kinds":
		return "kinds of symbols"
	case n.Tag.Get("of") == "langs":
		return "languages"
	case len(words) > 0:
		return strings.Join(words, ", ")
	case n.Tag.Get("flag") != "":
		return "true, false, " + n.Tag.Get("flag")
	case n.Field == "overlay", n.Field == "recall":
		return "a list of objects"
	case kind == reflect.Map:
		return "an object"
	case kind == reflect.Slice && n.Tag.Get("max") != "":
		return fmt.Sprintf("%d texts of %s bytes", MaxList, bound(n.Tag, "max"))
	case kind == reflect.Slice:
		return "texts"
	case kind == reflect.Bool, kind == reflect.Pointer && n.Type.Elem().Kind() == reflect.Bool:
		return "true, false"
	case kind == reflect.Float64:
		return "0 to 1"
	case kind == reflect.Int, kind == reflect.Pointer:
		if most := bound(n.Tag, "max"); len(most) < 9 {
			return bound(n.Tag, "min") + " to " + most
		}
		return "from " + bound(n.Tag, "min")
	case n.Tag.Get("max") != "" && n.Tag.Get("max") != "body":
		return "a text of " + bound(n.Tag, "max") + " bytes"
	}
	return "a text"
}

// standard says what holds where a field is not there.
func standard(n *Name) string {
	if need := n.Tag.Get("need"); need != "" {
		return "needed"
	}
	if target, isTarget := n.Tag.Lookup("target"); isTarget && target != "later" {
		return "needed"
	}
	return bound(n.Tag, "default")
}

// TestEndpoints has the list above be that of the document, as far as there is a struct.
func TestEndpoints(t *testing.T) {
	var want []string
	for path := range document(t).Paths.Map() {
		if wire.NewRequest(path) != nil {
			want = append(want, path)
		}
	}
	got := slices.Sorted(slices.Values(endpoints))
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q, of the document: %q", got, want)
	}
}

// TestNames wants one meaning for each name that a request takes.
func TestNames(t *testing.T) {
	for _, endpoint := range endpoints {
		request := wire.NewRequest(endpoint)
		if request == nil {
			t.Errorf("there is no request of %s", endpoint)
			continue
		}
		seen := map[string]string{}
		for _, n := range Names(request) {
			for _, name := range append([]string{n.Field}, n.Aliases...) {
				if seen[name] != "" {
					t.Errorf("%s: %s is %s and %s", endpoint, name, seen[name], n.Field)
				}
				seen[name] = n.Field
			}
		}
	}
}

// TestNearest has words that are no field, and what they were probably meant for.
func TestNearest(t *testing.T) {
	among := []string{"target", "limit", "max_tokens", "include_tests", "path", "q", "go", "erlang", "javascript"}
	for word, want := range map[string]string{
		"lmit": "limit", "taregt": "target", "maxtokens": "max_tokens", "include_test": "include_tests", "golang": "go",
		"java": "javascript", "paths": "path", "PATH": "path", "zzz": "", "": "", "x": "", strings.Repeat("limit", 100): "limit",
	} {
		if got := Nearest(word, among); got != want {
			t.Errorf("%.20q: %q, want %q", word, got, want)
		}
	}
}
