package mixed

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load/model"
)

const (
	gitDir   = plantedDir + "/git" // the files in which two branches differ
	gitFiles = 6
)

// startGit commits the tree on two branches, which differ in the files of gitDir.
func (p *planter) startGit(ctx context.Context) error {
	for branch := range p.git {
		states := map[string]model.State{}
		for i := range gitFiles {
			path := fmt.Sprintf("%s/g%d.go", gitDir, i)
			switch {
			case i == branch: // each branch lacks one file
			case i == gitFiles-1 && branch == 1: // and one is the same in both
				states[path] = p.git[0][path]
			default:
				states[path] = p.source("go", nil).State()
			}
		}
		p.git[branch] = states
	}
	if err := p.run(ctx, "init", "-q", "-b", "b0"); err != nil {
		return err
	}
	for branch := range p.git {
		if branch > 0 {
			if err := p.run(ctx, "checkout", "-q", "-b", fmt.Sprintf("b%d", branch)); err != nil {
				return err
			}
		}
		p.branch = branch
		err := p.tree.Apply(p.checkout(branch), func() error {
			if err := os.RemoveAll(p.file(gitDir)); err != nil {
				return err
			}
			for path, s := range p.git[branch] {
				if err := p.write(path, s.Text); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		// The rest of what is planted stays unknown to git, as new files are.
		if branch == 0 {
			if err := p.run(ctx, "add", "--", ".", ":!"+plantedDir); err != nil {
				return err
			}
		}
		if err := p.run(ctx, "add", "--", gitDir); err != nil {
			return err
		}
		if err := p.run(ctx, "-c", "user.name=load", "-c", "user.email=load@example.com", "commit", "-q", "-m", "branch"); err != nil {
			return err
		}
	}
	return nil
}

// checkout is what becomes of the files of gitDir on a branch.
func (p *planter) checkout(branch int) map[string]model.Change {
	changes := map[string]model.Change{}
	for _, other := range p.git {
		for path := range other {
			to, ok := p.git[branch][path]
			if !ok {
				to = model.State{Gone: true}
			}
			changes[path] = model.Change{To: to, Between: []model.State{{Gone: true}, {}}}
		}
	}
	return changes
}

func (p *planter) run(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", p.root, "-c", "gc.auto=0", "-c", "core.autocrlf=false"}, args...)...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(text))
	}
	return nil
}
