package suite

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/git"
)

const (
	// maxCommits is how far back the subjects of commits are read. What
	// older commits changed has mostly been changed again.
	maxCommits = 5000

	// maxChanged is how many source files a commit may have changed for its
	// subject to be a question: a commit about many files is about none.
	maxChanged = 3
)

// A commit is a subject as it was written and the files that it is about.
type commit struct {
	subject string
	files   []string // relative to the folder that was asked about
}

// errNoHistory says that there are no commits to read, and why.
var errNoHistory = errors.New("no history")

// commits lists the commits that changed something below dir, newest first,
// without merges. It returns errNoHistory where git is missing or refuses, as
// outside a work tree.
func commits(ctx context.Context, dir string) (all []commit, err error) {
	client := git.New(git.Options{})
	defer func() { err = errors.Join(err, client.Close()) }()
	repository, err := client.Around(ctx, dir)
	text := ""
	if err == nil {
		text, err = repository.Log(ctx, dir, maxCommits)
	}
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git log: %w", context.Cause(ctx))
	case errors.Is(err, git.ErrNone) || errors.Is(err, git.ErrRefused):
		return nil, fmt.Errorf("%w: %w", errNoHistory, err)
	case err != nil:
		return nil, fmt.Errorf("git log: %w", err)
	}
	return parseLog(text), nil
}

// parseLog reads records of \x01, a subject, \0 and then paths, each with a
// \0 behind it; git puts a line break before the first.
func parseLog(text string) []commit {
	var all []commit
	for record := range strings.SplitSeq(text, "\x01") {
		fields := strings.Split(record, "\x00")
		c := commit{subject: strings.TrimSpace(fields[0])}
		for _, f := range fields[1:] {
			if f = strings.TrimPrefix(f, "\n"); f != "" {
				c.files = append(c.files, f)
			}
		}
		if c.subject != "" {
			all = append(all, c)
		}
	}
	return all
}

var (
	prefixPattern = regexp.MustCompile(`^(?:\[[^\]]*\]\s*)*(?:([\w./@+-]+)(?:\([^)]*\))?!?:\s+)?`)
	numberPattern = regexp.MustCompile(`(?i)\s*\(?(?:\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|see|issue|pr)\s+)?(?:\b[\w./-]+)?#\d+\)?|\s*\(?\bgh-\d+\)?`)
)

// isHousekeeping reports whether a word of a subject, or the type of a
// conventional commit, says that it is not about what the code does.
func isHousekeeping(word string) bool {
	switch strings.ToLower(strings.Trim(word, "`'\".,;:()")) {
	case "bump", "bumps", "bumped", "upgrade", "dependency", "dependencies", "deps", "dependabot", "renovate",
		"release", "releases", "released", "version", "versions", "changelog", "prepare", "wip",
		"typo", "typos", "spelling", "whitespace", "lint", "linter", "lints", "format", "formatting", "style", "gofmt", "nit",
		"test", "tests", "testing", "benchmark", "benchmarks", "ci", "build", "chore", "travis", "workflow", "workflows",
		"doc", "docs", "documentation", "docstring", "docstrings", "readme", "comment", "comments", "license", "copyright",
		"merge", "merged", "revert", "reverts", "rename", "renamed", "cleanup", "refactor":
		return true
	}
	return false
}

// question turns the subject of a commit into a question: without prefixes
// such as "fix(x):" and without numbers of issues. ok is false for a subject
// of less than 4 or more than 14 words, and for housekeeping.
func question(subject string) (text string, ok bool) {
	m := prefixPattern.FindStringSubmatch(subject)
	if isHousekeeping(m[1]) {
		return "", false
	}
	text = numberPattern.ReplaceAllString(subject[len(m[0]):], "")
	text = strings.Join(strings.Fields(strings.TrimRight(text, " .,;:…")), " ")
	words := strings.Fields(text)
	if len(words) < 4 || len(words) > 14 || slices.ContainsFunc(words, isHousekeeping) {
		return "", false
	}
	return text, true
}
