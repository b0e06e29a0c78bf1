package code

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestNameWords(t *testing.T) {
	for name, want := range map[string]string{
		"validateToken": "validate token", "parse_header_block": "parse header block", "HTTPServer": "HTTP server", "MAX_IDLE": "max idle",
		"getHTTPResponse2": "get HTTP response2", "userIDs": "user ids", "__init__": "init", "": "", "x": "x", "élan_vital": "élan vital", "empty?": "empty",
	} {
		if got := strings.Join(nameWords(name), " "); got != want {
			t.Errorf("%q gives %q, want %q", name, got, want)
		}
	}
}

func TestAct(t *testing.T) {
	for name, want := range map[string]string{
		"parseHeader": "parses header", "isEmpty": "whether it is empty", "has_key": "whether it has key", "toJson": "converts to json",
		"newServer": "makes server", "onClick": "runs on click", "get_or_create": "gets or creates", "flush": "flushes", "copy": "copies",
		"http_parse_url": "parses url (http)", "queue_push": "pushes queue", "set_index": "sets index", "list_add": "adds list",
		"valid?": "whether it is valid", "include?": "whether it includes", "userCount": "user count", "__len__": "how many it holds", "lookupHost": "looks up host",
		"getUserById": "gets user by id", "bats_kill_processes_of": "kills processes of (bats)", "content_type": "content type",
		"http2_send_ping": "sends ping (http2)", "share_destroy": "destroys share", "bufq_is_empty": "whether bufq is empty", "try_lock": "tries to lock",
		"try_from": "tries to make server from", "recv_msg": "receives message", "conn_len": "connection length",
	} {
		if got := act(name, "Server"); got != want {
			t.Errorf("%q gives %q, want %q", name, got, want)
		}
	}
}

func TestSentence(t *testing.T) {
	for _, c := range []struct{ doc, name, want string }{
		{"Foo returns the bar of a baz. It is slow.", "Foo", "returns the bar of a baz"},
		{"Foo is a thing that holds bars.", "Foo", "a thing that holds bars"},
		{"The getUser method.", "getUser", ""},
		{"Gets the user", "getUser", ""},
		{"TODO: write this", "foo", ""},
		{"Foo TODO", "Foo", ""},
		{"Copyright 2020 Somebody.\nLicensed under the MIT License.\n\nParses things of all sorts.", "p", "parses things of all sorts"},
		{"-----\nReads a file, e.g. a log. Then more.", "x", "reads a file, e.g. a log"},
		{"<summary>\nSends a <see cref=\"T:Foo.Mail\"/> now.\n</summary>", "Send", "sends a Foo.Mail now"},
		{"@param x the x\n@return y", "foo", "returns y"},
		{"@param x the x", "foo", ""},
		{"cleanPath gives a path, eliminating . and .. elements. It is slow.", "cleanPath", "gives a path, eliminating . and .. elements"},
		{"RouteInfo represents a route.", "RouteInfo", "represents a route"},
		{"Negotiate contains all data.", "Negotiate", "contains all data"},
		{"overload 2: with hydration", "base", ""},
		{"Overloads of all kinds are told apart.", "base", "overloads of all kinds are told apart"},
		{"Type definitions for a shop\nOriginal definitions by: Ada B, Bob C\nNothing else", "x", "type definitions for a shop"},
		{"See `Bar`", "foo", ""},
		{"{@inheritDoc}", "foo", ""},
		{"This function is used to compute sums.", "foo", "compute sums"},
		{"Render (XML) encodes the object.", "Render", "encodes the object"},
		{"HTTP request of a client", "req", "HTTP request of a client"},
		{"Daniel Greenfeld wrote this", "x", "Daniel Greenfeld wrote this"},
		{"Package pool lends connections.", "", "lends connections"},
		{"[![b](x)](y)\n\n[Gin](https://x.y) is a web framework.", "", "gin is a web framework"},
		{"```\ncode here\n```\nSays something at last.", "", "says something at last"},
		{"# Safety\nThe caller must hold it.", "foo", ""},
		{"", "foo", ""},
		{"Returns a proxy of the object.\n\n@__NO_SIDE_EFFECTS__", "reactive", "returns a proxy of the object"},
		{"@__NO_SIDE_EFFECTS__", "reactive", ""},
		{"-*- Mode: C; tab-width: 4; indent-tabs-mode: nil -*-", "items", ""},
		{"-*- Mode: C; tab-width: 4 -*-\nmemcached - memory caching daemon", "memcached", "memory caching daemon"},
		{"Copyright (c) 2009, Redis Ltd.\nAll rights reserved.\n\nPortions of this file are available under BSD3 terms; see X.", "server", ""},
		{"THIS SOFTWARE IS PROVIDED BY THE AUTHOR AS IS AND ANY", "evrpc", ""},
		{"Neither the name of A nor the names of its contributors may be used to endorse", "x", ""},
		{"$OpenBSD: strlcpy.c,v 1.5 2001/05/13 15:40:16 deraadt Exp $", "strlcpy", ""},
		{"⚠️ **NOTICE:** All gin examples have been moved to [here](https://x.y)", "", ""},
		{"> **Command Line Argument Parser for Rust**", "lib", "Command Line Argument Parser for Rust"},
		{"Thread management for memcached.", "thread", "thread management for memcached"},
		{"@private exported by the core, but not\nexported from the main package", "Ref", ""},
		{"Parameters for the VSIM command.", "VSimParams", "parameters for the VSIM command"},
		{"dev only", "validate", ""},
		{"#1156 When a component reloads, its nodes are walked", "traverse", "when a component reloads, its nodes are walked"},
		{"n.b. base case is not used for actual typings", "observer", ""},
		{"Note: it must be closed.", "open", ""},
		{"See [https://x.y/z z] for detailed documentation.", "Config", ""},
		{"Obtained from: https://x.y/z", "validation", ""},
		{"[derive(Clone)]\nAn executor of tasks.", "Executor", "an executor of tasks"},
		{"@note It could be a union.", "iterator", ""},
		{"Caller owns the returned memory.", "edits", ""},
	} {
		if got := Sentence(c.doc, c.name); got != c.want {
			t.Errorf("%q gives %q, want %q", c.doc, got, c.want)
		}
	}
}

