package train

import (
	"bufio"
	"context"
	"io"
	"strconv"
	"strings"
)

// Limits of the history.
const (
	maxCommits  = 6000 // of a repository, the newest
	maxFiles    = 4    // that a commit changes: more is a sweep, and its subject says little of each
	maxHunks    = 8    // of a commit, as above
	takenHunks  = 4    // of those
	maxHunk     = 1500 // bytes
	minHunk     = 80   // bytes
	commitMark  = "\x01commit "
	contextSize = "-U3"
)

// history gives the pairs of the commits up to a revision to add, newest first.
func (g git) history(ctx context.Context, r Repository, add func(Pair)) error {
	args := []string{"log", "--no-merges", "--diff-filter=M", "-p", contextSize, "--no-color", "--no-renames", "--no-ext-diff", "--no-textconv",
		"--diff-algorithm=myers", "--no-indent-heuristic", "--no-show-signature", "--date-order", "--src-prefix=a/", "--dst-prefix=b/",
		"--format=%x01commit %s", "-n", strconv.Itoa(maxCommits), r.Revision, "--"}
	c := commit{add: add}
	return g.stream(ctx, nil, func(out *bufio.Reader) error {
		for {
			line, err := readLine(out)
			if err == io.EOF {
				c.end()
				return nil
			} else if err != nil {
				return err
			}
			c.line(line)
		}
	}, append(args, pathspecs()...)...)
}

// readLine returns the next line, of which it keeps at most maxLine bytes.
func readLine(r *bufio.Reader) (string, error) {
	part, more, err := r.ReadLine()
	if err != nil {
		return "", err
	}
	line := string(part[:min(len(part), maxLine)])
	for more {
		if _, more, err = r.ReadLine(); err != nil {
			return "", err
		}
	}
	return line, nil
}

// commit gathers the hunks of the commit that is being read.
type commit struct {
	add   func(Pair)
	query string // "": the subject is no question
	path  string
	files int
	hunks []Pair
	hunk  strings.Builder
	added int  // lines of the hunk
	head  bool // between "diff" and the first hunk
}

func (c *commit) line(l string) {
	switch {
	case strings.HasPrefix(l, commitMark):
		c.end()
		c.query = ""
		if q, ok := subject(strings.ToValidUTF8(l[len(commitMark):], "")); ok {
			c.query = q
		}
	case strings.HasPrefix(l, "diff --git "):
		c.endHunk()
		c.files++
		c.path, c.head = "", true
	case c.head && strings.HasPrefix(l, "+++ b/"):
		c.path = strings.TrimSuffix(l[len("+++ b/"):], "\t")
	case strings.HasPrefix(l, "@@ "):
		c.endHunk()
		c.head = false
		// What follows the second @@ is the line of the definition around.
		if _, rest, ok := strings.Cut(l[3:], "@@"); ok {
			c.hunk.WriteString(rest + "\n")
		}
	case c.head || l == "":
	case l[0] == '+':
		c.added++
		c.take(l[1:])
	case l[0] == ' ':
		c.take(l[1:])
	}
}

func (c *commit) take(text string) {
	if c.hunk.Len() < maxHunk {
		c.hunk.WriteString(text)
		c.hunk.WriteByte('\n')
	}
}

func (c *commit) endHunk() {
	if lang := language(c.path); lang != "" && c.query != "" && c.added > 0 && c.hunk.Len() >= minHunk && len(c.hunks) <= maxHunks {
		c.hunks = append(c.hunks, Pair{Kind: CommitPair, Language: lang, Query: c.query, Path: c.path, Text: strings.ToValidUTF8(c.hunk.String(), "")})
	}
	c.hunk.Reset()
	c.added = 0
}

func (c *commit) end() {
	c.endHunk()
	if c.files <= maxFiles && len(c.hunks) <= maxHunks {
		for _, p := range c.hunks[:min(len(c.hunks), takenHunks)] {
			c.add(p)
		}
	}
	c.hunks, c.files, c.head = c.hunks[:0], 0, false
}
