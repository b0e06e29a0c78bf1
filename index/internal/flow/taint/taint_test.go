package taint

import (
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	for src, want := range map[string]string{
		"r.URL.Query().Get":                "r.URL.Query().Get",
		"request.args['x (y']":             "request.args[]",
		"$this->db->query":                 "$this.db.query",
		"std::env::args":                   "std.env.args",
		"a?.b?.[0]!.c":                     "a.b[].c",
		"$a?->b":                           "$a.b",
		"new\tFile":                        "newFile",
		"new File":                         "File",
		"newFile":                          "newFile",
		"db\n  .where(x => x > 1)\n  .get": "db.where().get",
		`" ".join`:                         `"".join`,
	} {
		if got := Name([]byte(src)); got != want {
			t.Errorf("%q is %q, not %q", src, got, want)
		}
	}
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		matches, part bool
	}{
		{"*.FormValue", "r.FormValue", true, true},
		{"*.FormValue", "FormValue", false, false},
		{"req.query", "req.query.id", false, true},
		{"req.query", "req.query[].id", false, true},
		{"req.query", "req.queryAll", false, false},
		{"*request.args", "flask.request.args[]", false, true},
		{"*.Query().Get(0)", "r.URL.Query().Get", true, true},
		{"std::env::args", "std.env.args", true, true},
		{"$request->input", "$request.input", true, true},
		{"a*b*c", "a1b2c", true, true},
		{"a*b*c", "ab", false, false},
	} {
		p, err := Parse(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if p.Matches(c.name) != c.matches || p.MatchesPart(c.name) != c.part {
			t.Errorf("%s, %s: %v and %v", c.pattern, c.name, p.Matches(c.name), p.MatchesPart(c.name))
		}
	}
	for _, text := range []string{"", "*", "*.*", "f(x)", "f(2-1)", "f{x}", "f{x:y}", "@", "func:"} {
		if p, err := Parse(text); err == nil {
			t.Errorf("%q is %+v", text, p)
		}
	}
}

func TestPositions(t *testing.T) {
	p, err := Parse(`exec(0,2-)?child_process`)
	if err != nil || p.Needs != "child_process" || !p.At(0) || p.At(1) || !p.At(7) || p.At(Receiver) {
		t.Errorf("%+v, %v", p, err)
	}
	p, err = Parse("*.decode(.>0)")
	if err != nil || !p.Carries(Receiver, 0) || p.Carries(0, Receiver) || p.Carries(Receiver, 1) {
		t.Errorf("%+v, %v", p, err)
	}
	p, err = Parse(`*.where(0){0:"*|'*|!*=>*}`)
	if err != nil || !p.Fits([]string{`"a"`}) || p.Fits([]string{"a"}) || p.Fits([]string{`"a" => 1`}) || p.Fits(nil) {
		t.Errorf("%+v, %v", p, err)
	}
	p, err = Parse(`run(0){*:shell=True}`)
	if err != nil || !p.Fits([]string{"a", "shell=True"}) || p.Fits([]string{"a"}) {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestRead(t *testing.T) {
	table, err := Read("# a table\nsources request\n\ta b(0)\n\t# more\n\tc\nsinks exec\n\td\nsanitizers *\n\te\ncarriers\n\tf(0>1)\n")
	if err != nil || len(table.Sources[Request]) != 3 || len(table.Sinks[Exec]) != 1 || len(table.Sanitizers[All]) != 1 || len(table.Carriers) != 1 {
		t.Errorf("%+v, %v", table, err)
	}
	for text, want := range map[string]string{"\ta\n": "line 1: a pattern without a group", "sinks\n": "line 1: \"sinks\" begins no group", "sinks exec\n\t*\n": "line 2: *: it names nothing"} {
		if _, err := Read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Whatever a pattern is, it is read or refused, and what it matches ends with its last word.
func FuzzPattern(f *testing.F) {
	f.Add("*.where(0){0:!*=>*}?rails", "User.where")
	f.Add("@app.route", "app.route")
	f.Add("word:<?=", "x")
	f.Add("`", "a")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		p, err := Parse(pattern)
		if err != nil {
			return
		}
		name = Name([]byte(name))
		if last := p.Last(); last != "" && p.Matches(name) && !strings.Contains(name, last) {
			t.Errorf("%q matches %q", pattern, name)
		}
		p.MatchesPart(name)
		p.Words()
		p.Fits([]string{name})
	})
}
