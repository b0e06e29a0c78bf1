package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrRevision says that a revision does not name a commit.
var ErrRevision = errors.New("it is not a revision")

// ErrLarge says that the answer has more bytes than the caller allowed.
var ErrLarge = errLarge

// Diff returns what has changed below a folder, as a unified diff of at most most bytes: in
// the work tree since a revision, or between two, as A..B, or on the way to B from where it
// left A, as A...B. What has changed in submodules is not in it, nor does the repository's
// configuration count: files are compared as they are.
func (r *Repository) Diff(ctx context.Context, folder, revision string, most int) (string, error) {
	if revision == "" || strings.HasPrefix(revision, "-") || strings.ContainsAny(revision, "\x00\n") {
		return "", fmt.Errorf("%.100q: %w", revision, ErrRevision)
	}
	args := []string{"diff", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--relative", revision, "--", "."}
	submodules, err := r.submodules(ctx, folder)
	if err != nil {
		return "", err
	}
	for _, path := range submodules {
		args = append(args, ":(exclude,literal)"+path)
	}
	out, err := r.ask(ctx, folder, true, revision, most, args...)
	if isExit(err, 128) && (strings.Contains(err.Error(), "revision") || strings.Contains(err.Error(), "no merge base")) {
		return "", fmt.Errorf("%.100q: %w", revision, ErrRevision)
	}
	return string(out), err
}

// Changes is Diff for a folder, with a Client of its own. Its error is a sentence.
func Changes(ctx context.Context, folder, revision string, most int, opt Options) (text string, err error) {
	client := New(opt)
	defer func() { err = errors.Join(err, client.Close()) }()
	repository, err := client.Around(ctx, folder)
	if err == nil {
		text, err = repository.Diff(ctx, folder, revision, most)
	}
	switch {
	case errors.Is(err, ErrRevision):
		return "", fmt.Errorf("%.100q is not a revision", revision)
	case errors.Is(err, ErrLarge):
		return "", fmt.Errorf("the diff %s is larger than %d bytes", spanned(revision), most)
	case err != nil:
		return "", fmt.Errorf("git does not say what has changed %s: %w", spanned(revision), err)
	}
	return text, nil
}

// spanned says for people what a revision or a range spans.
func spanned(revision string) string {
	if strings.Contains(revision, "..") {
		return fmt.Sprintf("in %.100s", revision)
	}
	return fmt.Sprintf("since %.100s", revision)
}
