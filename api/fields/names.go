package fields

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/quarry-search/quarry/index/edit"
)

// aliases are the other names of a field, by its own, in the order in which they count. A
// request takes them wherever it has the field and no field of its own with the other name.
// Where two of its fields have a name in common, it is that of the one that comes first. What
// only one request takes is in the tag "as" of its field.
var aliases = []struct {
	field string
	names []string
}{
	{"task", []string{"query", "q"}},
	{"entry_points", []string{"entry"}},
	{"entry_point", []string{"entry", "target", "symbol", "func", "function"}},
	{"target", []string{"symbol", "func", "function", "entry", "name", "query"}},
	{"query", []string{"q"}},
	{"pattern", []string{"query", "q"}},
	{"name", []string{"glob", "pattern", "query"}},
	{"path", []string{"target", "file"}},
	{"limit", []string{"k", "top_k", "max_results"}},
}

// inTarget are fields that say in which file a target is, and at which line of it: the same as
// a target of the form file:name or file:line.
var inTarget = []string{"file", "line"}

// A Name is a field of a request, with what else it may be called.
type Name struct {
	Field   string
	Aliases []string
	Type    reflect.Type
	Tag     reflect.StructTag
}

// Names returns the fields of a request, given its struct or a pointer to that, in their
// order; those of a Scope come last. The list is everybody's: nobody may change it.
func Names(request any) []Name {
	t := reflect.TypeOf(request)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if list, ok := namesBy.Load(t); ok {
		return list.([]Name)
	}
	list, _ := namesBy.LoadOrStore(t, namesOf(t))
	return list.([]Name)
}

// namesBy are the lists of Names by the types of requests, of which there are as many as endpoints.
var namesBy sync.Map

func namesOf(t reflect.Type) []Name {
	var list []Name
	own := map[string]int{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" || name == "-" {
			continue
		}
		own[name] = len(list)
		list = append(list, Name{Field: name, Type: f.Type, Tag: f.Tag})
	}
	taken := map[string]bool{}
	add := func(field string, names []string) {
		i, there := own[field]
		for _, name := range names {
			if _, is := own[name]; there && !is && !taken[name] {
				taken[name] = true
				list[i].Aliases = append(list[i].Aliases, name)
			}
		}
	}
	for i := range list {
		add(list[i].Field, strings.Fields(list[i].Tag.Get("as")))
	}
	add("target", inTarget)
	for _, a := range aliases {
		add(a.field, a.names)
	}
	return list
}

// Spell gives the fields the names that a request's struct has for them, and notes in Ignored
// those that it does not have: also is what is read besides the struct. Where strict is set,
// one that is not there is an error.
func (d *Fields) Spell(request any, strict bool, also ...string) {
	names := Names(request)
	known := slices.Clone(also)
	for i := range names {
		known = append(append(known, names[i].Field), names[i].Aliases...)
	}
	for name, v := range d.Values {
		if v != nil && !slices.Contains(known, name) {
			d.Ignored = append(d.Ignored, name)
		}
	}
	slices.Sort(d.Ignored)
	if strict && len(d.Ignored) > 0 {
		d.Failf("there is no field %s here: %s", quoted(d.Ignored[0]), suggestion(d.Ignored[0], known, names))
	}
	for i := range names {
		d.spell(&names[i])
	}
	if strict && len(d.Ignored) > 0 { // a second name of a field that is given
		d.Failf("%s is another name of a field that is given", quoted(d.Ignored[0]))
	}
	slices.Sort(d.Ignored)
}

// suggestion says what an unknown field could have been meant for.
func suggestion(name string, known []string, names []Name) string {
	if near := Nearest(name, known); near != "" {
		return "did you mean " + near + "?"
	}
	var all []string
	for i := range names {
		all = append(all, names[i].Field)
	}
	if len(all) == 0 {
		all = known
	}
	return "it takes " + strings.Join(all, ", ")
}

