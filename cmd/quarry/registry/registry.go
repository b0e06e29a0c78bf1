// Package registry is where the running servers of a user find each other, and commands
// find them: a folder with a lock and a file for each root. It starts servers in the
// background, asks them, and ends them. A file is only a hint, so whoever reads one asks the
// server before believing it.
package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry/certificate"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
)

// pollInterval is the time between two looks for a server, or for its end.
const pollInterval = 100 * time.Millisecond

// A Registration is what a running server says of itself to other processes of
// its user.
type Registration struct {
	PID     int       `json:"pid"`
	URL     string    `json:"url"`
	Root    string    `json:"root"`
	Version string    `json:"version"`
	Started time.Time `json:"started"`
	Sockets []string  `json:"sockets,omitempty"` // Unix sockets that are about the root

	// Instance is the word that the server says to a client that does not show its token.
	Instance string `json:"instance,omitempty"`

	certificate.Pin // by which it is known where it speaks TLS
}

// Remote is the server, to be asked with a token.
func (reg *Registration) Remote(token string) Remote {
	return Remote{URL: reg.URL, Pin: reg.Pin, Token: token, project: reg.Root}
}

// About is an endpoint's path for a GET that is about the root, if that is known.
func (reg *Registration) About(path string) string {
	if reg.Root == "" {
		return path
	}
	return path + "?project=" + url.QueryEscape(reg.Root)
}

// A Registry is a folder with one file for each running server, named by a hash
// of its root, so that a root finds its server without a search. A file is only
// a hint: it may be left over from a server that was killed, so whoever reads
// one asks the server for its root before believing it.
type Registry struct {
	Dir string
	// Wait is how long a server in the background may take until it listens; 0: half a
	// minute. A large snapshot takes a second or two.
	Wait time.Duration
}

// Open returns the registry of the data folder.
func Open(s config.Settings) Registry {
	r := Registry{Dir: filepath.Join(s.DataDir, "servers"), Wait: backgroundWait}
	if s.Snapshots.Place != "" {
		r.Wait += time.Duration(s.Snapshots.Timeout)
	}
	return r
}

// File returns the path, without extension, of what belongs to root.
func (r Registry) File(root string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(r.Dir, hex.EncodeToString(sum[:8]))
}

// Lock claims the root for this process until release is called, or until the
// process ends in any way. It reports false when another process holds it.
func (r Registry) Lock(root string) (release func(), held bool, err error) {
	return r.Claim(filepath.Base(r.File(root)))
}

// Claim is lock of a root by the name that its files have.
func (r Registry) Claim(name string) (release func(), held bool, err error) {
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		return nil, false, fmt.Errorf("register the server: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(r.Dir, name)+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false, fmt.Errorf("register the server: %w", err)
	}
	held, err = folder.TryLock(f)
	if err != nil || !held {
		f.Close()
		if err != nil {
			err = fmt.Errorf("register the server: lock %s: %w", f.Name(), err)
		}
		return nil, false, err
	}
	// The file stays: to remove it would let two processes hold two files of
	// one name.
	return func() { f.Close() }, true, nil
}

// Add writes the file of a server. The reader of a file sees all of it or an
// older one. remove takes the file away, if it is still the one written.
func (r Registry) Add(reg Registration) (remove func() error, err error) {
	text, err := json.MarshalIndent(reg, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("register the server: %w", err)
	}
	tmp, err := os.CreateTemp(r.Dir, ".new-*") // mode 0600
	if err != nil {
		return nil, fmt.Errorf("register the server: %w", err)
	}
	_, err = tmp.Write(append(text, '\n'))
	path := r.File(reg.Root) + ".json"
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return nil, fmt.Errorf("register the server: %w", err)
	}
	return func() error {
		if now, ok := r.Read(path); !ok || now.PID != reg.PID || now.URL != reg.URL {
			return nil
		}
		return os.Remove(path)
	}, nil
}

// Read reads the file of a server, and reports whether it is one.
func (r Registry) Read(path string) (Registration, bool) {
	var reg Registration
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, &reg) != nil || reg.URL == "" || reg.Root == "" {
		return Registration{}, false
	}
	return reg, true
}

// live reports whether the server answers, and has the root it is registered for.
func (r Registry) live(ctx context.Context, reg Registration) bool {
	h, err := reg.Remote("").Health(ctx)
	if err == nil && h.Root == "" { // it asks for a token, and this process may have none
		return h.Instance != "" && h.Instance == reg.Instance
	}
	return err == nil && (h.Root == reg.Root || slices.Contains(h.Roots, reg.Root))
}

// Find returns the server of exactly this root.
func (r Registry) Find(ctx context.Context, root string) (Registration, bool) {
	reg, ok := r.Read(r.File(root) + ".json")
	return reg, ok && reg.Root == root && r.live(ctx, reg)
}

// Await waits until a server of the root answers, at most so long. An error from
// ended ends it, too; nil does not.
func (r Registry) Await(ctx context.Context, root string, most time.Duration, ended <-chan error) (reg Registration, ok bool, err error) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for deadline := time.Now().Add(most); ; {
		if reg, ok := r.Find(ctx, root); ok {
			return reg, true, nil
		}
		if time.Now().After(deadline) {
			return reg, false, nil
		}
		select {
		case <-ctx.Done():
			return reg, false, ctx.Err()
		case err := <-ended:
			if err != nil {
				return reg, false, err
			}
			ended = nil
		case <-tick.C:
		}
	}
}

// LogFile is where a server in the background writes.
func (r Registry) LogFile(root string) string { return r.File(root) + ".log" }

// Containing returns the server of the nearest root that dir is or is in.
func (r Registry) Containing(ctx context.Context, dir string) (Registration, bool) {
	for {
		if reg, ok := r.Find(ctx, dir); ok {
			return reg, true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return Registration{}, false
		}
		dir = up
	}
}

// only returns the one server that runs, if exactly one does.
func (r Registry) only(ctx context.Context) (one Registration, ok bool) {
	all, err := r.All(ctx)
	if err != nil || len(all) != 1 {
		return one, false
	}
	return all[0], true
}

// All returns the servers that answer, by root.
func (r Registry) All(ctx context.Context) ([]Registration, error) {
	found := []Registration{}
	entries, err := os.ReadDir(r.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for servers: %w", err)
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".json" {
			continue
		}
		reg, ok := r.Read(filepath.Join(r.Dir, e.Name()))
		if ok && r.live(ctx, reg) {
			found = append(found, reg)
		}
	}
	slices.SortFunc(found, func(a, b Registration) int { return strings.Compare(a.Root, b.Root) })
	return found, nil
}
