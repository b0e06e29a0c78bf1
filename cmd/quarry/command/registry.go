package command

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

	"github.com/quarry-search/quarry/cmd/quarry/config"
)

// A registration is what a running server says of itself to other processes of
// its user.
type registration struct {
	PID     int       `json:"pid"`
	URL     string    `json:"url"`
	Root    string    `json:"root"`
	Version string    `json:"version"`
	Started time.Time `json:"started"`
	Sockets []string  `json:"sockets,omitempty"` // Unix sockets that are about the root

	// Instance is the word that the server says to a client that does not show its token.
	Instance string `json:"instance,omitempty"`

	pin // by which it is known where it speaks TLS
}

// remote is the server, to be asked with a token.
func (reg *registration) remote(token string) remote {
	return remote{base: reg.URL, pin: reg.pin, token: token, project: reg.Root}
}

// about is an endpoint's path for a GET that is about the root, if that is known.
func (reg *registration) about(path string) string {
	if reg.Root == "" {
		return path
	}
	return path + "?project=" + url.QueryEscape(reg.Root)
}

// A registry is a folder with one file for each running server, named by a hash
// of its root, so that a root finds its server without a search. A file is only
// a hint: it may be left over from a server that was killed, so whoever reads
// one asks the server for its root before believing it.
type registry struct {
	dir string
}

func openRegistry(s config.Settings) registry {
	return registry{filepath.Join(s.DataDir, "servers")}
}

// file returns the path, without extension, of what belongs to root.
func (r registry) file(root string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(r.dir, hex.EncodeToString(sum[:8]))
}

// lock claims the root for this process until release is called, or until the
// process ends in any way. It reports false when another process holds it.
func (r registry) lock(root string) (release func(), held bool, err error) {
	return r.claim(filepath.Base(r.file(root)))
}

// claim is lock of a root by the name that its files have.
func (r registry) claim(name string) (release func(), held bool, err error) {
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return nil, false, fmt.Errorf("register the server: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(r.dir, name)+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false, fmt.Errorf("register the server: %w", err)
	}
	held, err = lockFile(f)
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

// add writes the file of a server. The reader of a file sees all of it or an
// older one. remove takes the file away, if it is still the one written.
func (r registry) add(reg registration) (remove func() error, err error) {
	text, err := json.MarshalIndent(reg, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("register the server: %w", err)
	}
	tmp, err := os.CreateTemp(r.dir, ".new-*") // mode 0600
	if err != nil {
		return nil, fmt.Errorf("register the server: %w", err)
	}
	_, err = tmp.Write(append(text, '\n'))
	path := r.file(reg.Root) + ".json"
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return nil, fmt.Errorf("register the server: %w", err)
	}
	return func() error {
		if now, ok := r.read(path); !ok || now.PID != reg.PID || now.URL != reg.URL {
			return nil
		}
		return os.Remove(path)
	}, nil
}

func (r registry) read(path string) (registration, bool) {
	var reg registration
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, &reg) != nil || reg.URL == "" || reg.Root == "" {
		return registration{}, false
	}
	return reg, true
}

// live reports whether the server answers, and has the root it is registered for.
func (r registry) live(ctx context.Context, reg registration) bool {
	h, err := reg.remote("").health(ctx)
	if err == nil && h.Root == "" { // it asks for a token, and this process may have none
		return h.Instance != "" && h.Instance == reg.Instance
	}
	return err == nil && (h.Root == reg.Root || slices.Contains(h.Roots, reg.Root))
}

// find returns the server of exactly this root.
func (r registry) find(ctx context.Context, root string) (registration, bool) {
	reg, ok := r.read(r.file(root) + ".json")
	return reg, ok && reg.Root == root && r.live(ctx, reg)
}

// await waits until a server of the root answers, at most so long. An error from
// ended ends it, too; nil does not.
func (r registry) await(ctx context.Context, root string, most time.Duration, ended <-chan error) (reg registration, ok bool, err error) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for deadline := time.Now().Add(most); ; {
		if reg, ok := r.find(ctx, root); ok {
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

// logFile is where a server in the background writes.
func (r registry) logFile(root string) string { return r.file(root) + ".log" }

// containing returns the server of the nearest root that dir is or is in.
func (r registry) containing(ctx context.Context, dir string) (registration, bool) {
	for {
		if reg, ok := r.find(ctx, dir); ok {
			return reg, true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return registration{}, false
		}
		dir = up
	}
}

// only returns the one server that runs, if exactly one does.
func (r registry) only(ctx context.Context) (one registration, ok bool) {
	all, err := r.all(ctx)
	if err != nil || len(all) != 1 {
		return one, false
	}
	return all[0], true
}

// all returns the servers that answer, by root.
func (r registry) all(ctx context.Context) ([]registration, error) {
	found := []registration{}
	entries, err := os.ReadDir(r.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for servers: %w", err)
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".json" {
			continue
		}
		reg, ok := r.read(filepath.Join(r.dir, e.Name()))
		if ok && r.live(ctx, reg) {
			found = append(found, reg)
		}
	}
	slices.SortFunc(found, func(a, b registration) int { return strings.Compare(a.Root, b.Root) })
	return found, nil
}
