package fitting

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/index/suite"
)

type checkoutOptions struct {
	suites         []string
	clones, corpus string
}

func newCheckoutCommand() *cobra.Command {
	var o checkoutOptions
	cmd := &cobra.Command{
		Use:   "checkout --suite FILE --clones DIR --corpus DIR",
		Short: "Put the revisions of suites into a corpus, from clones",
		Long: `Checkout writes the files of each repository of the suites, at the revision that
the suite was made for, into a folder of the corpus by the repository's name.
Files are written as the commit has them: no attribute changes one or leaves one
out, unlike with "git archive".

The clone of owner/name is DIR/owner+name or DIR/owner/name, bare or not, or
repo.git or repo below that. A clone may lack objects: a file whose text is not
there is left out, and said so. Nothing is fetched.

What is in the corpus at the same revision already stays; at another it is an
error. The file NAME.revision next to a folder says which it is.`,
		Example: `  quarry-lab train checkout --suite suites/questions-1.json --clones ~/clones --corpus ~/corpus`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.suites, "suite", nil, "a suite, a JSON `file`; may be repeated")
	f.StringVar(&o.clones, "clones", "", "the `folder` that holds the clones")
	f.StringVar(&o.corpus, "corpus", "", "the `folder` for the repositories")
	require(cmd, "suite", "clones", "corpus")
	return cmd
}

func (o *checkoutOptions) run(cmd *cobra.Command) error {
	all, err := suite.Read(o.suites...)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.corpus, 0o755); err != nil {
		return fmt.Errorf("cannot make the corpus: %w", err)
	}
	var wrong []error // one broken clone does not stop the others
	for _, r := range all {
		files, missing, err := o.repository(cmd.Context(), r)
		switch {
		case cmd.Context().Err() != nil:
			return errors.New("interrupted")
		case err != nil:
			wrong = append(wrong, fmt.Errorf("%s: %w", r.Name, err))
		case files < 0:
			cmd.PrintErrf("quarry-lab: %s is there already\n", r.Name)
		default:
			cmd.PrintErrf("quarry-lab: %s: %d files\n", r.Name, files)
		}
		for i, name := range missing {
			if i == 5 {
				cmd.PrintErrf("quarry-lab: %s: and %d more\n", r.Name, len(missing)-i)
				break
			}
			cmd.PrintErrf("quarry-lab: %s: the clone lacks the text of %q; it is left out\n", r.Name, name)
		}
	}
	return errors.Join(wrong...)
}

// repository checks one repository out and returns how many files it wrote, -1
// if it was there, and the paths of those whose text the clone lacks.
func (o *checkoutOptions) repository(ctx context.Context, r suite.Repository) (files int, missing []string, err error) {
	if r.Origin == "" || r.Revision == "" {
		return 0, nil, errors.New("the suite does not say where it comes from and at which revision")
	}
	folder := filepath.Join(o.corpus, filepath.FromSlash(r.Name))
	note := folder + ".revision"
	if known, err := os.ReadFile(note); err == nil && strings.TrimSpace(string(known)) == r.Revision {
		if _, err := os.Stat(folder); err == nil {
			return -1, nil, nil
		}
	}
	if _, err := os.Lstat(folder); err == nil {
		return 0, nil, fmt.Errorf("%s is there, and not known to be at %s; remove it first", folder, r.Revision)
	}
	clone, err := findClone(o.clones, r.Origin)
	if err != nil {
		return 0, nil, err
	}
	partial := folder + ".partial" // so that half a checkout is never measured
	if err := errors.Join(os.RemoveAll(partial), os.MkdirAll(partial, 0o755)); err != nil {
		return 0, nil, err
	}
	files, missing, err = clone.checkout(ctx, r.Revision, partial)
	if err == nil {
		err = os.Rename(partial, folder)
	}
	if err == nil {
		err = os.WriteFile(note, []byte(r.Revision+"\n"), 0o644)
	}
	if err != nil {
		return 0, nil, errors.Join(err, os.RemoveAll(partial))
	}
	return files, missing, nil
}

// A clone is the folder of a git repository.
type clone string

