package server

import (
	"fmt"
	"io"

	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
)

// settled says how a first build has ended: nothing, unless nothing was indexed or tell
// asks for it. label says of several projects which one.
func settled(out io.Writer, label string, x *index.Index, tell bool) {
	st := x.State()
	if st.State == answer.Failed {
		if tell {
			fmt.Fprintf(out, "quarry: %sthe first build failed\n", label)
		}
		return
	}
	if st.Files == 0 {
		fmt.Fprintf(out, "quarry: %s%s\n", label, terminal.NothingIndexed(x.Status(0)))
	}
	if tell { // ready, or stale already: a change has come in since
		fmt.Fprintf(out, "quarry: %sready, %d files, %d chunks\n", label, st.Files, st.Chunks)
	}
}
