package walk

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A TryForm says where the parts of a "try" are.
type TryForm struct {
	Init, Body string                          // Body "": the children that are none of the others
	Catches    []string                        // kinds of handlers
	Else       string                          // the kind of what runs where nothing is raised
	Finally    []string                        // kinds, or a field
	Catch      func(b *Builder, c syntax.Node) // writes the head of a handler, in its step
	Handler    string                          // the field of the body of a handler; "": its last child
	Begin      Rule                            // writes what comes before the body; may be nil
	Any        bool                            // a handler catches all there is
	IsAny      func(b *Builder, c syntax.Node) bool
	Exit       Rule // of Init: what runs when the body is left
}

// Rule is what a "try" does.
func (f TryForm) Rule() Rule {
	return func(b *Builder, n syntax.Node) {
		var catches []syntax.Node
		var also, last syntax.Node
		for c := range b.NamedChildren(n) {
			kind := b.Kind(c)
			for _, k := range f.Catches {
				if k == kind {
					catches = append(catches, c)
				}
			}
			if kind == f.Else && kind != "" {
				also = c
			}
			for _, k := range f.Finally {
				if k == kind || k == b.Field(c) {
					last = c
				}
			}
		}
		b.Scoped(func() {
			write := func() { f.guarded(b, n, catches, also) }
			if last != 0 {
				b.Finally(write, func() { b.body(last) })
			} else {
				write()
			}
		})
	}
}

func (f TryForm) guarded(b *Builder, n syntax.Node, catches []syntax.Node, also syntax.Node) {
	if len(catches) > 0 {
		b.frames = append(b.frames, frame{catches: true})
	}
	if f.Begin != nil {
		f.Begin(b, n)
	}
	init := b.Child(n, f.Init)
	if f.Init != "" && init != 0 {
		b.Head(n)
		b.Stmt(init)
	}
	body := func() {
		if f.Body != "" {
			b.body(b.Child(n, f.Body))
			return
		}
		for c := range b.NamedChildren(n) {
			if kind := b.Kind(c); !slices.Contains(f.Catches, kind) && !slices.Contains(f.Finally, kind) && (kind != f.Else || c != also) {
				b.Stmt(c)
			}
		}
	}
	if f.Exit != nil && init != 0 {
		b.Finally(body, func() { f.Exit(b, init) })
	} else {
		body()
	}
	var handlers []way
	if len(catches) > 0 {
		handlers = b.frames[len(b.frames)-1].handlers
		b.frames = b.frames[:len(b.frames)-1]
	}
	if also != 0 {
		b.body(also)
	}
	ends := b.at
	b.at = handlers
	for _, c := range catches {
		b.Scoped(func() {
			body := b.Child(c, f.Handler)
			if f.Handler == "" {
				for last := range b.NamedChildren(c) {
					body = last
				}
			}
			id := b.StepOf(Catch, b.Start(c), headEnd(b, c, body), 0, func() {
				if f.Catch != nil {
					f.Catch(b, c)
				}
			})
			if b.dry {
				b.body(body)
				return
			}
			b.at = []way{{from: id, kind: True}}
			all := f.Any || f.IsAny != nil && f.IsAny(b, c)
			if all {
				b.at[0].kind = Next
			}
			b.body(body)
			ends = append(ends, b.at...)
			b.at = nil
			if !all {
				b.at = []way{{from: id, kind: False}}
			}
		})
	}
	maybe := !slices.ContainsFunc(handlers, func(w way) bool { return !w.maybe })
	for _, w := range b.at { // no handler fits
		if w.kind != ghost {
			b.send(jump{from: way{w.from, Raised, maybe}, op: ToRaise}, len(b.frames))
		}
	}
	b.at = ends
}

// Finally writes something of which every way out passes through last.
func (b *Builder) Finally(do, last func()) {
	if b.dry {
		do()
		last()
		return
	}
	b.finally(b.framed(frame{finally: true, first: len(b.g.Steps)}, do), last)
}

// framed writes something within a frame, and returns that.
func (b *Builder) framed(f frame, do func()) frame {
	b.frames = append(b.frames, f)
	do()
	f = b.frames[len(b.frames)-1]
	b.frames = b.frames[:len(b.frames)-1]
	return f
}

// deferring writes the body of a function. Where it defers calls, every way out that is written
// passes through a step for these; errors of what is called do not.
func (b *Builder) deferring(do func()) {
	f := b.framed(frame{finally: true, function: true, first: len(b.g.Steps)}, do)
	if b.defers {
		b.finally(f, func() { b.StepOf(Deferred, b.g.End, b.g.End, 0, nil) })
		return
	}
	for _, j := range f.jumps {
		b.send(j, len(b.frames))
	}
}

// finally writes what every way out of a frame passes through.
func (b *Builder) finally(f frame, last func()) {
	normal := slices.ContainsFunc(b.at, b.alive)
	for i := range b.at {
		if b.at[i].kind == Next {
			b.at[i].kind = Finally
		}
	}
	for _, j := range f.jumps {
		b.at = append(b.at, j.from)
	}
	if len(b.at) == 0 {
		return
	}
	first := len(b.g.Steps)
	last()
	if first == len(b.g.Steps) && len(f.jumps) == 0 {
		return
	}
	ends := b.at
	b.at = nil
	if normal {
		b.at = ends
	}
	type target struct {
		op    JumpOp
		label string
		more  int
		maybe bool
	}
	b.after(ends, f.jumps)
	sent := map[target]bool{}
	for _, j := range f.jumps {
		if t := (target{j.op, j.label, j.more, j.from.maybe}); sent[t] || b.dead[j.from.from] {
			continue
		} else {
			sent[t] = true
		}
		for _, w := range ends {
			if w.kind != ghost {
				b.send(jump{way{w.from, j.from.kind, j.from.maybe}, j.op, j.label, j.more}, len(b.frames))
			}
		}
	}
}

// after notes at the ends of a "finally" which steps leave by way of it. An error that a step may
// raise counts where a handler is around.
func (b *Builder) after(ends []way, jumps []jump) {
	caught := slices.ContainsFunc(b.frames, func(f frame) bool { return f.catches })
	for _, w := range ends {
		s := &b.g.Steps[w.from]
		for _, j := range jumps {
			if (caught || !j.from.maybe) && j.from.from != w.from && !slices.Contains(s.After, j.from.from) {
				s.After = append(s.After, j.from.from)
			}
		}
	}
}