// findClone finds the clone of owner/name.
func findClone(dir, origin string) (clone, error) {
	owner, name, ok := strings.Cut(origin, "/")
	if !ok || !filepath.IsLocal(origin) || strings.Contains(name, "/") {
		return "", fmt.Errorf("%q is not owner/name", origin)
	}
	for _, base := range []string{owner + "+" + name, path.Join(owner, name)} {
		for _, sub := range []string{"/repo.git", "/repo", "", ".git", "/.git"} {
			at := filepath.Join(dir, filepath.FromSlash(base+sub))
			_, noHead := os.Stat(filepath.Join(at, "HEAD"))
			_, noObjects := os.Stat(filepath.Join(at, "objects"))
			if noHead == nil && noObjects == nil {
				return clone(at), nil
			}
		}
	}
	return "", fmt.Errorf("no clone of %s below %s: it should be in %s+%s", origin, dir, owner, name)
}

// git returns a git command that no configuration of the machine changes, and
// which fetches nothing.
func (c clone) git(ctx context.Context, args ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--git-dir", string(c)}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C")
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	return cmd, &complaint
}

// An entry is one line of git ls-tree.
type entry struct{ mode, object, path string }

func (c clone) list(ctx context.Context, revision string) ([]entry, error) {
	cmd, complaint := c.git(ctx, "ls-tree", "-r", "-z", "--end-of-options", revision)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("cannot list the files of %s: %w: %s", revision, err, bytes.TrimSpace(complaint.Bytes()))
	}
	var all []entry
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		about, name, _ := strings.Cut(line, "\t")
		fields := strings.Fields(about) // mode, type, object
		if len(fields) == 3 && fields[1] == "blob" {
			all = append(all, entry{fields[0], fields[2], name}) // others are submodules
		}
	}
	return all, nil
}

// checkout writes the files of a revision into a folder.
func (c clone) checkout(ctx context.Context, revision, folder string) (files int, missing []string, err error) {
	entries, err := c.list(ctx, revision)
	if err != nil {
		return 0, nil, err
	}
	root, err := os.OpenRoot(folder) // a commit can name any path
	if err != nil {
		return 0, nil, err
	}
	defer root.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var objects strings.Builder
	for _, e := range entries {
		objects.WriteString(e.object + "\n")
	}
	cmd, complaint := c.git(ctx, "cat-file", "--batch")
	cmd.Stdin = strings.NewReader(objects.String())
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return 0, nil, fmt.Errorf("cannot run git: %w", err)
	}
	from := bufio.NewReaderSize(out, 1<<20)
	for _, e := range entries {
		var text []byte
		if text, err = nextObject(from); errors.Is(err, fs.ErrNotExist) {
			missing, err = append(missing, e.path), nil
			continue
		}
		if err == nil {
			err = e.write(root, text)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", e.path, err)
			stop()
			break
		}
		files++
	}
	if ended := cmd.Wait(); err == nil && ended != nil {
		err = fmt.Errorf("git cat-file: %w: %s", ended, bytes.TrimSpace(complaint.Bytes()))
	}
	return files, missing, err
}

// nextObject reads one answer of git cat-file --batch: "OBJECT blob SIZE", the
// text and a line feed, or "OBJECT missing".
func nextObject(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("git gives no text: %w", err)
	}
	fields := strings.Fields(line)
	if len(fields) == 2 && fields[1] == "missing" {
		return nil, fs.ErrNotExist
	}
	if len(fields) != 3 {
		return nil, fmt.Errorf("git says %q", strings.TrimSpace(line))
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil {
		return nil, fmt.Errorf("git says %q", strings.TrimSpace(line))
	}
	text := make([]byte, size+1)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, fmt.Errorf("git gives no text: %w", err)
	}
	return text[:size], nil
}

func (e entry) write(root *os.Root, text []byte) error {
	name := filepath.FromSlash(e.path)
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	switch e.mode {
	case "120000":
		return root.Symlink(string(text), name)
	case "100755":
		return root.WriteFile(name, text, 0o755)
	}
	return root.WriteFile(name, text, 0o644)
}
