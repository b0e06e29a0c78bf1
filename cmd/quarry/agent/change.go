package agent

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// largest is how many bytes of configuration are read. Claude Code keeps much
// besides its settings in its file, but not that much.
const largest = 64 << 20

// A Change is an edit of one file of an agent: planned, shown, and then applied.
type Change struct {
	Agent  Agent
	File   string // absolute, as the agent names it; links are followed when it is read and written
	Before []byte // nil: there is no file
	After  []byte // nil: there shall be none

	undo   Undo
	remove bool
}

// Changes reports whether there is anything to do.
func (c Change) Changes() bool {
	return (c.Before == nil) != (c.After == nil) || !bytes.Equal(c.Before, c.After)
}

// PlanInstall returns the change that enters command into the agent's file: the
// first of Files that exists, else the last. The error is a sentence that begins
// with the file, and with the line where there is one.
func PlanInstall(a Agent, p Places, s Scope, command string) (Change, error) {
	files := a.Files(p, s)
	c := Change{Agent: a, File: files[len(files)-1]}
	for _, file := range files {
		if _, err := os.Lstat(file); err == nil {
			c.File = file
			break
		}
	}
	var err error
	if c.Before, err = read(c.File); err != nil {
		return c, err
	}
	c.After, c.undo, err = a.Install(c.Before, command)
	return c, located(c.File, err)
}

// A Planned is a change, or why there is none: an error as PlanInstall's.
type Planned struct {
	Change Change
	Err    error
}

// PlanUninstall returns the changes that take the entry out of the agent's files:
// one for each that exists.
func PlanUninstall(a Agent, p Places, s Scope, l Ledger) []Planned {
	var all []Planned
	for _, file := range a.Files(p, s) {
		before, err := read(file)
		if err == nil && before == nil {
			continue
		}
		c := Change{Agent: a, File: file, Before: before, remove: true}
		if err == nil {
			c.undo, err = l.find(file)
		}
		if err == nil {
			c.After, _, err = a.Uninstall(before, c.undo)
			err = located(file, err)
		}
		all = append(all, Planned{c, err})
	}
	return all
}

// located puts the file, and the line of a refusal, before an error.
func located(file string, err error) error {
	if r := (*Refusal)(nil); errors.As(err, &r) && r.Line > 0 {
		return fmt.Errorf("%s:%d: %w", file, r.Line, err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// read returns what a file holds, nil where there is none. It is never nil for
// an empty one.
func read(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, located(file, cause(err))
	}
	if !info.Mode().IsRegular() {
		return nil, located(file, errors.New("it is not a file"))
	}
	if info.Size() > largest {
		return nil, located(file, fmt.Errorf("it has %d bytes, more than the %d that are read", info.Size(), int64(largest)))
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, located(file, cause(err))
	}
	return append([]byte{}, text...), nil
}

// cause leaves out the path, which the sentence around it names.
func cause(err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// Apply writes the change, all or nothing, unless the file is no longer what the
// change was planned on. A file that is there keeps its mode, and a link stays
// one; one that is made has mode, of which a folder gets what lets it be entered.
// What is needed to undo an installation is in the ledger before it is written.
func (c Change) Apply(l Ledger, mode fs.FileMode) error {
	now, err := read(c.File)
	if err != nil {
		return err
	}
	if (now == nil) != (c.Before == nil) || !bytes.Equal(now, c.Before) {
		return located(c.File, errors.New("it was changed meanwhile, and is left alone: run the command again"))
	}
	if c.remove {
		return c.applyUninstall(l)
	}
	old, err := l.find(c.File)
	if err != nil {
		return err
	}
	undo := c.undo
	if undo.Before != "" && old.After != "" {
		// The entry is an earlier installation's: what that one met is to come back.
		undo, undo.After = old, c.undo.After
	}
	if undo.Created {
		if undo.Folders, err = makeFolders(filepath.Dir(c.File), mode|mode>>2&0o111); err != nil {
			return located(c.File, cause(err))
		}
	}
	if err := l.put(c.File, undo); err != nil {
		return err
	}
	return located(c.File, replace(c.File, c.After, mode))
}

// applyUninstall writes what is left of the file, or takes it away with the
// folders that were made for it and hold nothing else.
func (c Change) applyUninstall(l Ledger) error {
	if c.After != nil {
		if err := replace(c.File, c.After, 0o600); err != nil {
			return located(c.File, err)
		}
		return l.put(c.File, Undo{})
	}
	if err := os.Remove(c.File); err != nil {
		return located(c.File, cause(err))
	}
	for _, folder := range slices.Backward(c.undo.Folders) {
		if os.Remove(folder) != nil {
			break // somebody has put something into it
		}
	}
	return l.put(c.File, Undo{})
}

// makeFolders makes a folder and those around it, and returns the new ones,
// outermost first.
func makeFolders(dir string, mode fs.FileMode) ([]string, error) {
	var missing []string
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, at)
	}
	slices.Reverse(missing)
	return missing, os.MkdirAll(dir, mode)
}

// replace writes a file by way of a new one next to it, so that nobody sees half
// of it. Where file is a link, what it leads to is replaced.
func replace(file string, text []byte, mode fs.FileMode) error {
	target, err := filepath.EvalSymlinks(file)
	if errors.Is(err, fs.ErrNotExist) {
		target, err = file, nil
		if to, dangling := os.Readlink(file); dangling == nil {
			return fmt.Errorf("it is a link to %s, which does not exist", to)
		}
	}
	if err != nil {
		return cause(err)
	}
	if info, err := os.Stat(target); err == nil {
		mode = info.Mode().Perm()
	}
	tmp, err := os.CreateTemp(filepath.Dir(target), ".quarry-*")
	if err != nil {
		return cause(err)
	}
	_, err = tmp.Write(text)
	if err == nil {
		err = tmp.Chmod(mode)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if bad := tmp.Close(); err == nil {
		err = bad
	}
	if err == nil {
		err = os.Rename(tmp.Name(), target)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
		return cause(err)
	}
	return nil
}
