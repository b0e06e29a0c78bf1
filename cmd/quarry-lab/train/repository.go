package train

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// A Repository is one that pairs are taken from, at one revision.
type Repository struct {
	Name     string // "owner/name"
	Revision string // a full commit id, in hexadecimal
}

var (
	repositoryName = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*/[A-Za-z0-9_][\w.-]*$`)
	revision       = regexp.MustCompile(`^[0-9a-f]{40,64}$`)
)

// ReadRepositories reads a list of "owner/name REVISION", one a line; blank
// lines and those that begin with # are passed over.
func ReadRepositories(r io.Reader) ([]Repository, error) {
	var list []Repository
	seen := map[string]int{}
	err := eachLine(r, func(n int, line string) error {
		f := strings.Fields(line)
		if len(f) != 2 || !repositoryName.MatchString(f[0]) || !revision.MatchString(f[1]) {
			return fmt.Errorf("line %d is %.80q, not \"owner/name REVISION\" with a full commit id", n, line)
		}
		key := strings.ToLower(f[0])
		if seen[key] > 0 {
			return fmt.Errorf("line %d names %s again, after line %d", n, f[0], seen[key])
		}
		seen[key] = n
		list = append(list, Repository{f[0], f[1]})
		return nil
	})
	if err == nil && len(list) == 0 {
		err = errors.New("no repository in it")
	}
	return list, err
}

// ReadExcluded reads a list of "owner/name", one a line, in the form of
// ReadRepositories.
func ReadExcluded(r io.Reader) ([]string, error) {
	var list []string
	err := eachLine(r, func(n int, line string) error {
		if !repositoryName.MatchString(line) {
			return fmt.Errorf("line %d is %.80q, not \"owner/name\"", n, line)
		}
		list = append(list, line)
		return nil
	})
	return list, err
}

func eachLine(r io.Reader, f func(n int, line string) error) error {
	s := bufio.NewScanner(r)
	for n := 1; s.Scan(); n++ {
		line := strings.TrimSpace(s.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		if err := f(n, line); err != nil {
			return err
		}
	}
	return s.Err()
}

// refuse returns an error when a repository is excluded. Names are compared
// without regard to case, as the hosts do.
func refuse(list []Repository, excluded []string) error {
	no := map[string]bool{}
	for _, name := range excluded {
		no[strings.ToLower(name)] = true
	}
	var bad []string
	for _, r := range list {
		if no[strings.ToLower(r.Name)] {
			bad = append(bad, r.Name)
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("the model is measured on %s: no pair may come from there; take it out of the list", strings.Join(bad, ", "))
	}
	return nil
}

// locate finds the clone of a repository below dir: owner+name or owner/name,
// with or without .git, bare or with a work tree.
func locate(dir string, r Repository) (string, error) {
	owner, name, _ := strings.Cut(r.Name, "/")
	for _, base := range []string{owner + "+" + name, filepath.Join(owner, name)} {
		for _, sub := range []string{"", ".git", "/.git", "/repo"} {
			at := filepath.Join(dir, filepath.FromSlash(base+sub))
			if _, err := os.Stat(filepath.Join(at, "HEAD")); err != nil {
				continue
			}
			if _, err := os.Stat(filepath.Join(at, "objects")); err == nil {
				return at, nil
			}
		}
	}
	return "", fmt.Errorf("no clone of %s below %s: it should be in %s+%s or %s, with its history", r.Name, dir, owner, name, filepath.Join(owner, name))
}

// git is a clone, read with the git command.
type git struct{ dir string }

// command returns a git command that no configuration of the machine or the
// user changes.
func (g git) command(ctx context.Context, args ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--git-dir", g.dir, "-c", "core.quotePath=false"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C", "TZ=UTC")
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	return cmd, &complaint
}

// stream runs git and gives its output to read, and input to git where there
// is any.
func (g git) stream(ctx context.Context, input io.Reader, read func(*bufio.Reader) error, args ...string) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd, complaint := g.command(ctx, args...)
	cmd.Stdin = input
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("git %s: %w", args[0], err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("git %s: %w", args[0], err)
	}
	failed := read(bufio.NewReaderSize(out, 1<<20))
	if failed != nil {
		stop()
	}
	err = cmd.Wait()
	if failed != nil {
		return fmt.Errorf("git %s: %w", args[0], failed)
	}
	if err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(complaint.Bytes()))
	}
	return nil
}

// check reports whether the clone has the revision.
func (g git) check(ctx context.Context, r Repository) error {
	cmd, complaint := g.command(ctx, "cat-file", "-e", r.Revision+"^{commit}")
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: the clone in %s lacks the commit %s: %w %s", r.Name, g.dir, r.Revision, err, bytes.TrimSpace(complaint.Bytes()))
	}
	return nil
}
