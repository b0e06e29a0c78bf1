package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
)

// A Ledger is the file that keeps, for each file that Install has edited, its
// Undo: a few hundred bytes of JSON, and of the file's own text only an entry of
// Quarry's that was replaced. Without it Uninstall still takes the entry away,
// but leaves an empty table or file that Install had made. Two processes that
// write it at once lose one of their notes.
type Ledger struct {
	Path string
}

// ledgerForm is the form of the file. One of another form is not read.
const ledgerForm = 1

type ledgerFile struct {
	Form  int             `json:"form"`
	Files map[string]Undo `json:"files"`
}

func (l Ledger) load() (ledgerFile, error) {
	all := ledgerFile{Form: ledgerForm, Files: map[string]Undo{}}
	text, err := os.ReadFile(l.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return all, fmt.Errorf("the ledger of installations: %w", err)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return all, fmt.Errorf("the ledger of installations %s: %w", l.Path, err)
	}
	if all.Form != ledgerForm {
		return all, fmt.Errorf("the ledger of installations %s has form %d, and this program writes %d", l.Path, all.Form, ledgerForm)
	}
	if all.Files == nil {
		all.Files = map[string]Undo{}
	}
	return all, nil
}

// find returns how to undo the installation in a file, the zero Undo where that
// is not known.
func (l Ledger) find(file string) (Undo, error) {
	all, err := l.load()
	return all.Files[file], err
}

// put keeps how to undo the installation in a file; the zero Undo forgets it, and
// the last one that is forgotten takes the ledger with it.
func (l Ledger) put(file string, undo Undo) error {
	all, err := l.load()
	if err != nil {
		return err
	}
	delete(all.Files, file)
	if !reflect.ValueOf(undo).IsZero() {
		all.Files[file] = undo
	}
	if len(all.Files) == 0 {
		if err := os.Remove(l.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the ledger of installations: %w", err)
		}
		return nil
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(l.Path), 0o700)
	}
	if err == nil {
		err = replace(l.Path, append(text, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("the ledger of installations %s: %w", l.Path, err)
	}
	return nil
}
