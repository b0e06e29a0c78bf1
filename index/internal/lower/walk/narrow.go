package walk

import "github.com/quarry-search/quarry/index/internal/ir"

// Narrow makes a name mean x as an instance of typ, in the innermost block from here on.
// outer is the variable that it means outside, 0 for a name that is not local.
func (w *Walker) Narrow(name string, outer ir.Var, x, typ ir.Expr, pos int) {
	v := w.Shadow(name, pos)
	if w.narrowed == nil {
		w.narrowed = map[ir.Var]ir.Var{}
	}
	w.narrowed[v] = outer
	w.Bind(w.Local(v, pos), w.Binary(ir.Cast, x, typ, pos))
}

// Widened returns the variable that a narrowed one stands for, 0 for a name that is not
// local, and reports whether v is a narrowed one. What is assigned goes there, too.
func (w *Walker) Widened(v ir.Var) (outer ir.Var, narrowed bool) {
	outer, narrowed = w.narrowed[v]
	return outer, narrowed
}

// Narrows reports whether anything has been narrowed in the file.
func (w *Walker) Narrows() bool { return w.narrowed != nil }
