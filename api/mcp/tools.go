package mcp

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A tool is one endpoint, as a model sees it. Every word of it is paid for in every
// session: a test holds what all of them cost.
type tool struct {
	name     string
	about    string
	endpoint string
	fields   []field
	always   map[string]any // fields of the request that the model does not choose
	output   reflect.Type   // what is kept of the answer: its schema, too
}

// A field is an argument of a tool: the endpoint's field of that name.
type field struct {
	name     string
	kind     string // of JSON: string, integer or boolean
	about    string // "": the name says it
	required bool
	value    any // the default; nil: that of the endpoint, or none
	choices  []any
	own      bool // it is about the text, and not sent to the endpoint
	unlisted bool // it is taken, and not shown to a model: there is another way to say it
}

// Defaults that keep one call from filling a context. Asked for by name, more is given.
const (
	defaultTokens  = 2000
	defaultResults = 8
	defaultEntries = 30
)

const target = "name, Type.method, file:name or file:line"

func text(name, about string) field { return field{name: name, kind: "string", about: about} }

func number(name, about string, value any) field {
	return field{name: name, kind: "integer", about: about, value: value}
}

func needed(f field) field {
	f.required = true
	return f
}

// tools are in the order in which they are listed.
func tools() []tool {
	budget := number("max_tokens", "", defaultTokens)
	offset := number("offset", "from next_offset", nil)
	limit := number("limit", "", defaultEntries)
	return []tool{
		{
			name: "search", endpoint: "/search", output: reflect.TypeFor[found](),
			about: "Find code by meaning, words or names.",
			fields: []field{
				needed(text("query", "what the code does, or a name")),
				text("path", "only below this"),
				text("lang", ""),
				number("limit", "", defaultResults),
				{name: "code", kind: "boolean", about: "with source, within max_tokens", value: false, own: true},
				budget,
				{name: "explain", kind: "string", choices: []any{"short"}},
				{name: "rerank", kind: "boolean"},
			},
		},
		{
			name: "context", endpoint: "/context", output: reflect.TypeFor[around](),
			about:  "All one needs to work on a symbol: definition with source, callees, callers, types, tests.",
			fields: []field{needed(text("target", target+", or a question")), budget},
		},
		{
			name: "impact", endpoint: "/impact", output: reflect.TypeFor[affected](),
			about: "What a change may break: callers of callers, and tests to run. Of a target or a diff.",
			fields: []field{
				text("target", target),
				text("diff", "unified diff, in place of target"),
				{name: "git", kind: "boolean", about: "what is not committed, in place of both"},
				number("depth", "default all", nil), limit, offset,
			},
		},
		{
			name: "arch", endpoint: "/arch", output: reflect.TypeFor[architecture](),
			about: "Coupling of folders: layers, cycles and what to cut, broken rules.",
			fields: []field{
				text("section", "modules, matrix, cycles, hubs, violations, together, ..."), text("path", "only below this"), offset,
			},
		},
		{
			name: "calls", endpoint: "/calls", output: reflect.TypeFor[edges](),
			about: "Direct callers and callees of a symbol, with lines of the calls.",
			fields: []field{
				needed(text("target", target)),
				{name: "direction", kind: "string", value: "both", choices: []any{"callers", "callees", "both"}},
				number("depth", "", 1), limit, offset,
			},
		},
		{
			name: "definition", endpoint: "/definition", output: reflect.TypeFor[meaning](),
			about:  "What a name in a line means: where exactly that is defined.",
			fields: []field{needed(text("path", "")), needed(number("line", "", nil)), needed(text("name", "as the line has it"))},
		},
		{
			name: "references", endpoint: "/references", output: reflect.TypeFor[referenced](),
			about: "Every place that names a symbol, also a constant, field or type.",
			fields: []field{
				needed(text("target", target)), text("kind", "only read, write, call, type, import, ..."), limit, offset,
			},
		},
		{
			name: "dead", endpoint: "/dead", output: reflect.TypeFor[deadCode](),
			about:  "Code that nothing uses.",
			fields: []field{text("path", ""), limit, offset},
		},
		{
			name: "trace", endpoint: "/trace", output: reflect.TypeFor[traced](),
			about: "Chains of calls from one symbol to another; without to, what is around it.",
			fields: []field{
				needed(text("target", target)), text("to", target),
				number("depth", "without to", 1), number("limit", "", nil),
			},
		},
		{
			name: "slice", endpoint: "/slice", output: reflect.TypeFor[sliced](),
			about: "Lines that decide what a line does; forward: what it may change.",
			fields: []field{
				needed(text("target", "file:line")), text("variable", "only by way of it"),
				{name: "direction", kind: "string", value: "backward", choices: []any{"backward", "forward"}},
				number("depth", "calls to follow", 0), limit, offset,
			},
		},
		{
			name: "outline", endpoint: "/skeleton", output: reflect.TypeFor[outlined](),
			about: "Signatures without bodies, of a file, folder or class.",
			fields: []field{
				needed(text("target", "")),
				{name: "docs", kind: "boolean", about: "keep comments", value: true},
				budget, offset,
			},
			always: map[string]any{"lines": true},
		},
		{
			name: "read", endpoint: "/cat", output: reflect.TypeFor[read](),
			about:  "Lines of a file as it is on disk; the first 50 without start.",
			fields: []field{needed(text("path", "")), number("start", "", nil), number("end", "inclusive", nil)},
		},
		{
			name: "summarize", endpoint: "/summarize", output: reflect.TypeFor[summarized](),
			about: "Few lines on code or a text: give one of path, symbol, query and content.",
			fields: []field{
				text("path", "file or folder"), text("symbol", ""), text("query", ""), text("content", "any text"),
				{name: "level", kind: "string", about: "L0 least", choices: []any{"L0", "L1", "L2", "L3"}},
				number("max_tokens", "", nil),
			},
		},
		{
			name: "related", endpoint: "/related", output: reflect.TypeFor[found](),
			about: "Code that is like the code at a place.",
			fields: []field{
				text("target", "file:line, or a symbol"), text("path", "only below this"), number("limit", "", 5),
				{name: "file", kind: "string", unlisted: true}, {name: "line", kind: "integer", unlisted: true},
			},
		},
		{
			name: "status", endpoint: "/status", output: reflect.TypeFor[state](),
			about: "What is indexed, and whether it is current.",
		},
	}
}