func TestLine(t *testing.T) {
	for _, c := range []struct {
		facts Facts
		want  string
	}{
		{Facts{Name: "validateToken", Kind: "function", Lang: "go", Signature: "func validateToken(raw string) (*Claims, error)",
			Text: "func validateToken(raw string) (*Claims, error) {\n\tparts := splitToken(raw)\n\tif !checkSignature(parts) { return nil, ErrSignature }\n\tlog.Info(\"x\")\n\treturn decodeClaims(parts)\n}"},
			"validates token (raw); calls splitToken, checkSignature, decodeClaims; returns Claims; raises ErrSignature"},
		{Facts{Name: "Foo", Kind: "function", Lang: "go"}, "foo"},
		{Facts{Name: "close", Kind: "method", Lang: "java", Doc: "Closes it, once and for all."}, "closes it, once and for all"},
		{Facts{Name: "deploy", Kind: "function", Lang: "python", Doc: "Deploys a release.", Text: "def deploy():\n  subprocess.run(['x'])\n  raise DeployError('no')"},
			"deploys a release; raises DeployError; runs a program"},
		{Facts{Name: "Color", Kind: "enum", Lang: "java", Fields: []string{"RED", "GREEN"}}, "color: one of RED, GREEN"},
		{Facts{Name: "Reader", Kind: "interface", Lang: "go", Methods: []string{"Read"}}, "reader: can Read"},
		{Facts{Name: "Pool", Kind: "class", Lang: "python", Bases: []string{"Base"}, Fields: []string{"size"}, Methods: []string{"acquire"}}, "pool: extends Base; holds size; does acquire"},
		{Facts{Name: "LIMIT", Kind: "constant", Lang: "go", Text: "LIMIT = 30 * time.Second"}, "limit = 30 * time.Second"},
		{Facts{Name: "test_rejects_expired", Kind: "function", Lang: "python", Test: true, Text: "def test_rejects_expired():\n  validate_token(x)"},
			"tests rejects expired; calls validate_token"},
		{Facts{Name: "__init__", Owner: "Pool", Kind: "method", Lang: "python", Signature: "def __init__(self, size, *, timeout=3):"}, "makes pool from size, timeout"},
		{Facts{Name: "run", Kind: "function", Lang: "rust", Bare: true}, ""},
		{Facts{Name: "Merged", Kind: "type", Lang: "typescript", Text: "type Merged = Omit<\n  Required<Parser>,\n  Optional\n> &\n  Pick<Parser, Optional>"},
			"merged: Omit<Required<Parser>, Optional>"},
		{Facts{Name: "Mode", Kind: "type", Lang: "typescript", Text: "type Mode =\n  | 'base'\n  | 'html'"}, "mode: 'base' | 'html'"},
	} {
		if got := Line(c.facts); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.facts.Name, got, c.want)
		}
	}
}

