package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/depot"
	"github.com/quarry-search/quarry/index/git"
)

// OpenDepot returns where the snapshots of a root are that others have made, and what the work
// tree says of where it belongs; nil where there is no place for such snapshots.
func OpenDepot(s *config.Settings, root string) (*depot.Depot, git.Checkout, error) {
	if s.Snapshots.Place == "" {
		return nil, git.Checkout{}, nil
	}
	at, _ := git.Checked(root) // without git its folder and main are meant
	name := filepath.Base(root)
	if at.Origin != "" {
		name = at.Origin
		if at.Within != "." {
			name += "/" + at.Within
		}
	}
	d, err := s.Depot(name)
	return d, at, err
}

// FetchInto writes the newest snapshot of a root to a new file, of the branch that is meant or,
// if the user has named none, of the one that most work begins from.
func FetchInto(ctx context.Context, s *config.Settings, root, to string) (what string, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(s.Snapshots.Timeout))
	defer cancel()
	d, at, err := OpenDepot(s, root)
	if err != nil {
		return "", err
	}
	if d == nil {
		return "", errors.New("there is no place for snapshots")
	}
	branches := []string{s.Snapshots.Branch}
	if s.Snapshots.Branch == "" {
		branches = nil
		for _, b := range []string{at.Branch, at.Trunk, "main", "master"} {
			if b != "" && !slices.Contains(branches, b) {
				branches = append(branches, b)
			}
		}
	}
	got, branch, err := d.Get(ctx, branches, to)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%.12s of %s, %s, from %s", got.SHA256, branch, cmp.Or(got.Commit, "no commit"), d), nil
}
