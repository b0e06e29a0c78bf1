package command

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestFields holds names to fields where the clients' words differ from the endpoint's.
// The order of the names is that of llm-tldr first, then that of a line's words.
func TestFields(t *testing.T) {
	for _, tc := range []struct{ name, params, want string }{
		{"semantic", `{"q":"a","pattern":"b"}`, `{"pattern":"b","query":"a"}`},
		{"semantic", `{"queries":["a"],"top_k":"3"}`, `{"limit":"3","queries":["a"]}`},
		{"context", `{"entry":"f","query":"g"}`, `{"query":"g","target":"f"}`},
		{"calls", `{"target":""}`, `{}`},
		{"calls", `{"target":null,"func":""}`, `{}`},
		{"trace", `{"query":"f","file":"a.go","target":"g"}`, `{"target":"a.go:f","to":"g"}`},
		{"related", `{"path":"a.go","line":3}`, `{"file":"a.go","line":3}`},
		{"related", `{"file":"a.go","line":3,"path":"src"}`, `{"file":"a.go","line":3,"path":"src"}`},
		{"structure", `{"file":"a.go","language":"typescript"}`, `{"lang":["typescript","tsx"],"path":"a.go"}`},
		{"structure", `{"lang":"all"}`, `{}`},
		{"structure", `{"lang":["go"],"language":"rust"}`, `{"lang":["go"],"language":"rust"}`},
		{"structure", `{"lang":7}`, `{"lang":7}`},
		{"importers", `{"module":"os","path":"src","language":"c#"}`, `{"lang":"csharp","module":"os","path":"src"}`},
		{"importers", `{"query":"os","target":"src"}`, `{"module":"os","path":"src"}`},
		{"imports", `{"query":"a.go"}`, `{"path":"a.go"}`},
		{"extract", `{"file":"a.go","class":"C"}`, `{"file":"a.go","target":"C"}`},
		{"skeleton", `{"symbol":"C"}`, `{"target":"C"}`},
		{"summarize", `{"path":"a","query":""}`, `{"path":"a"}`},
		{"change_impact", `{"file":"a.go"}`, `{"files":"a.go"}`},
		{"cfg", `{"file":"a.go","function":"f"}`, `{"target":"a.go:f"}`},
		{"definition", `{"query":"a.go:12:8"}`, `{"column":"8","line":"12","path":"a.go"}`},
		{"definition", `{"query":"a.go:12","target":"f"}`, `{"line":"12","name":"f","path":"a.go"}`},
		{"definition", `{"file":"a.go","line":12,"column":8}`, `{"column":8,"line":12,"path":"a.go"}`},
		{"definition", `{"path":"a:b:7","line":12,"name":"f"}`, `{"line":12,"name":"f","path":"a:b:7"}`},
		{"definition", `{"path":"a:b"}`, `{"path":"a:b"}`},
		{"ping", `{"x":{"y":[1]}}`, `{"x":{"y":[1]}}`},
	} {
		var params map[string]any
		if err := json.Unmarshal([]byte(tc.params), &params); err != nil {
			t.Fatal(err)
		}
		c, ok := All()[tc.name]
		if got, err := json.Marshal(c.Fields(params)); !ok || err != nil || string(got) != tc.want {
			t.Errorf("%s %s: %s, %v, want %s", tc.name, tc.params, got, err, tc.want)
		}
	}
}

// TestMissing has llm-tldr's words for what is not there, and none for what is there
// under another name.
func TestMissing(t *testing.T) {
	for _, tc := range []struct{ name, params, want string }{
		{"search", `{}`, "Missing required parameter: pattern"},
		{"search", `{"queries":["a"]}`, ""},
		{"impact", `{"func":""}`, "Missing required parameter: func"},
		{"impact", `{"diff":"x"}`, ""},
		{"context", `{"file":"a.go"}`, ""},
		{"extract", `{"file":"a.go"}`, ""},
		{"slice", `{}`, "Missing required parameters: file, function, line"},
		{"slice", `{"target":"a.go:3"}`, ""},
		{"definition", `{"line":1}`, "Missing required parameter: file"},
		{"calls", `{}`, ""},
	} {
		var params map[string]any
		if err := json.Unmarshal([]byte(tc.params), &params); err != nil {
			t.Fatal(err)
		}
		c := All()[tc.name]
		if got := c.Missing(c.Fields(params)); got != tc.want {
			t.Errorf("%s %s: %q, want %q", tc.name, tc.params, got, tc.want)
		}
	}
}

// TestAll wants one place for an answer: an endpoint, or the Unix socket,
// which has few commands of its own.
func TestAll(t *testing.T) {
	for name, c := range All() {
		if c.Endpoint != "" && !strings.HasPrefix(c.Endpoint, "/") {
			t.Errorf("%s: %+v", name, c)
		}
		for _, n := range []names{c.first, c.second} {
			if n.field != "" && !slices.Contains(n.aliases, n.field) {
				t.Errorf("%s: %s is no name of itself", name, n.field)
			}
		}
	}
	own := Names(func(c Command) bool { return c.Endpoint == "" })
	if want := []string{"change_impact", "shutdown", "track", "tree"}; !slices.Equal(own, want) {
		t.Errorf("of the socket alone: %v, want %v", own, want)
	}
}