func TestReadSignature(t *testing.T) {
	for _, c := range []struct {
		lang, name, head string
		want             Signature
	}{
		{"go", "Do", "func (c *Client) Do(ctx context.Context, a, b string) (*Response, error)", Signature{[]Param{{"ctx", "context.Context"}, {"a", "string"}, {"b", "string"}}, "(*Response, error)"}},
		{"python", "f", "async def f(self, x: int = 3, *args, key=None) -> dict[str, int]:", Signature{[]Param{{"x", "int"}, {"args", ""}, {"key", ""}}, "dict[str, int]"}},
		{"typescript", "get", "async get<T>(path: string, opts?: Options<T>): Promise<T> {", Signature{[]Param{{"path", "string"}, {"opts", "Options<T>"}}, "Promise<T>"}},
		{"typescript", "is", "function is({ tag, props = [] }: Node, [first]: string[]): boolean {", Signature{[]Param{{"{tag, props = []}", "Node"}, {"[first]", "string[]"}}, "boolean"}},
		{"csharp", "Post", "public void Post([FromBody] int id)", Signature{[]Param{{"id", "[FromBody] int"}}, ""}},
		{"java", "put", "public Map<String, List<V>> put(final String key, V... values)", Signature{[]Param{{"key", "final String"}, {"values", "V..."}}, "Map<String, List<V>>"}},
		{"rust", "read", "pub fn read<'a>(&mut self, buf: &'a [u8]) -> io::Result<usize> where T: X", Signature{[]Param{{"buf", "&'a [u8]"}}, "io::Result<usize>"}},
		{"c", "open_it", "static struct conn *open_it(const char *name, int flags)", Signature{[]Param{{"name", "const char *"}, {"flags", "int"}}, "conn*"}},
		{"swift", "move", "func move(to point: Point, _ fast: Bool) -> Bool", Signature{[]Param{{"to", "Point"}, {"fast", "Bool"}}, "Bool"}},
		{"ruby", "add", "def add(item, count = 1)", Signature{[]Param{{"item", ""}, {"count", ""}}, ""}},
		{"php", "load", "public function load(string $id, ...$more): ?Session", Signature{[]Param{{"id", "string"}, {"more", ""}}, "?Session"}},
		{"haskell", "lookup", "lookup :: Ord k => k -> Map k a -> Maybe a", Signature{nil, "Maybe a"}},
		{"scala", "fold", "def fold[A, B](fa: F[A])(zero: B)(implicit F: Foldable[F]): B =", Signature{[]Param{{"fa", "F[A]"}, {"zero", "B"}, {"F", "Foldable[F]"}}, "B"}},
		{"c", "upcast", "#define upcast(bev)", Signature{[]Param{{"", "bev"}}, ""}},
		{"go", "x", "", Signature{}},
	} {
		if d := cmp.Diff(c.want, ReadSignature(c.lang, c.name, c.head)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.head, d)
		}
	}
}

func TestNotes(t *testing.T) {
	got := Notes([]string{
		"Reads a line. The caller must hold mu. It is fast.",
		"Not safe for concurrent use by several goroutines.",
		"nothing to see here",
		"Copyright 2020. You must not use it.",
		"It takes O(n log n) time for n names.",
	}, 5)
	want := []string{"the caller must hold mu", "not safe for concurrent use by several goroutines", "it takes O(n log n) time for n names"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// A text is never longer than it may be, and never cut without saying so.
func TestFileTexts(t *testing.T) {
	f := FileFacts{Path: "a/token.go", Lang: "go", Head: "JWT tokens of HS256, which are made here and believed nowhere else.", More: 7, Reads: []string{"x (y.go)"}, Notes: []string{"must be held"}}
	for _, n := range []string{"makeToken", "checkToken", "splitToken", "signToken", "readToken"} {
		f.Symbols = append(f.Symbols, SymbolFacts{Name: n, Kind: "function", Line: act(n, ""), Bare: "calls x", Head: Signature{[]Param{{"raw", "string"}}, "Claims"}})
	}
	for most := 20; most < 1500; most += 37 {
		for _, text := range []string{FileLine(f, most), FileDetail(f, most)} {
			if n := utf8.RuneCountInString(text); n > most || n == 0 {
				t.Errorf("%d characters instead of %d: %q", n, most, text)
			}
		}
	}
	if got, want := FileDetail(f, 2000), "JWT tokens of HS256, which are made here and believed nowhere else\n  Key functions:\n    makeToken(raw) -> Claims: calls x\n"; !strings.HasPrefix(got, want) {
		t.Errorf("%q", got)
	}
	f.Head = ""
	if got := FileLine(f, 120); got != "makeToken, checkToken, splitToken, signToken, readToken" {
		t.Errorf("%q", got)
	}
}

func FuzzLine(f *testing.F) {
	f.Add("parse", "python", "def parse(x):", "Parses. It.", "def parse(x):\n  return '")
	f.Add("", "", "", "((", "\"\"\"")
	f.Fuzz(func(t *testing.T, name, lang, head, doc, text string) {
		for _, kind := range []string{"function", "class", "constant"} {
			for _, test := range []bool{false, true} {
				line := Line(Facts{Name: name, Lang: lang, Kind: kind, Signature: head, Doc: doc, Text: text, Test: test, Owner: name})
				if utf8.RuneCountInString(line) > maxLine || strings.Contains(line, "\n") && !strings.Contains(name, "\n") {
					t.Errorf("%q", line)
				}
			}
		}
	})
}
