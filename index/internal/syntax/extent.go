package syntax

import "sort"

// stretch ends each definition that has a level where the next one of its level
// or above begins. The definitions are in the order of their names.
func (x *extraction) stretch() {
	for i := range x.defs {
		d := &x.defs[i]
		if d.level == 0 {
			continue
		}
		d.End = len(x.src)
		for _, next := range x.defs[i+1:] {
			if next.level > 0 && next.level <= d.level {
				d.End = next.Start
				break
			}
		}
		d.Span = x.trim(d.Span)
	}
}

// attachBodies gives each loose @body to the definition that ends with it.
func (x *extraction) attachBodies() {
	if len(x.bodies) == 0 {
		return
	}
	begin := make(map[int]int, len(x.bodies))
	for _, b := range x.bodies {
		begin[x.trim(b).End] = b.Start
	}
	for i := range x.defs {
		d := &x.defs[i]
		if b, ok := begin[d.End]; ok && d.body < 0 && b > d.name.Start {
			d.body, d.bodyEnd = b, d.End
		}
	}
}

// shed ends definitions before the comments at their end: some grammars count
// what stands before the next definition, its doc comment, to the one above.
// The comments are in order.
func (x *extraction) shed() {
	for i := range x.defs {
		d := &x.defs[i]
		for {
			n := sort.Search(len(x.comments), func(n int) bool { return x.comments[n].Start >= d.End }) - 1
			if n < 0 || x.comments[n].End != d.End || x.comments[n].Start <= d.name.End || !startsLine(x.src, x.comments[n].Start) {
				break
			}
			d.End = x.trim(Span{d.Start, x.comments[n].Start}).End
		}
	}
}