// quoted shows a name of the request's own, and not all of a long one.
func quoted(name string) string {
	if len(name) > MaxID {
		name = name[:MaxID] + "..."
	}
	return `"` + strings.ToValidUTF8(name, "\uFFFD") + `"`
}

// spell moves the first of a field's names that says something to the field.
func (d *Fields) spell(n *Name) {
	all := append([]string{n.Field}, n.Aliases...)
	if n.Field == "target" {
		all = slices.DeleteFunc(all, func(name string) bool { return slices.Contains(inTarget, name) })
	}
	var value any
	var repeated []string
	from := ""
	for _, name := range all {
		v := d.Values[name]
		switch {
		case from == "" && v != nil && v != "" || from == "" && d.Repeated[name] != nil:
			value, repeated, from = v, d.Repeated[name], name
		case from != "" && v != nil && v != "" && !reflect.DeepEqual(v, value):
			d.Ignored = append(d.Ignored, name)
		case v != nil && value == nil:
			value = v // it is there, and says nothing
		}
		if name != n.Field {
			delete(d.Values, name)
			delete(d.Repeated, name)
		}
	}
	if n.Field == "target" {
		value, from = d.inFile(n, value, from)
	}
	if value == nil {
		return
	}
	d.Values[n.Field] = value
	if repeated != nil {
		d.Repeated[n.Field] = repeated
	}
	if from != "" && from != n.Field {
		if d.given == nil {
			d.given = map[string]string{}
		}
		d.given[n.Field] = from
	}
}

// inFile puts the file and the line of a target that came by themselves into it.
func (d *Fields) inFile(n *Name, value any, from string) (target any, called string) {
	where := map[string]string{}
	for _, name := range inTarget {
		v := d.Values[name]
		if v == nil || v == "" || !slices.Contains(n.Aliases, name) {
			continue
		}
		text, isText := v.(string)
		if number, ok := d.number(name); name == "line" && ok {
			text = strconv.FormatFloat(number, 'f', -1, 64)
		} else if name == "line" || !isText {
			d.Failf("%s must be a %s", name, map[bool]string{true: "whole number", false: "string"}[name == "line"])
		}
		where[name] = text
		delete(d.Values, name)
	}
	file, line := where["file"], where["line"]
	name, isText := value.(string)
	if own, isFile := d.Values["file"].(string); isFile && line != "" && name == "" {
		file = own // a field of its own, of a request that asks for a name in it
		delete(d.Values, "file")
	}
	switch {
	case value != nil && !isText: // whoever reads it says so
	case file == "" && line == "":
	case name == "" && file == "":
		d.Failf("line is that of a file, and there is none")
	case name == "" && line == "":
		return file, "file"
	case name == "":
		return file + ":" + line, "file"
	case file == "":
		return name + ":" + line, from
	case line != "":
		d.Ignored = append(d.Ignored, "line")
		fallthrough
	default:
		return file + ":" + name, from
	}
	return value, from
}

// called is what the client called a field.
func (d *Fields) called(name string) string {
	if other := d.given[name]; other != "" {
		return other
	}
	return name
}

// Nearest returns which of some words one that is none of them was probably meant for: one that
// is a letter off, else one that begins it, else one that is a few letters off, else one that it
// begins; "" where there is none.
func Nearest(word string, among []string) string {
	word = strings.ToLower(word)
	best, least, begins, begun := "", max(1, len(word)/3)+1, "", ""
	rows := make([]int, 3*(min(len(word), MaxID)+1))
	for _, w := range among {
		if len(word) <= MaxID && len(w) <= MaxID { // else it would take long, and be none
			if n := edit.Distance(word, strings.ToLower(w), least, rows); n < least && n < min(len(w), len(word)) {
				best, least = w, n
			}
		}
		switch {
		case len(w) < 2 || len(word) < 2:
		case strings.HasPrefix(word, w) && len(w) > len(begins):
			begins = w
		case strings.HasPrefix(w, word) && begun == "":
			begun = w
		}
	}
	if begins != "" && least > 1 {
		return begins
	}
	return cmp.Or(best, begun)
}
