package coach

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// The file is JSON: {"version": 1, "commands": {"grep": {"1": {"n": 40, "scored": 31,
// "sum": 22}}}}, the counts by command and ID. A form that is not there was never used;
// commands and forms that this program does not know are dropped.
const version = 1

type file struct {
	Version  int                         `json:"version"`
	Commands map[string]map[string]count `json:"commands"`
}

// A form is a Strategy of a command, by its ID.
type form struct {
	cmd string
	id  int
}

// A count says how often a form was given and what it has earned.
type count struct {
	N      int `json:"n"`
	Scored int `json:"scored"`
	Sum    int `json:"sum"` // of the scores
}

type counts map[form]count

func (c count) plus(d count) count { return count{c.N + d.N, c.Scored + d.Scored, c.Sum + d.Sum} }

func (c count) mean() float64 {
	if c.Scored == 0 {
		return 0
	}
	return float64(c.Sum) / float64(c.Scored)
}

// before reports whether a form with this count is to be preferred: by its mean, then
// because less is known of it.
func (c count) before(d count) bool {
	if a, b := c.mean(), d.mean(); a != b {
		return a > b
	}
	return c.N < d.N
}

// possible reports whether a count may come from answers.
func (c count) possible() bool {
	return 0 <= c.Scored && c.Scored <= c.N && c.N < 1<<40 && asksAgain*c.Scored <= c.Sum && c.Sum <= proceeds*c.Scored
}

// load reads the counts of a file. There are none in one that does not exist, and none
// next to an error.
func load(path string) (counts, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return counts{}, nil
	}
	if err != nil {
		return counts{}, fmt.Errorf("read the coach's counts: %w", err)
	}
	var f file
	if err := json.Unmarshal(text, &f); err != nil {
		return counts{}, fmt.Errorf("read the coach's counts: %s: %w", path, err)
	}
	if f.Version != version {
		return counts{}, fmt.Errorf("read the coach's counts: %s: version %d, not %d", path, f.Version, version)
	}
	all := counts{}
	for _, cmd := range Commands() {
		for _, s := range strategies(cmd) {
			c, ok := f.Commands[cmd][strconv.Itoa(s.ID)]
			if !ok {
				continue
			}
			if !c.possible() {
				return counts{}, fmt.Errorf("read the coach's counts: %s: those of form %d of %s cannot be", path, s.ID, cmd)
			}
			all[form{cmd, s.ID}] = c
		}
	}
	return all, nil
}

// Save adds what was counted since Open or the last Save to the file, which another
// process may have written meanwhile; of two that do so in the same instant, one is
// lost. Whoever reads the file sees all of it or an older one. With nothing new, or
// without a file, or by a nil Coach, nothing is written.
func (c *Coach) Save() error {
	if c == nil || c.path == "" {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.since) == 0 {
		return nil
	}
	now, err := load(c.path)
	if err != nil { // it was damaged at the start, or has been since
		now = maps.Clone(c.kept)
	}
	for k, v := range c.since {
		// A file that said it was full would not be read again with more.
		if sum := now[k].plus(v); sum.possible() {
			now[k] = sum
		}
	}
	f := file{Version: version, Commands: map[string]map[string]count{}}
	for k, v := range now {
		if f.Commands[k.cmd] == nil {
			f.Commands[k.cmd] = map[string]count{}
		}
		f.Commands[k.cmd][strconv.Itoa(k.id)] = v
	}
	if err := f.write(c.path); err != nil {
		return fmt.Errorf("save the coach's counts: %w", err)
	}
	c.kept, c.since = now, counts{}
	return nil
}

// write puts the file in the place of an older one.
func (f file) write(path string) error {
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".coach-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(slices.Concat(text, []byte("\n")))
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}
