package agent

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// A found is where the servers of a file are: the tables from the outermost
// object to theirs, as many of them as exist.
type found struct {
	chain []*container
	unit  string
	path  []string // of the table of servers
	entry int      // the index of Quarry's in the last table; -1: none
}

func (f *found) last() *container { return f.chain[len(f.chain)-1] }
func (f *found) whole() bool      { return len(f.chain) == len(f.path)+1 }

// locate follows a path of tables through a file.
func locate(text []byte, path []string) (*found, error) {
	tree, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	f := &found{unit: unitOf(tree), path: path, entry: -1}
	root, ok := open(tree, nil, f.unit)
	if !ok {
		return nil, refuse(lineAt(text, tree.StartOffset), "the file holds no object")
	}
	f.chain = []*container{root}
	for i, name := range path {
		at, err := f.last().find(text, name)
		if err != nil || at < 0 {
			return f, err
		}
		value := f.last().Members[at].Value
		next, ok := open(value, f.last(), f.unit)
		if !ok {
			return nil, refuse(lineAt(text, value.StartOffset), "%q is not an object", dotted(path[:i+1]...))
		}
		f.chain = append(f.chain, next)
	}
	f.entry, err = f.last().find(text, Name)
	return f, err
}

// servers finds the table that an entry belongs into: the first, unless the entry
// is not there and the file has the deeper one. What is called as that table may
// be a server.
func (a Agent) servers(text []byte) (*found, error) {
	first, err := locate(text, a.tables[0])
	if err != nil || first.entry >= 0 || !first.whole() || len(a.tables) == 1 {
		return first, err
	}
	deeper := a.tables[1]
	at, err := first.last().find(text, deeper[len(deeper)-1])
	if err != nil || at < 0 {
		return first, err
	}
	if c, ok := open(first.last().Members[at].Value, nil, ""); !ok || c.server(text) {
		return first, nil
	}
	return locate(text, deeper)
}

// server reports whether an object is an entry rather than a table of entries.
func (c *container) server(text []byte) bool {
	for _, key := range []string{"type", "command", "url"} {
		if i, err := c.find(text, key); err == nil && i >= 0 && c.Members[i].Value.Value.Kind() != '{' {
			return true
		}
	}
	return false
}

func (a Agent) installJSON(text []byte, command string) ([]byte, Undo, error) {
	if len(bytes.Trim(text, spaces)) == 0 {
		w := writer{eol: lineEnd(text), unit: "  ", lines: true}
		value := any(members(a.fields(command, false)))
		for _, name := range [][]string{{Name}, a.tables[0]} {
			value = []member{{name[0], value}}
		}
		return []byte(w.value(value, "") + w.eol), Undo{Whole: true, Blank: string(text), Made: true}, nil
	}
	f, err := a.servers(text)
	if err != nil {
		return nil, Undo{}, err
	}
	want := a.fields(command, len(f.path) > 1)
	if f.entry >= 0 {
		return a.updateJSON(text, f, want)
	}
	var undo Undo
	name, value := Name, any(members(want))
	if !f.whole() {
		undo.Made = true
		name, value = f.path[len(f.chain)-1], []member{{Name, value}}
	}
	splices, tail := f.last().add(text, name, value, f.unit)
	undo.Tail = tail
	return apply(text, splices...), undo, nil
}

func members(want []field) []member {
	var all []member
	for _, f := range want {
		all = append(all, member{f.key, f.value})
	}
	return all
}

// updateJSON makes an entry that is there what it should be.
func (a Agent) updateJSON(text []byte, f *found, want []field) ([]byte, Undo, error) {
	value := f.last().Members[f.entry].Value
	undo := Undo{Before: string(text[value.StartOffset:value.EndOffset])}
	all, err := decodeJSON(text)
	if err != nil {
		return nil, undo, err
	}
	for _, name := range f.path {
		all, _ = all[name].(map[string]any)
	}
	entry, ok := all[Name].(map[string]any)
	if _, command := entry["command"]; !ok || !command {
		w := writer{eol: lineEnd(text), unit: f.unit, lines: f.last().lines, compact: f.last().compact}
		return apply(text, splice{value.StartOffset, value.EndOffset, w.value(members(want), f.last().indent)}), undo, nil
	}
	for _, field := range wrong(entry, want) {
		if text, err = setJSON(text, f.path, field); err != nil {
			return nil, undo, err
		}
	}
	return text, undo, nil
}

// setJSON sets one field of the entry.
func setJSON(text []byte, path []string, want field) ([]byte, error) {
	f, err := locate(text, path)
	if err != nil {
		return nil, err
	}
	entry, _ := open(f.last().Members[f.entry].Value, f.last(), f.unit)
	at, err := entry.find(text, want.key)
	if err != nil {
		return nil, err
	}
	if at < 0 {
		splices, _ := entry.add(text, want.key, want.value, f.unit)
		return apply(text, splices...), nil
	}
	value := entry.Members[at].Value
	w := writer{eol: lineEnd(text), unit: f.unit, compact: entry.compact}
	return apply(text, splice{value.StartOffset, value.EndOffset, w.value(want.value, entry.indent)}), nil
}

func (a Agent) uninstallJSON(text []byte, undo Undo) ([]byte, error) {
	if len(bytes.Trim(text, spaces)) == 0 {
		return text, nil
	}
	for _, path := range a.tables {
		f, err := locate(text, path)
		if err != nil {
			if len(path) > 1 {
				continue // what has the deeper table's name is an entry
			}
			return nil, err
		}
		if f.entry < 0 {
			continue
		}
		if text, err = a.dropJSON(text, f, undo); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// dropJSON takes the entry away, and what Install had made around it if nothing
// else is in there by now.
func (a Agent) dropJSON(text []byte, f *found, undo Undo) ([]byte, error) {
	value := f.last().Members[f.entry].Value
	if undo.Before != "" {
		if same, err := a.unedited(text, undo); err != nil {
			return nil, err
		} else if same {
			return apply(text, splice{value.StartOffset, value.EndOffset, undo.Before}), nil
		}
	}
	tail := undo.Tail
	if undo.Made {
		tail = nil // it is of the object around the table
	}
	text = apply(text, f.last().remove(text, f.entry, tail)...)
	if !undo.Made {
		return text, nil
	}
	f, err := locate(text, f.path)
	if err != nil || !f.last().empty() {
		return text, err
	}
	outer := f.chain[len(f.chain)-2]
	at, err := outer.find(text, f.path[len(f.path)-1])
	if err != nil {
		return nil, err
	}
	text = apply(text, outer.remove(text, at, undo.Tail)...)
	if undo.Whole && nothing(text) {
		return []byte(undo.Blank), nil
	}
	return text, nil
}

// nothing reports whether a file is an empty object without a comment.
func nothing(text []byte) bool {
	tree, err := parseJSON(text)
	if err != nil {
		return false
	}
	root, ok := tree.Value.(*hujson.Object)
	return ok && len(root.Members) == 0 && len(bytes.Trim(tree.Pack(), spaces+"{}")) == 0
}

// unedited reports whether the entry is as Install had left it.
func (a Agent) unedited(text []byte, undo Undo) (bool, error) {
	all, err := a.decode(text)
	if err != nil {
		return false, err
	}
	var entry map[string]any
	for _, table := range a.tables {
		if e := drop(all, table); e != nil {
			entry = e
		}
	}
	now, err := digest(entry)
	return now == undo.After, err
}
