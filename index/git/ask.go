package git

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/quarry-search/quarry/index/internal/sandbox"
)

const (
	maxList = 512 << 20 // bytes of a list of files
	maxLog  = 64 << 20  // bytes of a log

	maxSubmodules = 1000 // which have to be named to git, each
)

// ask runs git in a folder of the work tree. Whole says that there is no answer without
// the repository's objects.
func (r *Repository) ask(ctx context.Context, folder string, whole bool, revision string, most int, args ...string) ([]byte, error) {
	objects, err := r.ready(whole, revision)
	if err != nil {
		return nil, err
	}
	out, err := run(ctx, command{
		dir: folder, environ: r.environ(objects.dir), args: args, most: most, timeout: r.client.opt.Timeout,
		reach: &sandbox.Reach{Read: []string{r.place.top, r.place.git, r.place.common}, Write: []string{r.dir}},
	})
	switch {
	case errors.Is(err, errSlow):
		r.mu.Lock()
		r.failed = err
		r.mu.Unlock()
	case err != nil && ctx.Err() == nil && !errors.Is(err, errLarge) && !errors.Is(err, ErrRefused):
		if objects.why != nil {
			return nil, fmt.Errorf("%w (%w)", objects.why, err)
		}
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return out, err
}

// ready makes our directory what git needs.
func (r *Repository) ready(whole bool, revision string) (*objects, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed != nil {
		return nil, r.failed
	}
	if err := r.prepare(); err != nil {
		return nil, err
	}
	objects := r.look()
	if whole {
		if objects.why != nil {
			return nil, objects.why
		}
		if err := r.writeRefs(revision); err != nil {
			return nil, err
		}
	}
	return objects, nil
}

// List lists the tracked files and those that are neither tracked nor ignored at or below
// paths, or all for none, relative to the folder, which is in the work tree. Paths are
// literal and with slashes; a name of exclude is a folder that is ignored where it holds no
// tracked file. A repository in the work tree is listed as a folder, with a slash at the
// end unless it is a submodule.
func (r *Repository) List(ctx context.Context, folder string, exclude, paths []string) ([]string, error) {
	args := []string{"--literal-pathspecs", "ls-files", "--cached", "--others", "--exclude-standard", "-z"}
	for _, name := range exclude {
		args = append(args, "--exclude="+name+"/")
	}
	args = append(append(args, "--"), paths...)
	out, err := r.ask(ctx, folder, false, "", maxList, args...)
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

// Ignores says whether something is ignored and not tracked, given by its literal path
// relative to a folder of the work tree; it need not be there.
func (r *Repository) Ignores(ctx context.Context, folder, path string) (bool, error) {
	_, err := r.ask(ctx, folder, false, "", maxList, "check-ignore", "-q", "--", "./"+path) // so that a colon is no magic
	if isExit(err, 1) {                                                                     // it is not
		return false, nil
	}
	return err == nil, err
}

// Leaves says whether the work tree ignores a folder in it and tracks nothing there.
func (r *Repository) Leaves(ctx context.Context, folder string) (bool, error) {
	rel, err := filepath.Rel(r.place.top, folder)
	if err != nil || rel == "." {
		return false, nil
	}
	if ignored, err := r.Ignores(ctx, folder, "."); !ignored {
		return false, err
	}
	tracked, err := r.ask(ctx, folder, false, "", maxList, "ls-files", "--cached", "-z", "--", ".")
	return err == nil && len(tracked) == 0, err
}

// Head returns the name of the commit that the work tree is at; "" before the first one,
// and if references are stored in an unsupported format.
func (r *Repository) Head() (string, error) {
	if _, err := r.ready(false, ""); err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.headID, nil
}

// submodules returns the paths of all submodules below a folder. Git opens their git
// directories unless it is told to leave them out, also where it ignores what has changed.
func (r *Repository) submodules(ctx context.Context, folder string) (paths []string, err error) {
	out, err := r.ask(ctx, folder, false, "", maxList, "ls-files", "--stage", "-z")
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		about, path, _ := strings.Cut(entry, "\t")
		if strings.HasPrefix(about, "160000 ") {
			paths = append(paths, path)
		}
	}
	if len(paths) > maxSubmodules {
		return nil, refuse("the work tree has more than %d submodules", maxSubmodules)
	}
	return paths, nil
}

// Log returns the newest commits that changed something below a folder of the work tree,
// without merges: a \x01, the subject, a \0, and the files' names relative to the folder, each
// with a \0 behind it and a line break before the first.
func (r *Repository) Log(ctx context.Context, folder string, most int) (string, error) {
	out, err := r.ask(ctx, folder, true, "HEAD", maxLog,
		"log", "-z", "--no-merges", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-show-signature", "--ignore-submodules=all",
		"--relative", "--name-only", "--no-color", "--encoding=UTF-8", "--format=%x01%s", fmt.Sprint("--max-count=", most), "HEAD", "--", ".")
	return string(out), err
}
