package git

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

const (
	maxPacked = 64 << 20 // bytes of packed-refs
	maxLoose  = 100_000  // references that have a file each
	maxLinks  = 5        // from one symbolic reference to the next
)

func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// isID says whether it is the whole name of an object.
func isID(id string) bool {
	if len(id) != 40 && len(id) != 64 {
		return false
	}
	_, err := hex.DecodeString(id)
	return err == nil && strings.ToLower(id) == id
}

// isRef says whether it is a reference's name that may be written to a file: below refs/,
// and of what git-check-ref-format(1) allows.
func isRef(name string) bool {
	if !strings.HasPrefix(name, "refs/") || len(name) > 1024 || path.Clean(name) != name || strings.Contains(name, "..") || strings.Contains(name, "@{") {
		return false
	}
	for _, c := range []byte(name) {
		if c <= ' ' || c == 0x7f || strings.IndexByte(`\:?*[~^`, c) >= 0 {
			return false
		}
	}
	for elem := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(elem, ".") || strings.HasSuffix(elem, ".lock") || strings.HasSuffix(elem, ".") {
			return false
		}
	}
	return true
}

// writeHead writes what HEAD is: a commit, or the branch that has none yet.
func (r *Repository) writeHead(git, common *os.Root) error {
	id, ref, err := r.head(git, common)
	if err != nil {
		return err
	}
	text := id
	if id == "" {
		text = "ref: " + ref
	}
	if r.headText == text {
		return nil
	}
	if err := r.write("HEAD", []byte(text+"\n")); err != nil {
		return err
	}
	r.headText, r.headID = text, id
	return nil
}

// head returns the commit of the work tree, or the branch where that has none.
func (r *Repository) head(git, common *os.Root) (id, ref string, err error) {
	text, err := read(git, "HEAD", maxPointer)
	if err != nil {
		return "", "", refuse("HEAD in the git directory: %v", err)
	}
	for range maxLinks {
		line := strings.TrimRight(string(text), " \t\r\n")
		if isID(line) {
			return line, ref, nil
		}
		name, ok := strings.CutPrefix(line, "ref:")
		if ok && r.layout.reftable { // HEAD says nothing, and the references are not read
			return "", "refs/heads/none", nil
		}
		if ref = strings.TrimLeft(name, " \t"); !ok || !isRef(ref) {
			return "", "", refuse("HEAD in the git directory names no commit and no branch")
		}
		in := common
		if perWorktree(ref) {
			in = git
		}
		text, err = read(in, ref, maxPointer)
		if isAbsent(err) || errors.Is(err, errIrregular) && isFolder(in, ref) {
			id, err := packed(common, ref)
			return id, ref, err
		}
		if err != nil {
			return "", "", refuse("%s in the git directory: %v", ref, err)
		}
	}
	return "", "", refuse("HEAD in the git directory leads nowhere")
}

func isFolder(in *os.Root, name string) bool {
	info, err := in.Lstat(name)
	return err == nil && info.IsDir()
}

func perWorktree(ref string) bool {
	return strings.HasPrefix(ref, "refs/bisect/") || strings.HasPrefix(ref, "refs/worktree/") || strings.HasPrefix(ref, "refs/rewritten/")
}

// packed finds a reference among the packed ones; "": it is not there.
func packed(common *os.Root, ref string) (id string, err error) {
	err = eachPacked(common, func(i, name string) bool {
		if name == ref {
			id = i
		}
		return id == ""
	})
	return id, err
}

func eachPacked(common *os.Root, do func(id, name string) bool) error {
	f, _, err := open(common, "packed-refs", maxPacked)
	if isAbsent(err) {
		return nil
	}
	if err != nil {
		return refuse("packed-refs in the git directory: %v", err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for s.Scan() {
		id, name, ok := bytes.Cut(s.Bytes(), []byte(" "))
		if !ok || len(id) != 40 && len(id) != 64 {
			continue // a comment, or what a tag leads to
		}
		if id, name := string(id), string(name); isID(id) && isRef(name) && !do(id, name) {
			return nil
		}
	}
	if err := s.Err(); err != nil {
		return refuse("packed-refs in the git directory: %v", bare(err))
	}
	return nil
}

// byHead are the revisions for which no reference but HEAD is needed.
var byHead = regexp.MustCompile(`^(HEAD|@|[0-9a-f]{40}|[0-9a-f]{64})([~^][0-9]*)*$`)

// writeRefs writes all references that are needed for a revision. Those that replace
// objects are left out, and so are the reflogs.
func (r *Repository) writeRefs(revision string) error {
	if byHead.MatchString(revision) {
		return nil
	}
	if r.layout.reftable {
		return refuse("the repository keeps its references in a form (reftable) that is not read; a commit's whole name says it")
	}
	git, err := os.OpenRoot(r.place.git)
	if err != nil {
		return refuse("the git directory: %v", bare(err))
	}
	defer git.Close()
	common, err := os.OpenRoot(r.place.common)
	if err != nil {
		return refuse("the git directory: %v", bare(err))
	}
	defer common.Close()
	refs := map[string]string{}
	err = eachPacked(common, func(id, name string) bool { refs[name] = id; return true })
	if err == nil {
		err = loose(common, refs)
	}
	if err == nil && r.place.linked() {
		err = loose(git, refs)
	}
	if err != nil {
		return err
	}
	var b bytes.Buffer
	names := make([]string, 0, len(refs))
	for name := range refs {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		id := refs[name]
		for range maxLinks {
			if to, ok := strings.CutPrefix(id, "ref:"); ok {
				id = refs[strings.TrimSpace(to)]
			}
		}
		if isID(id) && !strings.HasPrefix(name, "refs/replace/") {
			fmt.Fprintf(&b, "%s %s\n", id, name)
		}
	}
	if err := r.write("packed-refs", b.Bytes()); err != nil {
		return err
	}
	for _, name := range []string{"ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD"} {
		text, err := readIfThere(git, name, maxIgnore)
		if err != nil {
			continue
		}
		if id, _, _ := strings.Cut(strings.ReplaceAll(string(text), "\t", "\n"), "\n"); isID(id) {
			if err := r.write(name, []byte(id+"\n")); err != nil {
				return err
			}
		}
	}
	return nil
}

// loose adds the references that have a file each.
func loose(in *os.Root, refs map[string]string) error {
	n := 0
	err := fs.WalkDir(in.FS(), "refs", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !isRef(name) {
			return nil // what cannot be read has no name
		}
		if n++; n > maxLoose {
			return refuse("the repository has more than %d references in files", maxLoose)
		}
		text, err := read(in, name, maxPointer)
		if err == nil {
			refs[name] = strings.TrimSpace(string(text))
		}
		return nil
	})
	return err
}
