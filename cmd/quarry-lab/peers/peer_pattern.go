package peers

import (
	"encoding/json"
	"fmt"
)

// astGrepPeer matches patterns of syntax, without an index.
func astGrepPeer() peer {
	languages := map[string]string{"python": "Python", "go": "Go", "typescript": "TypeScript"}
	return peer{
		name: "ast-grep", from: "ast-grep-cli (PyPI)", programs: []string{"ast-grep"}, version: []string{"--version"},
		remark: "no index",
		callers: func(p place, language, _, symbol string) step {
			name := lastName(symbol)
			rule := fmt.Sprintf("{id: c, language: %s, rule: {any: [{pattern: %s($$$)}, {pattern: $O.%s($$$)}]}}", languages[language], name, name)
			if language == "go" { // where a call alone is parsed as a conversion
				rule = fmt.Sprintf("{id: c, language: Go, rule: {kind: call_expression, has: {field: function, regex: '(^|\\.)%s$'}}}", name)
			}
			return step{args: []string{"ast-grep", "scan", "--inline-rules", rule, "--json=compact", p.root}}
		},
		called: func(p place, symbol string, out []byte) []caller {
			var all []struct {
				File  string
				Range struct{ Start struct{ Line int } }
			}
			if json.Unmarshal(out, &all) != nil {
				return nil
			}
			var sites []site
			for _, m := range all {
				sites = append(sites, site{p.relative(m.File), m.Range.Start.Line + 1})
			}
			return enclosing(p, symbol, sites)
		},
	}
}

// semgrepPeer matches patterns of syntax, without an index.
func semgrepPeer() peer {
	return peer{
		name: "semgrep", from: "semgrep (PyPI)", programs: []string{"semgrep"}, version: []string{"--version"},
		remark: "no index",
		callers: func(p place, language, _, symbol string) step {
			return step{args: []string{"semgrep", "scan", "--metrics", "off", "--disable-version-check", "--quiet", "--json",
				"--lang", language, "-e", lastName(symbol) + "(...)", p.root}}
		},
		called: func(p place, symbol string, out []byte) []caller {
			var a struct {
				Results []struct {
					Path  string
					Start struct{ Line int }
				}
			}
			if json.Unmarshal(out, &a) != nil {
				return nil
			}
			var sites []site
			for _, m := range a.Results {
				sites = append(sites, site{p.relative(m.Path), m.Start.Line})
			}
			return enclosing(p, symbol, sites)
		},
	}
}