// definition is what tools/list says of the tool.
func (t *tool) definition() *sdk.Tool {
	closed := false
	return &sdk.Tool{
		Name:         t.name,
		Description:  t.about,
		InputSchema:  t.input(),
		OutputSchema: schemaOf(t.output),
		Annotations:  &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed},
	}
}

func (t *tool) input() *jsonschema.Schema {
	in := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for _, f := range t.fields {
		if f.unlisted {
			continue
		}
		p := &jsonschema.Schema{Type: f.kind, Description: f.about, Enum: f.choices}
		if f.value != nil {
			p.Default, _ = json.Marshal(f.value) // a constant of the table
		}
		in.Properties[f.name] = p
		in.PropertyOrder = append(in.PropertyOrder, f.name)
		if f.required {
			in.Required = append(in.Required, f.name)
		}
	}
	return in
}

// schemaOf returns the schema of what a tool answers: its fields and, of its first list,
// those of the entries. More would cost a session more than the tools themselves do.
func schemaOf(output reflect.Type) *jsonschema.Schema {
	s, err := jsonschema.ForType(output, nil)
	if err != nil {
		panic(err) // of a type of this package; every test would see it
	}
	listed := false
	shorten(s, func(p *jsonschema.Schema) {
		if p.Items == nil || p.Items.Properties == nil {
			brief(p)
			return
		}
		if listed {
			p.Items = brief(p.Items)
			return
		}
		listed = true
		shorten(p.Items, func(p *jsonschema.Schema) { brief(p) })
		p.Items.Required = nil
	})
	return s
}

// shorten leaves out of an object's schema what a reader of JSON takes for granted, and
// has each field shortened.
func shorten(s *jsonschema.Schema, field func(*jsonschema.Schema)) {
	s.AdditionalProperties = nil
	for _, name := range s.PropertyOrder {
		p := s.Properties[name]
		if i := slices.Index(p.Types, "null"); i >= 0 && len(p.Types) == 2 {
			p.Type, p.Types = p.Types[1-i], nil
		}
		field(p)
	}
}

// brief leaves only the type of a schema.
func brief(s *jsonschema.Schema) *jsonschema.Schema {
	*s = jsonschema.Schema{Type: s.Type}
	return s
}
