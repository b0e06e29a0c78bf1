package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A syntax is how a file is written.
type syntax int

const (
	jsonc syntax = iota // JSON, with comments and trailing commas where the file has them
	toml
)

// A field is a key of the entry and what Quarry wants it to be: a string, a
// bool or a []string. Keys besides these are the user's, and stay.
type field struct {
	key   string
	value any
	first bool // only for a new entry; later it is the user's
}

// An Undo is what the text of a file does not tell about an installation, and
// Uninstall needs to give back the bytes that were there before. Its zero value
// stands for an entry in a file and a table that were there.
type Undo struct {
	Created bool     `json:"created,omitempty"` // the file was not there
	Folders []string `json:"folders,omitempty"` // made for it, outermost first
	Whole   bool     `json:"whole,omitempty"`   // the file held nothing but Blank
	Blank   string   `json:"blank,omitempty"`
	Made    bool     `json:"made,omitempty"`   // the table of servers was not there
	Tail    *string  `json:"tail,omitempty"`   // the space before the closing brace of an object that was empty
	Before  string   `json:"before,omitempty"` // the text of the entry that was replaced, "" if there was none
	After   string   `json:"after,omitempty"`  // the SHA-256 of the entry as it was left, in hex
}

// A Refusal says why a file is left alone.
type Refusal struct {
	Line   int // from 1; 0: the whole file
	Reason string
}

func (r *Refusal) Error() string { return r.Reason }

func refuse(line int, format string, args ...any) error {
	return &Refusal{Line: line, Reason: fmt.Sprintf(format, args...)}
}

// lineAt is the number of the line, from 1, that the byte at an offset is in.
func lineAt(text []byte, offset int) int {
	return 1 + bytes.Count(text[:min(offset, len(text))], []byte("\n"))
}

var bom = []byte("\ufeff")

// Install returns text with the entry that starts command, and how to undo that.
// Text is nil where there is no file. When the entry is there already, the result
// is text itself and the Undo is zero. An entry that differs keeps the user's own
// keys; one that is no command at all, such as an address, is replaced. The error
// is a *Refusal.
func (a Agent) Install(text []byte, command string) ([]byte, Undo, error) {
	mark, body := cut(text)
	edit := a.installJSON
	if a.syntax == toml {
		edit = a.installTOML
	}
	after, undo, err := edit(body, command)
	if err != nil {
		return nil, Undo{}, err
	}
	if bytes.Equal(after, body) {
		return text, Undo{}, nil
	}
	undo.Created = text == nil
	entry, err := a.check(body, after)
	if err != nil {
		return nil, Undo{}, err
	}
	if entry == nil || len(wrong(entry, a.fields(command, false))) > 0 {
		return nil, Undo{}, refuse(0, "the entry cannot be made what it should be by an edit of its text alone")
	}
	if undo.After, err = digest(entry); err != nil {
		return nil, Undo{}, err
	}
	return join(mark, after), undo, nil
}

// Uninstall returns text without the entry, and whether there was one; or, where
// undo has an entry that Install had replaced and nobody has edited since, with
// that one. The result is nil when nothing is left of a file that Install has
// made. The error is a *Refusal.
func (a Agent) Uninstall(text []byte, undo Undo) ([]byte, bool, error) {
	mark, body := cut(text)
	edit := a.uninstallJSON
	if a.syntax == toml {
		edit = a.uninstallTOML
	}
	after, err := edit(body, undo)
	if err != nil {
		return nil, false, err
	}
	if bytes.Equal(after, body) {
		return text, false, nil
	}
	if len(after) == 0 && undo.Created {
		return nil, true, nil
	}
	if _, err := a.check(body, after); err != nil {
		return nil, false, err
	}
	return join(mark, after), true, nil
}

// cut takes a byte order mark off.
func cut(text []byte) (mark, body []byte) {
	if rest, ok := bytes.CutPrefix(text, bom); ok {
		return bom, rest
	}
	return nil, text
}

// join puts it on again. An empty file is not nil, which stands for none.
func join(mark, body []byte) []byte { return append(append([]byte{}, mark...), body...) }

// check compares what a parser makes of a file before and after an edit: all but
// the entry must be equal, or the edit is refused. It returns the entry after it,
// nil where there is none.
func (a Agent) check(before, after []byte) (map[string]any, error) {
	old, err := a.decode(before)
	if err != nil {
		return nil, err
	}
	made, err := a.decode(after)
	if err != nil {
		// The text was right before: it is the edit that does not fit.
		return nil, refuse(0, "the entry cannot be edited without touching what is around it (%v)", err)
	}
	var entry map[string]any
	for _, table := range a.tables {
		drop(old, table)
		if e := drop(made, table); e != nil {
			entry = e
		}
	}
	if !reflect.DeepEqual(old, made) {
		return nil, refuse(0, "the entry cannot be edited without touching what is around it")
	}
	return entry, nil
}

// decode returns what a file says. The error is a *Refusal.
func (a Agent) decode(text []byte) (map[string]any, error) {
	if a.syntax == toml {
		return decodeTOML(text)
	}
	return decodeJSON(text)
}

// drop takes the entry out of a table, and the tables that this leaves empty out
// of theirs, and returns the entry.
func drop(at map[string]any, table []string) map[string]any {
	if len(table) == 0 {
		entry, _ := at[Name].(map[string]any)
		delete(at, Name)
		return entry
	}
	inner, ok := at[table[0]].(map[string]any)
	if !ok {
		return nil
	}
	entry := drop(inner, table[1:])
	if len(inner) == 0 {
		delete(at, table[0])
	}
	return entry
}

// digest tells entries apart by what they say, whatever their syntax and layout;
// an entry may hold keys that are nobody's business, so it is not kept itself.
func digest(entry map[string]any) (string, error) {
	text, err := json.Marshal(entry) // with sorted keys
	if err != nil {
		return "", refuse(0, "the entry holds a value that JSON cannot express")
	}
	return fmt.Sprintf("%x", sha256.Sum256(text)), nil
}

// is reports whether a decoded value is what a field wants.
func (f field) is(value any) bool {
	list, ok := f.value.([]string)
	if !ok {
		return reflect.DeepEqual(value, f.value)
	}
	got, ok := value.([]any)
	return ok && slices.EqualFunc(got, list, func(g any, w string) bool { return g == any(w) })
}

// wrong returns the fields that an entry lacks or has otherwise.
func wrong(entry map[string]any, want []field) []field {
	var all []field
	for _, f := range want {
		if value, ok := entry[f.key]; !f.first && (!ok || !f.is(value)) {
			all = append(all, f)
		}
	}
	return all
}

// lineEnd is the line end of a text: that of its first line.
func lineEnd(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// A splice replaces the bytes from start to end.
type splice struct {
	start, end int
	text       string
}

// apply makes splices, in any order. What two of them take is taken once.
func apply(text []byte, all ...splice) []byte {
	slices.SortStableFunc(all, func(a, b splice) int { return a.start - b.start })
	var out []byte
	at := 0
	for _, s := range all {
		out = append(append(out, text[at:max(at, s.start)]...), s.text...)
		at = max(at, s.end)
	}
	return append(out, text[at:]...)
}

// within reports whether a path begins with another.
func within(path, outer []string) bool {
	return len(path) >= len(outer) && slices.Equal(path[:len(outer)], outer)
}

// dotted is a path as a sentence shows it.
func dotted(path ...string) string { return strings.Join(path, ".") }
