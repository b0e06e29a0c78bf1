package command

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/index"
)

// settled says how a first build has ended: nothing, unless nothing was indexed or tell
// asks for it. label says of several projects which one.
func settled(out io.Writer, label string, x *index.Index, tell bool) {
	st := x.State()
	if st.State == index.Failed {
		if tell {
			fmt.Fprintf(out, "quarry: %sthe first build failed\n", label)
		}
		return
	}
	if st.Files == 0 {
		fmt.Fprintf(out, "quarry: %s%s\n", label, nothingIndexed(x.Status(0)))
	}
	if tell { // ready, or stale already: a change has come in since
		fmt.Fprintf(out, "quarry: %sready, %d files, %d chunks\n", label, st.Files, st.Chunks)
	}
}

// nothingIndexed says why an index is empty.
func nothingIndexed(s index.Status) string {
	if s.Coverage.Skipped == 0 {
		return fmt.Sprintf("nothing in %s is indexed: everything in it is ignored", s.Root)
	}
	return fmt.Sprintf("nothing in %s is indexed: %d files were left out (%s)", s.Root, s.Coverage.Skipped, counts(s.Coverage.Reasons))
}

// projectDir is the folder in which the snapshot of a root is kept.
func projectDir(s *config.Settings, root string) string {
	return registry{filepath.Join(s.DataDir, "projects")}.file(root)
}
