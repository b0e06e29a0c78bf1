// Package version says what the program was built from.
package version

import (
	"runtime"
	"runtime/debug"
)

// Release is the version of the source tree.
const Release = "0.1.0"

// commit is what a release was built from, which the linker is told: a release has nothing
// that the Go tool records of the work tree, so that an archive of the sources builds it, too.
var commit string

// A Build says what this program was built from.
type Build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"` // built from a changed work tree
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Read reads what the Go tool recorded in the program.
func Read() Build {
	b := Build{Version: Release, Commit: commit, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}
