package text

import (
	"fmt"
	"strings"

	"github.com/quarry-search/quarry/api/wire"
)

// arch writes a heading for each list of an answer about the architecture, and a line for each entry.
func arch(b *builder, a *wire.ArchResponse) {
	t := &a.Totals
	if a.Drawing != "" {
		b.linef("%s", strings.TrimRight(a.Drawing, "\n"))
	} else {
		b.linef("%d files, %d modules (%s), %d dependencies, %d cycles", t.Files, t.Modules, a.Level, t.Dependencies, t.Cycles)
	}
	shown := archStructure(b, a) + archFindings(b, a)
	for _, why := range a.NotLookedAt {
		b.note("not looked at: %s", why)
	}
	if a.Drawing != "" {
		noteMeta(b, &a.Meta, strings.Count(a.Drawing, "\n"))
	} else {
		noteMeta(b, &a.Meta, shown)
	}
	sure{a.Complete, a.Incomplete, nil}.note(b)
	noteIndex(b, &a.Index)
}

// archStructure writes what there is.
func archStructure(b *builder, a *wire.ArchResponse) int {
	list(b, "Layers, those that depend on the most first", a.Layers, func(l *wire.ArchLayer) string {
		more := ""
		if l.Omitted > 0 {
			more = fmt.Sprintf(" and %d more", l.Omitted)
		}
		return fmt.Sprintf("%d: %s%s", l.Rank, strings.Join(l.Modules, " "), more)
	})
	list(b, "Modules", a.Modules, func(m *wire.ArchModule) string {
		return fmt.Sprintf("%s %s, in %d, out %d, instability %.2f, files %d, lines %d", m.Name, m.Layer, m.Afferent, m.Efferent, m.Instability, m.Files, m.Lines)
	})
	list(b, "Coupling", a.Matrix, archCell)
	list(b, "Cycles", a.Cycles, func(c *wire.ArchCycle) string {
		var cut []string
		for i := range c.Cut {
			cut = append(cut, archCell(&c.Cut[i]))
		}
		kind, sure := "", "cheapest cut"
		if c.TypeOnly {
			kind = " of types alone"
		}
		if c.TestOnly {
			kind += " by tests alone"
		}
		if !c.Exact {
			sure = "cut"
		}
		return fmt.Sprintf("%d modules%s: %s -> %s; %s: %s", len(c.Modules), kind, strings.Join(c.Path, " -> "), c.Path[0], sure, strings.Join(cut, "; "))
	})
	return len(a.Layers) + len(a.Modules) + len(a.Matrix) + len(a.Cycles)
}

// archFindings writes what stands out.
func archFindings(b *builder, a *wire.ArchResponse) int {
	list(b, "Hubs", a.Hubs, func(h *wire.ArchHub) string { return fmt.Sprintf("%s in %d, out %d", h.Name, h.FanIn, h.FanOut) })
	list(b, "God files", a.GodFiles, func(g *wire.ArchGodFile) string {
		return fmt.Sprintf("%s: %d lines, %d symbols, in %d, out %d", g.File, g.Lines, g.Symbols, g.FanIn, g.FanOut)
	})
	list(b, "Violations", a.Violations, func(v *wire.ArchViolation) string {
		return fmt.Sprintf("%s:%d %s -> %s (%s, %s): %s", v.File, v.Line, v.From, v.To, v.Rule, v.Kind, v.Text)
	})
	list(b, "Changed together", a.Together, func(p *wire.ArchPair) string {
		text := fmt.Sprintf("%s and %s: %d commits, confidence %.2f", p.A, p.B, p.Commits, p.Confidence)
		if !p.Depends {
			text += ", neither depends on the other"
		}
		return text
	})
	list(b, "Functions", a.Functions, func(f *wire.ArchFunction) string {
		return fmt.Sprintf("%s:%d %s %s, called %d, calls %d", f.File, f.Line, f.Symbol, f.Layer, f.CallsIn, f.CallsOut)
	})
	return len(a.Hubs) + len(a.GodFiles) + len(a.Violations) + len(a.Together) + len(a.Functions)
}

// archCell is a dependency with what it consists of.
func archCell(c *wire.ArchCell) string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{c.Imports, "imports"}, {c.TypeImports, "type imports"}, {c.Types, "types"}, {c.Calls, "calls"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return fmt.Sprintf("%s -> %s (%s, %s:%d)", c.From, c.To, strings.Join(parts, ", "), c.File, c.Line)
}

// list writes a heading and a line for each entry; nothing for none.
func list[T any](b *builder, heading string, entries []T, line func(*T) string) {
	if len(entries) == 0 {
		return
	}
	b.linef("")
	b.linef("%s:", heading)
	for i := range entries {
		b.linef("  %s", line(&entries[i]))
	}
}
