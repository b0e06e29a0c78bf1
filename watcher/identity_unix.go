//go:build unix

package watcher

import (
	"io/fs"
	"syscall"
)

// identities says if identity tells files apart.
const identities = true

// identity tells a file from another that later has its name. It is not unique
// in time: the number of a deleted file may be given to the next.
type identity struct{ device, inode uint64 }

func identify(info fs.FileInfo) identity {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}
	}
	return identity{uint64(st.Dev), uint64(st.Ino)}
}
