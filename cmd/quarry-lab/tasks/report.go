package tasks

import (
	"fmt"
	"io"
	"strings"
)

// table writes the outcomes as Markdown.
func table(w io.Writer, all []outcome) error {
	var b strings.Builder
	b.WriteString("| repository | the task | facts | MCP: found, tokens (structured) | `te`: found, tokens | grep and cat: found, tokens | MCP saves | `te` saves |\n|---|---|---|---|---|---|---|---|\n")
	var sum outcome
	for _, o := range all {
		row(&b, o.Repository+", "+o.Language, o.Goal, &o)
		sum.Facts += o.Facts
		for way := range ways {
			to, from := &sum.Ways[way], o.Ways[way]
			to.Requests += from.Requests
			to.Found += from.Found
			to.Tokens += from.Tokens
			to.Typed += from.Typed
		}
	}
	if len(all) > 1 {
		row(&b, "all", "", &sum)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func row(b *strings.Builder, name, goal string, o *outcome) {
	of := func(way int) string { return fmt.Sprintf("%d, %d", o.Ways[way].Found, o.Ways[way].Tokens) }
	saved := func(way int) string {
		return fmt.Sprintf("%.0f %%", 100*(1-float64(o.Ways[way].Tokens)/float64(max(o.Ways[plain].Tokens, 1))))
	}
	fmt.Fprintf(b, "| %s | %s | %d | %s (%d) | %s | %s | %s | %s |\n", name, goal, o.Facts, of(mcp), o.Ways[mcp].Typed, of(te), of(plain), saved(mcp), saved(te))
}
