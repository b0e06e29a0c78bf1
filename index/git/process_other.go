//go:build !unix

package git

import (
	"io/fs"
	"os/exec"
)

func apart(*exec.Cmd) {}

func watch(_ int, done <-chan struct{}, _ func()) { <-done }

func device(fs.FileInfo) uint64 { return 0 }
