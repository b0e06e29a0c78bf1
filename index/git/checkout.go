package git

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A Checkout is what a work tree says of where it belongs. What is not known is "".
type Checkout struct {
	// Origin is the host and the path of the remote origin, such as example.com/team/shop:
	// neither how it is reached nor as whom.
	Origin string
	Within string // the folder in the work tree, with slashes; "." is all of it
	Branch string // that is checked out
	Trunk  string // the branch that the remote origin begins with
}

// Checked returns where the work tree that holds a folder belongs, without running git. It
// wraps ErrNone or ErrRefused.
func Checked(folder string) (Checkout, error) {
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return Checkout{}, fmt.Errorf("%w: %w", ErrNone, bare(err))
	}
	top, err := find(folder)
	if err != nil {
		return Checkout{}, err
	}
	p, err := placeOf(top)
	if err != nil {
		return Checkout{}, err
	}
	within, err := filepath.Rel(top, folder)
	if err != nil {
		return Checkout{}, refuse("%v", err)
	}
	common, err := os.OpenRoot(p.common)
	if err != nil {
		return Checkout{}, refuse("the git directory: %v", bare(err))
	}
	defer common.Close()
	git, err := os.OpenRoot(p.git)
	if err != nil {
		return Checkout{}, refuse("the git directory: %v", bare(err))
	}
	defer git.Close()
	l, err := readLayout(common, git, p.linked())
	if err != nil {
		return Checkout{}, err
	}
	return Checkout{
		Origin: OriginOf(l.settings[originSection+".url"]), Within: filepath.ToSlash(within),
		Branch: named(git, "HEAD", "refs/heads/"), Trunk: named(common, "refs/remotes/origin/HEAD", "refs/remotes/origin/"),
	}, nil
}

// named returns what a symbolic reference leads to, below a prefix.
func named(in *os.Root, name, prefix string) string {
	text, err := readIfThere(in, name, maxPointer)
	if err != nil {
		return ""
	}
	ref, ok := strings.CutPrefix(strings.TrimRight(string(text), " \t\r\n"), "ref:")
	if ref = strings.TrimLeft(ref, " \t"); !ok || !isRef(ref) {
		return ""
	}
	if ref, ok = strings.CutPrefix(ref, prefix); !ok {
		return ""
	}
	return ref
}

// OriginOf returns the host and the path of a remote's address; "" for a folder, and for what
// is no address.
func OriginOf(address string) string {
	host, where := "", ""
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		host, where = u.Hostname(), u.Path
	} else if before, after, ok := strings.Cut(address, ":"); ok && !strings.Contains(address, "://") && !strings.Contains(before, "/") && len(before) > 1 { // user@host:path, as scp has it
		host, where = before[strings.LastIndexByte(before, '@')+1:], after
	}
	where = strings.TrimSuffix(strings.Trim(path.Clean("/"+where), "/"), ".git")
	if host == "" || where == "" {
		return ""
	}
	return strings.ToLower(host) + "/" + where
}

// Committed returns when the commit was made that the work tree is at.
func (r *Repository) Committed(ctx context.Context, folder string) (time.Time, error) {
	out, err := r.ask(ctx, folder, true, "HEAD", maxPointer, "log", "-1", "--no-show-signature", "--format=%ct", "HEAD")
	if err != nil {
		return time.Time{}, err
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if err != nil {
		return time.Time{}, refuse("it does not say when its commit was made")
	}
	return time.Unix(seconds, 0).UTC(), nil
}
