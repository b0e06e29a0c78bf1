package mention

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/internal/lang"
)

// Where a name stands is the same whether it is looked for alone, with few others or with many.
func TestEach(t *testing.T) {
	src := []byte("go(go1, ago)\nx.go<int>(1); y = go\n go (2)\n")
	for names, want := range map[string]string{
		"go":     "go 1:1 call, go 2:3 call member, go 2:19, go 3:2 call",
		"x go y": "go 1:1 call, x 2:1, go 2:3 call member, y 2:15, go 2:19, go 3:2 call",
	} {
		for _, others := range []string{"", " other", " one two three four five"} {
			var got []string
			Of(strings.Fields(names+others)).Each(src, func(m Mention) bool {
				text := fmt.Sprintf("%s %d:%d", m.Name, m.Line, m.Column)
				if m.Call {
					text += " call"
				}
				if m.Member {
					text += " member"
				}
				got = append(got, text)
				return true
			})
			if strings.Join(got, ", ") != want {
				t.Errorf("%s%s: %q", names, others, got)
			}
		}
	}
}

func TestRoleAt(t *testing.T) {
	for _, tc := range []struct {
		lang, src string
		want      []Role
	}{
		{"go", "package p\n// f()\nfunc f() { f(); _ = \"f()\" }\n", []Role{Textual, Declared, Used, Textual}},
		{"python", "def f():\n    'f()'\n    return f'{f()}'\n", []Role{Declared, Textual, Used}},
		{"c", "int f(int);\n#define M f(1)\nint g(void) { return f(2); }\n", []Role{Declared, Used, Used}},
		// What does not parse makes a string of what stands between two.
		{"kotlin", "class A { fun g() { val v = V { enum(\"x\", \"y\") }\n f(\"a\")\n f(\"\") } }\n", []Role{Used, Used}},
		{"java", "class A { void f() { this.f(); } }\n", []Role{Declared, Used}},
	} {
		p := lang.NewParser()
		_, tree := p.ParseTree(tc.lang, []byte(tc.src))
		var got []Role
		Of([]string{"f"}).Each([]byte(tc.src), func(m Mention) bool {
			if m.Call {
				got = append(got, RoleAt(tree, m.Offset))
			}
			return true
		})
		p.Close()
		if fmt.Sprint(got) != fmt.Sprint(tc.want) {
			t.Errorf("%s: %v, want %v", tc.lang, got, tc.want)
		}
	}
}

// What InComment says of a place the syntax says, too.
func TestInComment(t *testing.T) {
	const src = `package p

// f()
var a = 1 // f()
var b = "//" + f()
var c = '"' // f()
/* f() // */ var d = f()
/*
 * f()
 f() // */ var e = f() // f() /*
var g = f() / f() // f() + "f()"
`
	p := lang.NewParser()
	defer p.Close()
	_, tree := p.ParseTree("go", []byte(src))
	var got []int
	Words([]byte(src), func(m Mention) bool {
		if m.Name == "f" && InComment("go", []byte(src), m.Offset) {
			if got = append(got, m.Line); RoleAt(tree, m.Offset) != Textual {
				t.Errorf("%d:%d is code", m.Line, m.Column)
			}
		}
		return true
	})
	if fmt.Sprint(got) != "[3 4 7 9 11 11]" {
		t.Errorf("in comments: %v", got)
	}
}

// TestNoUse asks of each word in the Go files of this repository, and in some that are hard to read by
// their lines: what is no use without reading the syntax is none by it.
func TestNoUse(t *testing.T) {
	hard := "package p\n\nvar a = `\n\"f() \" + f()\n\" + f()` + f(\"f() \\\" f()\", '\"', f())\n" +
		"/* \"f() */ var b = f(\"f\") + f(\"/* f\")\n\nfunc (x *T[K]) f(f func(), g (int)) { f() }\n\nfunc f() { f(func (x T) f() {}) }\n"
	texts := [][]byte{[]byte(hard)}
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		texts = append(texts, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	p := lang.NewParser()
	defer p.Close()
	said, code := 0, 0
	for _, text := range texts {
		_, tree := p.ParseTree("go", text)
		Words(text, func(m Mention) bool {
			use := RoleAt(tree, m.Offset) == Used
			no := NoUse("go", text, m.Offset)
			if use && no {
				t.Errorf("%q is a use in %.60s", m.Name, text[max(0, m.Offset-30):])
			}
			if no {
				said++
			} else if use {
				code++
			}
			return !t.Failed()
		})
	}
	if said == 0 || code == 0 {
		t.Errorf("%d words are no uses, and %d are", said, code)
	}
}

// A file may end with the name that is looked for.
func TestInertAtTheEnd(t *testing.T) {
	p := lang.NewParser()
	defer p.Close()
	for text, want := range map[string]bool{
		"export const f = (key = 'last') => key":  false,
		"export const f = (key = 'last') => key1": true,
	} {
		_, tree := p.ParseTree("typescript", []byte(text))
		if got := Inert(tree, []byte(text), strings.Index(text, "last")); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
