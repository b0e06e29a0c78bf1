package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/quarry-search/quarry/index/git"
)

// maxGitDiff is how many bytes of a diff the endpoint takes.
const maxGitDiff = 900 << 10

// gitDiff returns what has changed below a root since a revision, "" for the last commit.
// Its error is a sentence. Scratch is as in git.Options.
func gitDiff(ctx context.Context, root, base, scratch string) (text string, err error) {
	if base == "" {
		base = "HEAD"
	}
	client := git.New(git.Options{Scratch: scratch})
	defer func() { err = errors.Join(err, client.Close()) }()
	repository, err := client.Around(ctx, root)
	if err == nil {
		text, err = repository.Diff(ctx, root, base, maxGitDiff)
	}
	switch {
	case errors.Is(err, git.ErrRevision):
		return "", fmt.Errorf("%.100q is not a revision", base)
	case errors.Is(err, git.ErrLarge):
		return "", fmt.Errorf("the diff since %.100s is larger than %d bytes", base, maxGitDiff)
	case err != nil:
		return "", fmt.Errorf("git does not say what has changed since %.100s: %w", base, err)
	}
	return text, nil
}
