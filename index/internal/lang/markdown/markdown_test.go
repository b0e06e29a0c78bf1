package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// TestMarkdownHeadings says what is a heading: by CommonMark, but for metadata and tables.
func TestMarkdownHeadings(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		want      string // the level and the name of each, and a comma between
	}{
		{"number signs", "# a\n###### b\n####### c\n#d\n\\# e\n", "1 a, 6 b"},
		{"spaces", "   #\ta \n    # b\n\n    # c\n", "1 a"},
		{"closing signs", "## a ##\n# b #####  \n# c#\n# d \\#\n# e # f\n# g\t#\n", "2 a, 1 b, 1 c#, 1 d \\#, 1 e # f, 1 g"},
		{"nothing in it", "#\n## ##\n### ###\n# #\n", ""},
		{"in a paragraph", "a\n# b\nc\n", "1 b"},
		{"ends of lines", "# a\r\n# b\r# c", "1 a, 1 b, 1 c"},
		{"byte order mark", "\uFEFF# a\n", "1 a"},

		{"underlined", "a\n=\nb\n-\n  c\n ----  \n", "1 a, 2 b, 2 c"},
		{"several lines", "a\n  b\nc\n===\n", "1 a b c"},
		{"no underline", "a\n= =\nb\n    ---\nc\n==-\n", ""},
		{"nothing above", "\n---\n===\n# a\n---\n", "1 a"},
		{"a break", "a\n***\nb\n___\nc\n- - -\n", ""},
		{"closing signs stay", "C #\n===\n", "1 C #"},
		{"a number sign in it", "#5 a\n---\n", "2 #5 a"},
		{"code above", "    a\n---\n\n    b\n===\n", ""},

		{"fence", "```\n# a\n``\n~~~\n# b\n````\n# c\n", "1 c"},
		{"tildes", "~~~ a`b\n# a\n~~~ b\n# c\n~~~\n# d\n", "1 d"},
		{"no fence", "``` a`b\n# a\n``\n# b\n", "1 a, 1 b"},
		{"fence that is indented", "  ```\n# a\n    ```\n# b\n   ```\n# c\n", "1 c"},
		{"fence without an end", "```\n# a\n", ""},
		{"fence in a list", "- ```\n  # a\n# b\n", "1 b"},
		{"fence in a quote", "> ```\n> # a\n\n# b\n", "1 b"},

		{"quote", "> # a\n>## b\n> > c\n> > ===\n", "1 a, 2 b, 1 c"},
		{"an underline outside of the quote", "> a\n---\n> b\n===\n", ""},
		{"code in a quote", ">     # a\n>\t# b\n", "1 b"},
		{"list", "- # a\n* b\n  ===\n10) # c\n\n    ## d\n", "1 a, 1 b, 1 c, 2 d"},
		{"an underline outside of the item", "- a\n---\n- b\n===\n", ""},
		{"content of an item", "1.  a\n\n    # b\n\n   # c\n", "1 b, 1 c"},
		{"code in an item", "-     # a\n- b\n\n      # c\n\n  # d\n", "1 d"},
		{"an empty item", "-\n  # a\n-\n\n  # b\n", "1 a, 1 b"},
		{"an empty item ends", "-\n\n      # a\n", ""},
		{"no item", "a\n2. b\n=\n", "1 a 2. b"},
		{"an item after an item", "1. a\n2. # b\n", "1 b"},
		{"ten digits", "1234567890. a\n===\n", "1 1234567890. a"},
		{"tabs", "-\t# a\n\n\t# b\n\n\t    # c\n>\t\t# d\n", "1 a, 1 b"},

		{"pre", "<pre>\n\n# a\n</pre> # b\n# c\n", "1 c"},
		{"script on one line", "<SCRIPT></script>\n# a\n", "1 a"},
		{"comment", "<!-- a\n\n# b\n-->\n# c\n<!-->\n# d\n", "1 c, 1 d"},
		{"instruction", "<?a\n\n# b\n?>\n# c\n", "1 c"},
		{"declaration", "<!A\n\n# b\n>\n# c\n", "1 c"},
		{"character data", "<![CDATA[\n# a\n]]>\n# b\n", "1 b"},
		{"block element", "a\n</DIV\n# b\n\n# c\n<hr/>\n# d\n", "1 c"},
		{"tag on a line", "<a b='c' d=e f>\n# g\n\n</i >\n# h\n\n<b/> \n# k\n", ""},
		{"no block", "<a> b\n# c\n\n<a b=>\n# d\n\na\n<b>\n# e\n\n<1>\n# f\n", "1 c, 1 d, 1 e, 1 f"},

		{"definition of a link", "[a]: b\n===\n[c]: d\n---\n# e\n", "2 === [c]: d, 1 e"},
		{"definitions before a heading", "[a]: b\n[c]:\n  <d e>\n  \"f\n  g\"\nh\n===\n", "1 h"},
		{"in a quote", "> [a]:\n> b\n> c\n> ---\n", "2 c"},
		{"no title", "[a]: b 'c' d\n===\n\n[a]: b\n'c' d\n===\n", "1 [a]: b 'c' d, 1 'c' d"},
		{"no definition", "[a] : b\n=\n[]: b\n=\n[a[]: b\n=\n[a]: <b\n=\n[a]: b)\n=\n[a]:\n=\n", "1 [a] : b, 1 []: b, 1 [a[]: b, 1 [a]: <b, 1 [a]: b), 1 [a]:"},

		{"metadata", "---\n# a\n--- \n# b\n---\n# c\n---\n", "1 b, 1 c"},
		{"metadata of TOML", "+++\n# a\n+++", ""},
		{"metadata without an end", "---\n# a\n", "1 a"},
		{"no metadata", "\n---\n# a\n---\n+++\n# b\n+++\n", "1 a, 1 b"},

		{"table", "a | b\n--|--\nc | d\n---\n# e\n\nf | g\nh\n---\n", "1 e, 2 f | g h"},
		{"too deep", strings.Repeat("> ", maxContainers) + "# a\n" + strings.Repeat(">", maxContainers+1) + "# b\n", "1 a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, _ := scan([]byte(tt.src))
			var got []string
			for _, d := range found.Definitions {
				_, name := syntax.OneLine(tt.src[d.Name.Start:d.Name.End])
				got = append(got, fmt.Sprint(d.Level, " ", strings.ReplaceAll(name, " > ", " ")))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
