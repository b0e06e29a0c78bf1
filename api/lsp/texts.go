package lsp

import (
	"errors"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Bounds of the texts that are kept.
const (
	maxTexts    = 256
	maxTextSize = 16 << 20 // bytes
)

var errTooLarge = errors.New("the file is too large")

// texts are those of files on disk that answers have named, for the positions in them. Only what
// is below the root is read, and no link leads out of it.
type texts struct {
	mu    sync.Mutex
	path  string // of the root
	root  *os.Root
	kept  map[string]keptText
	order []string
}

// A keptText is one that is good as long as its file looks the same.
type keptText struct {
	*text
	size int64
	at   time.Time
}

func newTexts() *texts { return &texts{kept: map[string]keptText{}} }

// open sets the root.
func (t *texts) open(path string) error {
	root, err := os.OpenRoot(path)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.path, t.root = path, root
	return nil
}

func (t *texts) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.root != nil {
		_ = t.root.Close()
	}
}

// read returns the text of a file, by its absolute path.
func (t *texts) read(path string) (*text, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rel, ok := strings.CutPrefix(path, t.path+string(os.PathSeparator))
	if !ok || t.root == nil {
		return nil, os.ErrNotExist
	}
	f, err := t.root.Open(rel)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, os.ErrInvalid
	case info.Size() > maxTextSize:
		return nil, errTooLarge
	}
	if k, ok := t.kept[path]; ok && k.size == info.Size() && k.at.Equal(info.ModTime()) {
		return k.text, nil
	}
	all, err := io.ReadAll(io.LimitReader(f, maxTextSize))
	if err != nil {
		return nil, err
	}
	if _, ok := t.kept[path]; !ok {
		if t.order = append(t.order, path); len(t.order) > maxTexts {
			delete(t.kept, t.order[0])
			t.order = t.order[1:]
		}
	}
	now := newText(string(all))
	t.kept[path] = keptText{now, info.Size(), info.ModTime()}
	return now, nil
}

// text returns what a file has for the editor: what is open, or else what is on disk; an empty text
// where nothing can be read.
func (r *request) text(path string) *text {
	if d := r.documents[path]; d != nil {
		return d.text
	}
	if t, err := r.texts.read(path); err == nil {
		return t
	}
	return newText("")
}

func sorted(keys iter.Seq[string]) []string { return slices.Sorted(keys) }
