package watcher

import (
	"errors"
	"os"
	"strconv"
	"strings"
)

// watchesFile is where Linux says how many folders it watches for the programs of one
// user together.
const watchesFile = "/proc/sys/fs/inotify/max_user_watches"

// grantedWatches reads how many watches a user may have; 0: that is not known.
func grantedWatches(file string) int {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// errBound is what a bounded source says when it holds what it may.
var errBound = errors.New("the watcher's own limit is reached, which leaves some to other programs")

// A bounded source has no more than so many folders watched.
type bounded struct {
	source
	most int
	held map[string]struct{}
}

func bound(s source, most int) *bounded { return &bounded{s, most, map[string]struct{}{}} }

func (b *bounded) Add(folder string) error {
	_, has := b.held[folder]
	if !has && len(b.held) >= b.most {
		return errBound
	}
	if err := b.source.Add(folder); err != nil {
		delete(b.held, folder) // the kernel has ended it
		return err
	}
	b.held[folder] = struct{}{}
	return nil
}

func (b *bounded) Remove(folder string) error {
	delete(b.held, folder)
	return b.source.Remove(folder)
}
