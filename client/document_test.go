package client

import (
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
)

// methods has those of the Client for each operation of openapi.yaml. What they send and give
// is of package wire, which is held to the document there.
var methods = map[string][]any{
	"POST /search":            {(*Client).Search, (*Client).SearchAll},
	"POST /related":           {(*Client).Related},
	"POST /structure":         {(*Client).Structure},
	"POST /skeleton":          {(*Client).Skeleton},
	"POST /extract":           {(*Client).Extract, (*Client).Outline},
	"POST /imports":           {(*Client).Imports},
	"POST /arch":              {(*Client).Arch},
	"POST /calls":             {(*Client).Calls},
	"POST /impact":            {(*Client).Impact},
	"POST /context":           {(*Client).Context},
	"POST /cfg":               {(*Client).Control},
	"POST /dfg":               {(*Client).Data},
	"POST /diagnostics":       {(*Client).Diagnostics},
	"POST /slice":             {(*Client).Slice},
	"POST /graph":             {(*Client).Graph},
	"POST /map":               {(*Client).Map},
	"POST /flows":             {(*Client).Flows},
	"POST /dead":              {(*Client).Dead},
	"POST /definition":        {(*Client).Definition},
	"POST /references":        {(*Client).References},
	"POST /trace":             {(*Client).Trace},
	"POST /startup":           {(*Client).Startup},
	"POST /summarize":         {(*Client).Summarize},
	"POST /grep":              {(*Client).Grep},
	"POST /cat":               {(*Client).Cat},
	"POST /find":              {(*Client).Find},
	"GET /handles":            {(*Client).Handles},
	"GET /handles/{id}":       {(*Client).Handle},
	"POST /invalidate":        {(*Client).Invalidate},
	"POST /reindex":           {(*Client).Reindex},
	"GET /projects":           {(*Client).Projects},
	"POST /projects":          {(*Client).AddProject},
	"DELETE /projects/{name}": {(*Client).RemoveProject},
	"POST /verify":            {(*Client).Verify},
	"GET /events":             {(*Client).Events},
	"GET /health":             {(*Client).Health},
	"GET /ready":              {(*Client).Ready},
	"GET /status":             {(*Client).Status},
	"GET /coach/report":       {(*Client).CoachReport},
	"GET /version":            {(*Client).Version},
	"GET /tools":              {(*Client).Tools},
	"POST /tools/{name}":      {(*Client).CallTool},
}

// leftOut are operations that the Client does not have, and why.
var leftOut = map[string]string{
	"GET /metrics":      "for Prometheus",
	"GET /":             "for browsers",
	"GET /openapi.yaml": "for tools",
	"POST /rpc":         "for the relay",
	"POST /relay":       "for the relay",
	"POST /mcp":         "for MCP's clients",
}

// asked are the fields of URLs that the Client sends, where there is no POST; strict is for those who
// write names.
var asked = map[string][]string{
	"GET /handles":      {"agent_id", "session_id"},
	"GET /handles/{id}": {"agent_id", "chunk", "session_id", "timeout_ms"},
	"GET /ready":        {"project"},
	"GET /status":       {"project", "skipped"},
	"GET /events":       {"project"},
}

// TestMethods holds the methods to openapi.yaml, in both directions: who adds an endpoint
// there adds one here.
func TestMethods(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromFile("../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			name := method + " " + path
			seen[name] = true
			if method == "GET" && item.Post != nil && path != "/projects" || leftOut[name] != "" {
				continue // the same, for a URL
			}
			if len(methods[name]) == 0 {
				t.Errorf("the client has no method for %s", name)
			}
			var fields []string
			for _, p := range op.Parameters {
				if p.Value.In == "query" && p.Value.Name != "format" && p.Value.Name != "strict" && method == "GET" {
					fields = append(fields, p.Value.Name)
				}
			}
			slices.Sort(fields)
			if diff := cmp.Diff(fields, asked[name]); diff != "" {
				t.Errorf("fields of %s (-openapi.yaml +client):\n%s", name, diff)
			}
		}
	}
	for name := range methods {
		if !seen[name] {
			t.Errorf("the client has a method for %s, which openapi.yaml does not have", name)
		}
	}
	for name := range leftOut {
		if !seen[name] {
			t.Errorf("the client leaves out %s, which openapi.yaml does not have", name)
		}
	}
}
