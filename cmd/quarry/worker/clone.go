package worker

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry/catalogue"
)

// errRefused says that a repository will be the same when it is tried again.
var errRefused = errors.New("refused")

const (
	maxFiles   = 2_000_000 // of a commit
	sizeEvery  = time.Second
	maxListing = 1 << 30 // bytes that git may answer
)

// AsCommitted are attributes, of git's own file for a clone, by which its work tree has what was committed.
const AsCommitted = "* -filter -text -eol -ident -working-tree-encoding\n"

// A clone is the work tree of one commit. Nothing of the repository is run: its hooks are not
// fetched, no filter is asked for by its attributes, no submodule is followed, and git takes
// no protocol that runs a program. Credentials are those that the operator's own git has.
type clone struct {
	folder    string // must not exist; "" where a remote is only looked at
	address   string
	protocols []string
	most      int64 // bytes
}

// head is what a branch of a remote is.
type head struct {
	branch     string
	commit     string
	submodules int // known of a clone
}

// settings hold in every call of git. They come before what any file says.
func (c *clone) settings() []string {
	all := []string{
		"protocol.allow=never", "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.attributesFile=/dev/null",
		"submodule.recurse=false", "fetch.recurseSubmodules=false", "gc.auto=0", "maintenance.auto=false",
		"advice.detachedHead=false", "core.autocrlf=false", "core.longpaths=true",
	}
	for _, p := range c.protocols {
		all = append(all, "protocol."+p+".allow=always")
	}
	return all
}

// git runs git and returns what it has written.
func (c *clone) git(ctx context.Context, args ...string) ([]byte, error) {
	var before []string
	for _, s := range c.settings() {
		before = append(before, "-c", s)
	}
	if c.folder != "" {
		before = append(before, "-C", c.folder)
	}
	cmd := exec.CommandContext(ctx, "git", append(before, args...)...)
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_LFS_SKIP_SMUDGE=1", "LC_ALL=C", "GIT_SSH_COMMAND="+cmp.Or(os.Getenv("GIT_SSH_COMMAND"), "ssh -oBatchMode=yes"))
	cmd.WaitDelay = 5 * time.Second
	var out, said bytes.Buffer
	written := &bounded{to: &out, left: maxListing}
	cmd.Stdout, cmd.Stderr = written, &bounded{to: &said, left: 64 << 10}
	err := run(cmd)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		first, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n") // advice follows
		return nil, fmt.Errorf("git %s: %.500s", args[0], cmp.Or(strings.TrimPrefix(strings.TrimSpace(first), "fatal: "), err.Error()))
	case written.left == 0:
		return nil, fmt.Errorf("%w: git %s has more to say than %d bytes", errRefused, args[0], maxListing)
	}
	return out.Bytes(), nil
}

// head asks the remote for the newest commit of a branch, "": of the one that it begins with.
func (c *clone) head(ctx context.Context, branch string) (*head, error) {
	if _, err := catalogue.ParseAddress(c.address, c.protocols); err != nil {
		return nil, fmt.Errorf("%w: %w", errRefused, err)
	}
	ref := "HEAD"
	if branch != "" {
		ref = "refs/heads/" + branch
	}
	out, err := c.git(ctx, "ls-remote", "--symref", "--", c.address, ref)
	if err != nil {
		return nil, err
	}
	h := &head{branch: branch}
	for line := range strings.Lines(string(out)) {
		what, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if to, ok := strings.CutPrefix(what, "ref: refs/heads/"); ok && name == ref {
			h.branch = to
		} else if name == ref {
			h.commit = what
		}
	}
	switch {
	case h.commit == "" && branch != "":
		return nil, fmt.Errorf("the remote has no branch %s", branch)
	case h.commit == "":
		return nil, errors.New("the remote has no commit yet")
	case h.branch == "":
		return nil, errors.New("the remote does not say which branch it begins with: one must be named")
	}
	return h, nil
}

// make clones a branch as shallow as may be.
func (c *clone) make(ctx context.Context, branch string) (*head, error) {
	at := *c
	at.folder = ""
	h, err := at.head(ctx, branch)
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(c.folder, 0o700); err != nil {
		return nil, err
	}
	tracked := "refs/remotes/origin/" + h.branch
	for _, step := range [][]string{
		{"init", "--quiet", "--template=", "--initial-branch=" + h.branch},
		{"remote", "add", "origin", c.address},
	} {
		if _, err := c.git(ctx, step...); err != nil {
			return nil, err
		}
	}
	// It comes before all .gitattributes: what is indexed is what was committed.
	info := filepath.Join(c.folder, ".git", "info")
	if err := os.MkdirAll(info, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(info, "attributes"), []byte(AsCommitted), 0o600); err != nil {
		return nil, err
	}
	within, stop := c.watched(ctx)
	_, err = c.git(within, "fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "origin", "+refs/heads/"+h.branch+":"+tracked)
	stop()
	if err != nil {
		return nil, err
	}
	if err := c.measure(ctx, tracked, h); err != nil {
		return nil, err
	}
	if _, err := c.git(ctx, "checkout", "--quiet", "--force", "--no-track", "-B", h.branch, tracked); err != nil {
		return nil, err
	}
	commit, err := c.git(ctx, "rev-parse", "--verify", "HEAD")
	h.commit = strings.TrimSpace(string(commit)) // it may be newer than what the remote said before
	return h, err
}

// watched is a context that ends when what git fetches is too large.
func (c *clone) watched(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(sizeEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if sizeOf(c.folder) > c.most {
				cancel(fmt.Errorf("%w: the clone has more than %d bytes", errRefused, c.most))
				return
			}
		}
	}()
	return ctx, func() { cancel(nil); <-done }
}

// sizeOf sums the files below a folder, as far as they can be seen.
func sizeOf(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}

// measure refuses a commit whose files are too many or too large, before they are written.
func (c *clone) measure(ctx context.Context, ref string, h *head) error {
	out, err := c.git(ctx, "ls-tree", "-r", "-l", "-z", "--full-tree", ref)
	if err != nil {
		return err
	}
	var bytes int64
	files := 0
	for entry := range strings.SplitSeq(string(out), "\x00") {
		fields := strings.Fields(entry)
		if len(fields) < 4 {
			continue
		}
		if fields[1] == "commit" {
			h.submodules++
			continue
		}
		n, err := strconv.ParseInt(fields[3], 10, 64)
		if err != nil {
			return fmt.Errorf("git ls-tree: %w", err)
		}
		files, bytes = files+1, bytes+n
	}
	switch {
	case bytes > c.most:
		return fmt.Errorf("%w: the commit has files of %d bytes together, and %d are allowed", errRefused, bytes, c.most)
	case files > maxFiles:
		return fmt.Errorf("%w: the commit has %d files, and %d are allowed", errRefused, files, maxFiles)
	}
	return nil
}
