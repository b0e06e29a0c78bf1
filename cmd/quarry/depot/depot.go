// Package depot keeps snapshots where many machines reach them: in a folder, or in a bucket
// of an S3-compatible store. CI puts them there; servers and commands begin from them.
//
// Below the place, each repository has a name, and below that
//
//	snapshots/SHA256.quarry   a snapshot, named by the SHA-256 of its bytes
//	latest/BRANCH.json        the snapshots of a branch, the newest first; "/" is written %2F
//
// A snapshot never changes once it is there. The list of a branch is replaced as a whole, and
// only by a writer that has read the one before: with If-Match in a bucket, under a lock in a folder.
// So of two that put at once, both are in the list, and a commit that is older than the
// newest one there does not come before it. What no list names any more is removed, an hour
// after it was written at the earliest: it may be there for a list that is being written.
//
// Get takes any bytes at all: lists and snapshots are bounded, and a snapshot is compared with
// the hash that is its name. That protects against damage, not against who may write there; a
// signature does that (see index.RestoreOptions). No credentials are in an error or a list.
package depot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ErrNone says that there is no snapshot, or no folder or bucket for one.
var ErrNone = errors.New("there is none")

const (
	maxBytes = 16 << 30 // of a snapshot
	tries    = 20       // to replace a list that others replace, too
	pause    = 50 * time.Millisecond
	// PutWithin is how long Put may take: an upload that does not end would hold up a job for
	// as long as its forge allows.
	PutWithin = 15 * time.Minute
)

// Options configure a Depot. Place and Name are needed.
type Options struct {
	Place Place
	Name  string // of the repository
	Keep  int    // snapshots of a branch that stay; 0: 5
	// Roles has credentials looked for where the machine or the job has a role, too, and not
	// only in the environment and in the user's file.
	Roles bool
}

// A Depot has the snapshots of one repository. It is safe for concurrent use, and holds
// nothing open between calls.
type Depot struct {
	opt   Options
	bytes storage
}

// storage is where bytes are kept by name. Names have slashes.
type storage interface {
	// read returns a small object and the version of it; fs.ErrNotExist where there is none.
	read(ctx context.Context, name string, most int64) (text []byte, version string, err error)
	// replace writes an object if it has still that version, "": if there is none. Otherwise
	// it gives errChanged.
	replace(ctx context.Context, name string, text []byte, version string) error
	// size returns the length of an object; fs.ErrNotExist where there is none.
	size(ctx context.Context, name string) (int64, error)
	// open reads an object.
	open(ctx context.Context, name string) (io.ReadCloser, error)
	// put writes an object of a file.
	put(ctx context.Context, name, path string) error
	// list returns the objects directly below a folder.
	list(ctx context.Context, folder string) ([]object, error)
	remove(ctx context.Context, name string) error
	// rest gives up connections.
	rest()
}

// errChanged says that somebody else has written an object meanwhile.
var errChanged = errors.New("somebody else has written it meanwhile")

// An object is what a list of a folder says of one.
type object struct {
	base    string // the last element of its name
	written time.Time
}

// Open returns the depot, without looking whether it is there.
func Open(opt Options) (*Depot, error) {
	if opt.Keep == 0 {
		opt.Keep = 5
	}
	if err := CheckName(opt.Name); err != nil {
		return nil, err
	}
	d := &Depot{opt: opt}
	if opt.Place.Folder != "" {
		d.bytes = folderStorage(opt.Place.Folder)
		return d, nil
	}
	b, err := openBucket(opt.Place, opt.Roles)
	if err != nil {
		return nil, fmt.Errorf("snapshots at %s: %w", opt.Place, err)
	}
	d.bytes = b
	return d, nil
}

// String says where the snapshots are, and of which repository.
func (d *Depot) String() string { return d.opt.Place.String() + ", " + d.opt.Name }

// Place says where the snapshots are.
func (d *Depot) Place() string { return d.opt.Place.String() }

// Name returns the name of the repository.
func (d *Depot) Name() string { return d.opt.Name }

