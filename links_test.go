package quarry_test

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	markdownLink    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	markdownHeading = regexp.MustCompile(`^#{1,6} +(.*?) *#*$`)
	inlineCode      = regexp.MustCompile("`[^`]*`")
)

// prose returns the lines of a Markdown page; those of code blocks are empty.
func prose(text string) []string {
	lines := strings.Split(text, "\n")
	fenced := false
	for i, line := range lines {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if fenced || fence {
			lines[i] = ""
		}
		fenced = fenced != fence
	}
	return lines
}

// anchors returns the fragments by which the headings of a page can be linked to, as
// GitHub makes them: lower case, spaces become hyphens, punctuation goes.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for _, line := range prose(text) {
		heading := markdownHeading.FindStringSubmatch(line)
		if heading == nil {
			continue
		}
		shown := regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`).ReplaceAllString(heading[1], "$1")
		slug := strings.Map(func(r rune) rune {
			switch {
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			case r == ' ':
				return '-'
			}
			return -1
		}, shown)
		name := slug
		for n := 1; all[name]; n++ {
			name = fmt.Sprintf("%s-%d", slug, n)
		}
		all[name] = true
	}
	return all
}

// TestLinks follows every relative link of every tracked Markdown page, to the file and
// to the heading that it names. Every page in docs is reached from docs/README.md.
func TestLinks(t *testing.T) {
	linked := map[string]bool{} // from the index of the pages
	pages, links := tracked(t, ".md"), 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range prose(string(text)) {
			for _, link := range markdownLink.FindAllStringSubmatch(inlineCode.ReplaceAllString(line, "`code`"), -1) {
				file, fragment, _ := strings.Cut(link[1], "#")
				if strings.Contains(file, ":") {
					continue // another site
				}
				links++
				target := page
				if file != "" {
					target = path.Join(path.Dir(page), file)
				}
				if page == "docs/README.md" {
					linked[target] = true
				}
				info, err := os.Stat(target)
				if err != nil {
					t.Errorf("%s:%d: %s leads nowhere", page, n+1, link[1])
					continue
				}
				if fragment == "" || info.IsDir() {
					continue
				}
				there, err := os.ReadFile(target)
				if err != nil {
					t.Fatal(err)
				}
				if !anchors(string(there))[fragment] {
					t.Errorf("%s:%d: %s has no heading #%s", page, n+1, target, fragment)
				}
			}
		}
	}
	if links < 50 {
		t.Errorf("%d links in %d pages: too few to be all", links, len(pages))
	}
	for _, page := range pages {
		if path.Dir(page) == "docs" && page != "docs/README.md" && !linked[page] {
			t.Errorf("docs/README.md does not link to %s", page)
		}
	}
	got := anchors("# One two\n```\n# no\n```\n## `a/b`: [c](d), 1 & 2\n# One two\n")
	for _, want := range []string{"one-two", "ab-c-1--2", "one-two-1"} {
		if !got[want] {
			t.Errorf("the anchors %v lack %s", got, want)
		}
	}
	if len(got) != 3 {
		t.Errorf("%d anchors, want 3", len(got))
	}
}

// tracked lists the files in the work tree that git tracks, by their endings.
func tracked(t *testing.T, endings ...string) []string {
	t.Helper()
	var all []string
	for _, name := range gitFiles(t) {
		for _, ending := range endings {
			if strings.HasSuffix(name, ending) {
				if _, err := os.Lstat(name); err == nil {
					all = append(all, name)
				}
				break
			}
		}
	}
	if len(all) == 0 {
		t.Fatalf("no file ends in %v", endings)
	}
	return all
}

// TestReadmeLength keeps the README to what a newcomer reads; the rest is in docs.
func TestReadmeLength(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > 150 {
		t.Errorf("README.md has %d lines, at most 150 are allowed; docs has room", n)
	}
}

// TestEndpoints holds the overview of the HTTP interface to its description.
func TestEndpoints(t *testing.T) {
	described, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	overview, err := os.ReadFile("docs/http.md")
	if err != nil {
		t.Fatal(err)
	}
	paths := regexp.MustCompile(`(?m)^  (/\S*):$`).FindAllSubmatch(described, -1)
	if len(paths) < 30 {
		t.Fatalf("openapi.yaml has %d paths: too few to be all", len(paths))
	}
	for _, p := range paths {
		if !strings.Contains(string(overview), "`"+string(p[1])+"`") {
			t.Errorf("docs/http.md lacks %s", p[1])
		}
	}
}
