package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/quarry-search/quarry/index/outline"
)

// A file of questions is called owner+name.tsv. Its first line is "# owner/name REVISION";
// each further line has the place of a function at that revision, "path:start-end" with
// lines that begin at 1 and are inclusive, and the questions that the function answers, all
// separated by tabs. They were written by reading the code.
var questionPlace = regexp.MustCompile(`^([^\t]+:[0-9]+-[0-9]+)((\t[^\t]+)+)$`)

// ReadQuestions returns the questions of each place in a file about r. It is an error if the
// file is about another repository or revision, or has a place twice or without a question.
func ReadQuestions(text []byte, r Repository) (map[string][]string, error) {
	head, rest, _ := strings.Cut(string(text), "\n")
	if want := "# " + r.Name + " " + r.Revision; head != want {
		return nil, fmt.Errorf("line 1 is %.120q, not %q", head, want)
	}
	out := map[string][]string{}
	n := 1
	for line := range strings.Lines(rest) {
		n++
		m := questionPlace.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			return nil, fmt.Errorf("line %d is %.80q, not \"path:start-end\" and questions behind tabs", n, line)
		}
		if out[m[1]] != nil {
			return nil, fmt.Errorf("line %d names %s again", n, m[1])
		}
		out[m[1]] = strings.Split(m[2][1:], "\t")
	}
	return out, nil
}

// questions returns the source of the pairs of a repository's questions, and whether there
// are any. What they are is part of its name, so that others are extracted again.
func questions(files fs.FS, r Repository) (source, bool, error) {
	if files == nil {
		return source{}, false, nil
	}
	name := flat(r.Name) + ".tsv"
	text, err := fs.ReadFile(files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return source{}, false, nil
	}
	if err != nil {
		return source{}, false, fmt.Errorf("read questions: %w", err)
	}
	places, err := ReadQuestions(text, r)
	if err != nil {
		return source{}, false, fmt.Errorf("the questions in %s are malformed: %w", name, err)
	}
	pairs := func(g git, ctx context.Context, r Repository, add func(Pair)) error {
		found := map[string]bool{}
		pick := func(o *outline.Outliner, path string, src []byte, add func(Pair)) {
			questionPairs(o, path, src, places, func(place string) { found[place] = true }, add)
		}
		if err := g.outlines(ctx, r, pick, add); err != nil {
			return err
		}
		for place := range places {
			if !found[place] {
				return fmt.Errorf("%s: no function is at %s", name, place)
			}
		}
		return nil
	}
	return source{"questions-" + sum(text)[:12], 1, pairs}, true, nil
}

// questionPairs gives the questions about the functions of one file to add. The code has
// its doc comment, its remarks and its name, as a chunk has them in use.
func questionPairs(o *outline.Outliner, path string, src []byte, places map[string][]string, found func(place string), add func(Pair)) {
	asked := false
	for place := range places {
		asked = asked || strings.HasPrefix(place, path+":")
	}
	if !asked {
		return
	}
	lines := bytes.SplitAfter(src, []byte("\n"))
	for _, p := range o.Outline(path, src).Parts {
		place := fmt.Sprintf("%s:%d-%d", path, p.Line, p.EndLine)
		if !isFunction(p.Kind) || places[place] == nil {
			continue
		}
		found(place)
		text := string(bytes.Join(lines[p.Line-1:min(p.EndLine, len(lines))], nil))
		if !strings.Contains(text, p.Doc) {
			text = p.Doc + "\n" + text
		}
		for _, q := range places[place] {
			add(Pair{Kind: QuestionPair, Language: language(path), Query: q, Path: path, Names: strings.TrimSpace(p.Parent + " " + p.Name), Text: shorten(text, maxString)})
		}
	}
}
