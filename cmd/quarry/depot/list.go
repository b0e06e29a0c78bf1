package depot

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	extension = ".quarry"
	maxList   = 256 << 10 // bytes of a list
	// MaxKeep is how many snapshots of a branch stay at most.
	MaxKeep = 100
	format  = 1
)

// errDamaged says that a list is none.
var errDamaged = errors.New("the list is damaged")

// A Snapshot is what a list says of one. All but the hash and the length is what its maker
// says.
type Snapshot struct {
	SHA256    string     `json:"sha256"`
	Bytes     int64      `json:"bytes"`
	Commit    string     `json:"commit,omitempty"`       // of the work tree that it was made of
	Committed *time.Time `json:"committed_at,omitempty"` // when that commit was made
	Made      time.Time  `json:"made_at"`
	By        string     `json:"made_by,omitempty"`
	Program   string     `json:"program"`
}

// when is what says which of two is newer.
func (s *Snapshot) when() time.Time {
	if s.Committed != nil {
		return *s.Committed
	}
	return s.Made
}

// name is that of the object.
func (s *Snapshot) name(repository string) string {
	return repository + "/snapshots/" + s.SHA256 + extension
}

// A list is what a branch has.
type list struct {
	Format    int        `json:"format"`
	Snapshots []Snapshot `json:"snapshots"` // the newest first
}

func listName(repository, branch string) string {
	return repository + "/latest/" + url.PathEscape(branch) + ".json"
}

// branchOf returns whose list it is.
func branchOf(base string) (branch string, ok bool) {
	base, ok = strings.CutSuffix(base, ".json")
	branch, err := url.PathUnescape(base)
	return branch, ok && err == nil && url.PathEscape(branch) == base
}

// latest returns the list of a branch, which is empty where there is none, and its version.
func (d *Depot) latest(ctx context.Context, branch string) (of list, version string, err error) {
	text, version, err := d.bytes.read(ctx, listName(d.opt.Name, branch), maxList)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return list{}, "", nil
	case err != nil:
		return list{}, "", err
	}
	if err := json.Unmarshal(text, &of); err != nil {
		return list{}, version, fmt.Errorf("%w: that of %s is no JSON as it should be", errDamaged, branch)
	}
	if of.Format > format {
		return list{}, version, fmt.Errorf("the list of %s has the format %d, this program reads %d", branch, of.Format, format)
	}
	for _, s := range of.Snapshots {
		if !isSum(s.SHA256) || s.Bytes <= 0 || s.Bytes > maxBytes {
			return list{}, version, fmt.Errorf("%w: that of %s names what no snapshot can be", errDamaged, branch)
		}
	}
	return of, version, nil
}

func isSum(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 32 && strings.ToLower(s) == s
}

func (l list) has(sum string) bool {
	return slices.ContainsFunc(l.Snapshots, func(s Snapshot) bool { return s.SHA256 == sum })
}

// with returns a list that begins with a snapshot, and has so many.
func (l list) with(first Snapshot, keep int) list {
	out := list{Format: format, Snapshots: []Snapshot{first}}
	for _, s := range l.Snapshots {
		if s.SHA256 != first.SHA256 && len(out.Snapshots) < keep {
			out.Snapshots = append(out.Snapshots, s)
		}
	}
	return out
}

func (l list) text() []byte {
	text, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		panic(err) // there is nothing in it that JSON does not have
	}
	return append(text, '\n')
}