// CheckName refuses names of repositories that cannot be part of a path.
func CheckName(name string) error {
	for elem := range strings.SplitSeq(name, "/") {
		if elem == "" || elem == "." || elem == ".." || len(name) > 500 || strings.ContainsFunc(elem, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' }) {
			return fmt.Errorf("%q is not a name of a repository, such as example.com/team/shop", name)
		}
	}
	return nil
}

// Get writes the newest snapshot of the first of some branches that has one to a file, which
// must not exist, and says which it is. On an error there is no file. The error is a sentence.
func (d *Depot) Get(ctx context.Context, branches []string, to string) (s Snapshot, branch string, err error) {
	if s, branch, err = d.Newest(ctx, branches); err != nil {
		return Snapshot{}, "", err
	}
	return s, branch, d.Fetch(ctx, s, to)
}

// Newest returns the newest snapshot of the first of some branches that has one. The error is
// a sentence.
func (d *Depot) Newest(ctx context.Context, branches []string) (s Snapshot, branch string, err error) {
	defer d.bytes.rest()
	for _, branch := range branches {
		of, _, err := d.latest(ctx, branch)
		if err != nil {
			return Snapshot{}, "", d.failed(ctx, err)
		}
		if len(of.Snapshots) > 0 {
			return of.Snapshots[0], branch, nil
		}
	}
	return Snapshot{}, "", d.failed(ctx, fmt.Errorf("%w of %s", ErrNone, strings.Join(branches, ", ")))
}

// Fetch writes a snapshot that is there to a file, which must not exist. On an error there is
// no file. The error is a sentence.
func (d *Depot) Fetch(ctx context.Context, s Snapshot, to string) error {
	defer d.bytes.rest()
	return d.failed(ctx, d.fetch(ctx, s, to))
}

// failed says of an error where it was. It is one line.
func (d *Depot) failed(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = errors.New("it took too long")
	case ctx.Err() != nil:
		err = ctx.Err()
	}
	return fmt.Errorf("snapshots at %s: %w", d, err)
}

// fetch writes a snapshot to a new file.
func (d *Depot) fetch(ctx context.Context, s Snapshot, to string) (err error) {
	from, err := d.bytes.open(ctx, s.name(d.opt.Name))
	if err != nil {
		return fmt.Errorf("%.12s: %w", s.SHA256, err)
	}
	defer from.Close()
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			_ = os.Remove(to)
		}
	}()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, sum), io.LimitReader(from, s.Bytes+1))
	switch {
	case err != nil:
		return fmt.Errorf("%.12s: %w", s.SHA256, err)
	case n < s.Bytes:
		return fmt.Errorf("%.12s is cut off: it has %d bytes of %d", s.SHA256, n, s.Bytes)
	case n > s.Bytes || hex.EncodeToString(sum.Sum(nil)) != s.SHA256:
		return fmt.Errorf("%.12s is damaged: it is not what was put there", s.SHA256)
	}
	return nil
}

// An Outcome says what Put has done.
type Outcome struct {
	Snapshot
	Branch   string    `json:"branch"`
	Uploaded bool      `json:"uploaded"`        // false: it was there
	Latest   bool      `json:"latest"`          // it is what others begin from
	Newer    *Snapshot `json:"newer,omitempty"` // what they begin from instead
	Removed  int       `json:"removed"`         // snapshots that no list names any more
}

// Put puts the snapshot in a file, and makes it the latest of a branch, unless that is of a
// newer commit. s says where it comes from; its hash and length are computed here. An error
// that comes with an Outcome is of the removal of old snapshots alone.
func (d *Depot) Put(ctx context.Context, branch, path string, s Snapshot) (*Outcome, error) {
	defer d.bytes.rest()
	ctx, cancel := context.WithTimeout(ctx, PutWithin)
	defer cancel()
	if err := s.measure(path); err != nil {
		return nil, d.failed(ctx, err)
	}
	out := &Outcome{Snapshot: s, Branch: branch}
	for try := range tries {
		if try > 0 { // not in step with the others
			select {
			case <-ctx.Done():
			case <-time.After(pause/2 + rand.N(pause*time.Duration(try))):
			}
		}
		err := d.put(ctx, branch, path, out)
		switch {
		case errors.Is(err, errChanged) && try < tries-1:
			continue
		case err != nil:
			return nil, d.failed(ctx, err)
		case out.Newer != nil:
			return out, nil
		}
		out.Removed, err = d.sweep(ctx)
		return out, d.failed(ctx, err)
	}
	panic("unreachable")
}

