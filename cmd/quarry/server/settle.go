package server

import (
	"fmt"
	"io"

	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
)

// settled says how a first build, or the comparison with what was restored, has ended. label
// says of several projects which one.
func settled(out io.Writer, label string, x *index.Index) {
	st := x.Status(0)
	if st.State.State == answer.Failed {
		fmt.Fprintf(out, "quarry: %sthe first build failed\n", label)
		return
	}
	if st.Files == 0 {
		fmt.Fprintf(out, "quarry: %s%s\n", label, terminal.NothingIndexed(st))
	}
	// Ready, or stale already: a change has come in since.
	fmt.Fprintf(out, "quarry: %sready, %d files, %d chunks, %.1f s\n", label, st.Files, st.Chunks, st.BuildSeconds)
}
