package agent

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	gotoml "github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// No library edits TOML and keeps its comments. The parser of go-toml, which
// says where in the text a key is, finds the lines; check holds what comes of an
// edit to what was there before it.

func decodeTOML(text []byte) (map[string]any, error) {
	all := map[string]any{}
	err := gotoml.Unmarshal(text, &all)
	if wrong := (*gotoml.DecodeError)(nil); errors.As(err, &wrong) {
		line, _ := wrong.Position()
		return nil, refuse(line, "not TOML: %s", strings.TrimPrefix(wrong.Error(), "toml: "))
	}
	if err != nil {
		return nil, refuse(0, "not TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	return all, nil
}

// A line is an expression of a TOML file: the header of a table, or a key with
// its value.
type line struct {
	path       []string // from the outermost table
	header     bool
	array      bool // the header is of an array of tables
	start, end int  // from the beginning of its line to the end of its last, the line end not included
	value, to  int  // the value of a key
}

// linesOf returns the expressions of a text that decodeTOML understands.
func linesOf(text []byte) ([]line, error) {
	var all []line
	var table []string
	p := unstable.Parser{}
	p.Reset(text)
	for p.NextExpression() {
		e := p.Expression()
		l := line{header: e.Kind == unstable.Table || e.Kind == unstable.ArrayTable, array: e.Kind == unstable.ArrayTable}
		if !l.header && e.Kind != unstable.KeyValue {
			continue
		}
		var last unstable.Range
		for keys := e.Key(); keys.Next(); {
			key := keys.Node()
			if len(l.path) == 0 {
				l.start = 1 + bytes.LastIndexByte(text[:key.Raw.Offset], '\n')
			}
			last = key.Raw
			l.path = append(l.path, string(key.Data))
		}
		l.to = int(last.Offset + last.Length)
		if l.header {
			table = l.path
		} else {
			l.path = slices.Concat(table, l.path)
			l.value = l.to + bytes.IndexByte(text[l.to:], '=') + 1
			l.value += len(text[l.value:]) - len(bytes.TrimLeft(text[l.value:], " \t"))
			l.to = int(e.Raw.Offset + e.Raw.Length)
		}
		rest, _, _ := bytes.Cut(text[l.to:], []byte("\n"))
		l.end = l.to + len(bytes.TrimSuffix(rest, []byte("\r")))
		all = append(all, l)
	}
	if err := p.Error(); err != nil {
		return nil, refuse(0, "not TOML: %v", err)
	}
	return all, nil
}

// A block is a table of the file: its header and the keys below it.
type block struct {
	path       []string
	start, end int // as a line's
	keys       []line
}

// blocksOf returns the tables of the entry and below it, and the keys that belong
// to the entry but stand elsewhere, as in quarry = {...}.
func blocksOf(all []line, entry []string) (blocks []block, elsewhere []line) {
	inside := false
	for _, l := range all {
		switch {
		case l.header:
			if inside = within(l.path, entry); inside {
				blocks = append(blocks, block{path: l.path, start: l.start, end: l.end})
			}
		case inside:
			b := &blocks[len(blocks)-1]
			b.keys = append(b.keys, l)
			b.end = l.end
		case within(l.path, entry):
			elsewhere = append(elsewhere, l)
		}
	}
	return blocks, elsewhere
}

// assignment is the line of a key. JSON's strings are strings in TOML as well.
func assignment(f field) string { return f.key + " = " + writer{}.value(f.value, "") }

// table is the entry as a table of its own, without a last line end.
func table(path []string, want []field, eol string) string {
	text := "[" + dotted(path...) + "]"
	for _, f := range want {
		text += eol + assignment(f)
	}
	return text
}

func (a Agent) installTOML(text []byte, command string) ([]byte, Undo, error) {
	all, err := decodeTOML(text)
	if err != nil {
		return nil, Undo{}, err
	}
	path := append(slices.Clone(a.tables[0]), Name)
	want := a.fields(command, false)
	servers, isTable := all[path[0]].(map[string]any)
	if _, is := all[path[0]]; is && !isTable {
		return nil, Undo{}, refuse(0, "%q is not a table", path[0])
	}
	lines, err := linesOf(text)
	if err != nil {
		return nil, Undo{}, err
	}
	if entry, is := servers[Name]; is {
		return updateTOML(text, lines, path, entry, want)
	}
	for _, l := range lines {
		if !l.header && slices.Equal(l.path, path[:1]) {
			return nil, Undo{}, refuse(lineAt(text, l.start), "%s is written as one inline table, which nothing can be added to: write it as [%s.NAME] tables", path[0], path[0])
		}
	}
	eol := lineEnd(text)
	made := table(path, want, eol)
	switch {
	case len(text) == 0:
		made += eol
	case text[len(text)-1] == '\n':
		made = eol + made + eol
	default: // a file without a last line end stays one, or uninstalling could not tell
		made = eol + eol + made
	}
	return slices.Concat(text, []byte(made)), Undo{}, nil
}

// updateTOML makes an entry that is there what it should be.
func updateTOML(text []byte, lines []line, path []string, entry any, want []field) ([]byte, Undo, error) {
	fields, ok := entry.(map[string]any)
	differs := wrong(fields, want)
	if ok && len(differs) == 0 {
		return text, Undo{}, nil
	}
	blocks, elsewhere := blocksOf(lines, path)
	own := slices.IndexFunc(blocks, func(b block) bool { return slices.Equal(b.path, path) })
	if len(elsewhere) > 0 || own < 0 {
		at := 0
		for _, l := range elsewhere {
			at = lineAt(text, l.start)
		}
		return nil, Undo{}, refuse(at, "%s differs and is not written as a [%s] table: change or delete it by hand", dotted(path...), dotted(path...))
	}
	b := blocks[own]
	eol := lineEnd(text)
	undo := Undo{Before: string(text[b.start:b.end])}
	if _, command := fields["command"]; !command {
		if len(blocks) > 1 {
			return nil, undo, refuse(lineAt(text, b.start), "%s is a server of another kind, with tables of its own: delete them first", dotted(path...))
		}
		return apply(text, splice{b.start, b.end, table(path, want, eol)}), undo, nil
	}
	var splices []splice
	for _, f := range differs {
		key := slices.IndexFunc(b.keys, func(l line) bool { return slices.Equal(l.path, append(slices.Clone(path), f.key)) })
		if key < 0 {
			header := text[b.start:b.end]
			indent := header[:len(header)-len(bytes.TrimLeft(header, " \t"))]
			splices = append(splices, splice{b.end, b.end, eol + string(indent) + assignment(f)})
			continue
		}
		splices = append(splices, splice{b.keys[key].value, b.keys[key].to, writer{}.value(f.value, "")})
	}
	return apply(text, splices...), undo, nil
}

func (a Agent) uninstallTOML(text []byte, undo Undo) ([]byte, error) {
	all, err := decodeTOML(text)
	if err != nil {
		return nil, err
	}
	path := append(slices.Clone(a.tables[0]), Name)
	servers, _ := all[path[0]].(map[string]any)
	if _, is := servers[Name]; !is {
		return text, nil
	}
	lines, err := linesOf(text)
	if err != nil {
		return nil, err
	}
	blocks, elsewhere := blocksOf(lines, path)
	if len(blocks)+len(elsewhere) == 0 {
		at := slices.IndexFunc(lines, func(l line) bool { return slices.Equal(l.path, path[:1]) })
		return nil, refuse(lineAt(text, lines[max(at, 0)].start), "%s is inside an inline table: delete it by hand", dotted(path...))
	}
	own := slices.IndexFunc(blocks, func(b block) bool { return slices.Equal(b.path, path) })
	if undo.Before != "" && own >= 0 {
		if same, err := a.unedited(text, undo); err != nil {
			return nil, err
		} else if same {
			return apply(text, splice{blocks[own].start, blocks[own].end, undo.Before}), nil
		}
	}
	var cuts []splice
	for _, b := range blocks {
		cuts = append(cuts, cutLines(text, b.start, b.end, true))
	}
	for _, l := range elsewhere {
		cuts = append(cuts, cutLines(text, l.start, l.end, false))
	}
	return apply(text, cuts...), nil
}

// cutLines takes lines out, with their last line end; those at the end of a file
// that has none take the one before them instead. A table takes the blank line
// above it, too.
func cutLines(text []byte, start, end int, blank bool) splice {
	if blank {
		start = lessBlank(text, start)
	}
	switch rest := text[end:]; {
	case bytes.HasPrefix(rest, []byte("\r\n")):
		end += 2
	case len(rest) > 0:
		end++
	case start > 0:
		start = len(bytes.TrimSuffix(text[:start-1], []byte("\r")))
	}
	return splice{start, end, ""}
}

// lessBlank returns where the blank line above start begins, start if there is none.
func lessBlank(text []byte, start int) int {
	above, ok := bytes.CutSuffix(text[:start], []byte("\n"))
	if !ok {
		return start
	}
	above = bytes.TrimSuffix(above, []byte("\r"))
	if len(above) == 0 || above[len(above)-1] == '\n' {
		return len(above)
	}
	return start
}
