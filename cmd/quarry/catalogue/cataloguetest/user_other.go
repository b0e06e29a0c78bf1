//go:build !unix

package cataloguetest

import (
	"os/exec"
	"testing"
)

func own(testing.TB, string)             {}
func unprivileged(testing.TB, *exec.Cmd) {}
