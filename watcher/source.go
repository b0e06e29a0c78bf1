package watcher

import (
	"fmt"

	"github.com/fsnotify/fsnotify"
)

// A source gives the kernel's notices of single folders. Tests put their own in
// its place.
type source interface {
	Add(folder string) error
	Remove(folder string) error
	Events() <-chan fsnotify.Event // closed after Close
	Errors() <-chan error          // closed after Close
	Close() error
}

type notify struct{ *fsnotify.Watcher }

func (n notify) Events() <-chan fsnotify.Event { return n.Watcher.Events }
func (n notify) Errors() <-chan error          { return n.Watcher.Errors }

func openNotify() (source, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("kernel notifications: %w", err)
	}
	return notify{w}, nil
}
