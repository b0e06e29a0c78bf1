//go:build !unix && !windows

package registry

import "os/exec"

// detach does nothing: a program outlives the one that has started it anyway.
func detach(*exec.Cmd) {}
