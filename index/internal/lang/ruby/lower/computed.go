package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// computed lowers what finds a constant by its name, or runs a text, where that is put together:
// nobody knows what it is, which is why it may be anything of this index.
func (l *lowerer) computed(x ir.Expr, name string, pos int, args, block syntax.Node) (ir.Expr, bool) {
	first := l.NamedChild(args, 0)
	switch name {
	case "const_get":
		if first == 0 {
			return 0, false
		}
		if m := l.symbol(first); m == "" {
			l.lookUp(args, pos)
		} else if strings.Contains(m, ":") {
			return 0, false
		} else if t := l.Raw().Exprs[x]; x != 0 && !(t.Op == ir.Name && l.Raw().String(t.Name) == "Object") {
			y := l.Attr(x, m, l.Start(first))
			l.Flag(y, ir.Path)
			return y, true
		} else {
			return l.Free(m, l.Start(first)), true
		}
	case "constantize", "safe_constantize":
		if x == 0 || args != 0 {
			return 0, false
		}
		l.lookUp(0, pos)
	case "class_eval", "module_eval", "instance_eval", "eval":
		if first == 0 || block != 0 || l.closed(first) {
			return 0, false
		}
		return l.Call(l.callable(ir.Evaluation, pos), l.args(args), pos), true
	default:
		return 0, false
	}
	return l.Local(l.Temp(pos), pos), true
}

// lookUp notes a call that finds a class by a computed name.
func (l *lowerer) lookUp(args syntax.Node, pos int) {
	l.Eval(l.Call(l.callable(ir.Lookup, pos), l.args(args), pos))
}

// closed reports whether all names that are called in a program given as text stand there.
func (l *lowerer) closed(n syntax.Node) bool {
	switch l.Kind(n) {
	case "block_argument":
		return true
	case "string":
		return !calls(l.Text(n))
	case "heredoc_beginning":
		word := strings.TrimLeft(l.Text(n), "<-~")
		if strings.HasPrefix(word, "'") {
			return true
		}
		word = strings.Trim(word, `"`)
		_, rest, _ := strings.Cut(l.Text(l.Root())[l.End(n)-l.Start(l.Root()):], "\n")
		for line := range strings.Lines(rest) {
			if strings.TrimSpace(line) == word {
				return true
			}
			if calls(line) {
				return false
			}
		}
		return true
	}
	return false
}

// calls reports whether a line of a program may call what it is put together of, which is more
// than the name of a definition, of a variable, or a text.
func calls(line string) bool {
	for {
		before, after, found := strings.Cut(line, "#{")
		if !found {
			return false
		}
		if before = strings.TrimSuffix(before, "self."); !strings.HasSuffix(before, "def ") && !strings.HasSuffix(before, "@") &&
			!strings.HasSuffix(before, ":") && !strings.HasSuffix(before, `"`) && !strings.HasSuffix(before, "'") {
			return true
		}
		line = after
	}
}