// put is one try of Put.
func (d *Depot) put(ctx context.Context, branch, path string, out *Outcome) error {
	of, version, err := d.latest(ctx, branch)
	if err != nil && !errors.Is(err, errDamaged) { // that one is replaced
		return err
	}
	if len(of.Snapshots) > 0 && of.Snapshots[0].when().After(out.when()) {
		out.Newer = &of.Snapshots[0]
		return nil
	}
	// One that is in the list is not removed while it is replaced; any other may be.
	name := out.name(d.opt.Name)
	there := false
	if of.has(out.SHA256) && !out.Uploaded {
		n, err := d.bytes.size(ctx, name)
		there = err == nil && n == out.Bytes
	}
	if !there && !out.Uploaded {
		if err := d.bytes.put(ctx, name, path); err != nil {
			return err
		}
		out.Uploaded = true
	}
	if err := d.bytes.replace(ctx, listName(d.opt.Name, branch), of.with(out.Snapshot, d.opt.Keep).text(), version); err != nil {
		return err
	}
	out.Latest = true
	return nil
}

// unlisted is how long a snapshot stays that no list names.
const unlisted = time.Hour

// sweep removes snapshots that no list names. If a list cannot be read it removes none.
func (d *Depot) sweep(ctx context.Context) (removed int, err error) {
	// In this order: what is listed after it was looked for is not among the snapshots.
	snapshots, err := d.bytes.list(ctx, d.opt.Name+"/snapshots")
	if err != nil {
		return 0, err
	}
	lists, err := d.bytes.list(ctx, d.opt.Name+"/latest")
	if err != nil {
		return 0, err
	}
	named := map[string]bool{}
	for _, l := range lists {
		branch, ok := branchOf(l.base)
		if !ok {
			continue
		}
		of, _, err := d.latest(ctx, branch)
		if err != nil {
			return 0, err
		}
		for _, s := range of.Snapshots {
			named[s.SHA256] = true
		}
	}
	for _, o := range snapshots {
		sum, rest, ok := strings.Cut(o.base, extension)
		unfinished := strings.HasPrefix(rest, temporary) // whoever wrote it was killed
		if !ok || !isSum(sum) || rest == "" && named[sum] || rest != "" && !unfinished || time.Since(o.written) < unlisted {
			continue
		}
		if err := d.bytes.remove(ctx, d.opt.Name+"/snapshots/"+o.base); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}

// measure computes the hash and the length of the file.
func (s *Snapshot) measure(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	if s.Bytes, err = io.Copy(sum, f); err != nil {
		return err
	}
	if s.Bytes > maxBytes {
		return fmt.Errorf("%s has %d bytes, and %d are allowed", filepath.Base(path), s.Bytes, int64(maxBytes))
	}
	s.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return nil
}

// Clear removes all snapshots of the repository: the lists first, so that none names what is
// not there.
func (d *Depot) Clear(ctx context.Context) error {
	defer d.bytes.rest()
	for _, folder := range []string{"/latest", "/snapshots"} {
		all, err := d.bytes.list(ctx, d.opt.Name+folder)
		if err != nil {
			return d.failed(ctx, err)
		}
		for _, o := range all {
			if err := d.bytes.remove(ctx, d.opt.Name+folder+"/"+o.base); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return d.failed(ctx, err)
			}
		}
	}
	if f, ok := d.bytes.(folderStorage); ok {
		return d.failed(ctx, f.prune(d.opt.Name))
	}
	return nil
}
