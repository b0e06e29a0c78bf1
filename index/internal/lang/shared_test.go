package lang

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/internal/syntax/glr"
)

// TestParsersDoNotDisturbEachOther parses texts that leave a scanner in the middle
// of something, at once and one after the other, in every language that has a
// grammar with a scanner of its own.
func TestParsersDoNotDisturbEachOther(t *testing.T) {
	texts := map[string][]string{
		"lua": {
			"local M = {}\nM.a = [==[ long \" string ]==]\nfunction M.first() return 'x' end\n--[[ a 'comment' ]]\nfunction M.second() end\n",
			"local x = \"it's\"\nfunction third() return \"]]\" end\nlocal function fourth() end\n",
			"function broken() return \"never ended\n",
		},
		"python": {"def a():\n    return f'{b}'\n\nclass C:\n    def d(self):\n        pass\n", "x = \"\"\"open\ndef e():\n"},
		"ruby":   {"def a\n  x = <<~EOS\n    text\n  EOS\nend\ndef b; end\n", "x = <<~OPEN\n  never ended\n"},
		"bash":   {"a() {\n  cat <<EOF\ntext\nEOF\n}\nb() { :; }\n", "cat <<OPEN\nnever ended\n"},
	}
	alone := map[string]syntax.File{}
	for language, list := range texts {
		for _, text := range list {
			p := NewParser()
			alone[language+text] = p.Parse(language, []byte(text))
			p.Close()
		}
	}
	if n := len(alone["lua"+texts["lua"][0]].Symbols); n < 3 {
		t.Fatalf("%d symbols in Lua", n)
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	wrong := map[string]string{}
	for worker := range 4 {
		group.Go(func() {
			p := NewParser()
			defer p.Close()
			for round := range 40 {
				for language, list := range texts {
					for i := range list {
						text := list[(i+worker+round)%len(list)]
						if diff := cmp.Diff(alone[language+text], p.Parse(language, []byte(text))); diff != "" {
							mu.Lock()
							wrong[fmt.Sprintf("%s %.30q", language, text)] = diff
							mu.Unlock()
						}
					}
				}
			}
		})
	}
	group.Wait()
	for text, diff := range wrong {
		t.Errorf("%s (-alone +with others):\n%s", text, strings.TrimSpace(diff))
	}
}

// Parsers of several goroutines, and the binding's alongside them, do not disturb each
// other, whatever thread they run on.
func TestParsersApart(t *testing.T) {
	src := []byte(strings.Repeat(benchSource, 20))
	p := NewParser()
	defer p.Close()
	want, tree := p.ParseTree("go", src)
	nodes := tree.Len()
	if len(want.Symbols) == 0 || nodes == 0 {
		t.Fatal("nothing parsed")
	}
	_, g := grammar(t, "go")
	var group sync.WaitGroup
	for n := range 4 {
		group.Go(func() {
			p, library := NewParser(), glr.NewParser()
			defer p.Close()
			defer library.Close()
			for i := range 30 {
				text := src[:len(src)/(1+(i+n)%5)]
				if i%3 == n%3 {
					if _, result := library.ByLibrary(nil, g, text); result == glr.Late {
						t.Error("late")
					}
				}
				p.ParseTree("python", text)
				if _, tree := p.ParseTree("go", src); tree.Len() != nodes {
					t.Errorf("%d nodes, want %d", tree.Len(), nodes)
				}
			}
		})
	}
	group.Wait()
}
