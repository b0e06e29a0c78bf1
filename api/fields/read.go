package fields

import (
	"reflect"
	"strconv"
	"strings"
)

// Bounds are the values of the names that tags use: what the operator may set, and what
// the index knows.
type Bounds struct {
	Numbers map[string]int      // such as "timeout"
	Words   map[string][]string // such as "kinds"
}

// number returns the number that a tag is or names; def where there is no such tag.
func (b *Bounds) number(tag reflect.StructTag, name string, def int) int {
	text, ok := tag.Lookup(name)
	if !ok {
		return def
	}
	if n, ok := b.Numbers[text]; ok {
		return n
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		panic("fields: the tag " + name + ":" + text + " names no bound") // of our own source; every test would see it
	}
	return n
}

// words returns the words that a tag lists or names.
func (b *Bounds) words(text string) []string {
	if list, ok := b.Words[text]; ok {
		return list
	}
	return strings.Fields(text)
}

// Read sets the fields of a request, given a pointer to its struct, in their order. A field
// is read as its tags and its type say:
//
//   - min, max, default: a whole number. One above max is lowered.
//   - max: a text of so many bytes at most, or a filter: a list of such texts.
//   - texts: a list of texts of so many bytes at most.
//   - of: one of some words, or of a list some of them; with fold, in any case.
//   - flag: a boolean, or one of some words: "true", "" for false, or the word.
//   - target: a path, a name or both, which must be there; with "later" the endpoint reads
//     it by itself.
//   - need: it must be there, which is said first, or when all others have been read.
//   - no tag: a boolean, or a number from 0 to 1.
//
// All others are left to the endpoint, and so are the fields that all requests have.
func (d *Fields) Read(request any, b *Bounds) {
	v := reflect.ValueOf(request).Elem()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "timeout_ms" || name == "fresh" {
			continue
		}
		d.read(v.Field(i), name, f.Tag, b)
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Tag.Get("need") == "last" && v.Field(i).IsZero() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			d.Failf("%s is missing or empty", name)
		}
	}
}

// Check fails where fields of a request do not go together, of which its method Problem tells.
func (d *Fields) Check(request any) {
	if q, ok := request.(interface{ Problem() string }); ok && q.Problem() != "" {
		d.Failf("%s", q.Problem())
	}
}

func (d *Fields) read(v reflect.Value, name string, tag reflect.StructTag, b *Bounds) {
	target, isTarget := tag.Lookup("target")
	words, isWord := tag.Lookup("of")
	_, fold := tag.Lookup("fold")
	flags, isFlag := tag.Lookup("flag")
	_, bounded := tag.Lookup("max")
	bytes, isTexts := tag.Lookup("texts")
	switch {
	case isTarget:
		if target != "later" {
			v.SetString(d.Target(name))
		}
	case v.Kind() == reflect.Slice && isWord:
		setList(v, d.someOf(name, fold, b.words(words)...))
	case v.Kind() == reflect.String && isFlag:
		v.SetString(d.flagOr(name, strings.Fields(flags)...))
	case isWord:
		v.SetString(d.OneOf(name, b.words(words)...))
	case isTexts:
		most, _ := strconv.Atoi(bytes)
		setList(v, d.Texts(name, most))
	case v.Kind() == reflect.Slice && bounded:
		setList(v, d.few(name, b.number(tag, "max", 0)))
	case v.Kind() == reflect.String && bounded:
		text := d.Text(name, b.number(tag, "max", 0))
		if v.SetString(text); text == "" && tag.Get("need") == "first" {
			d.Failf("%s is missing or empty", name)
		}
	case v.Kind() == reflect.Int && bounded:
		if tag.Get("need") != "" && !d.Has(name) {
			d.Failf("%s is missing", name)
		}
		v.SetInt(int64(d.whole(name, tag, b)))
	case v.Kind() == reflect.Pointer && v.Type().Elem().Kind() == reflect.Int:
		if _, always := tag.Lookup("default"); always || d.Has(name) {
			n := d.whole(name, tag, b)
			v.Set(reflect.ValueOf(&n))
		}
	case v.Kind() == reflect.Pointer && v.Type().Elem().Kind() == reflect.Bool:
		if d.Has(name) {
			is := d.Flag(name)
			v.Set(reflect.ValueOf(&is))
		}
	case v.Kind() == reflect.Bool:
		v.SetBool(d.Flag(name))
	case v.Kind() == reflect.Float64:
		v.SetFloat(d.fraction(name))
	}
}

// whole reads a whole number within its bounds.
func (d *Fields) whole(name string, tag reflect.StructTag, b *Bounds) int {
	most := b.number(tag, "max", 0)
	return d.Count(name, b.number(tag, "min", 0), min(b.number(tag, "default", 0), most), most)
}

// setList sets a list of strings; nil stays nil.
func setList(v reflect.Value, list []string) {
	if list != nil {
		v.Set(reflect.ValueOf(list))
	}
}

// Timeout reads timeout_ms of a request, in milliseconds, as its tags say.
func (d *Fields) Timeout(request any, b *Bounds) int {
	f, ok := reflect.TypeOf(request).Elem().FieldByName("TimeoutMS")
	if !ok {
		return 0
	}
	return d.whole("timeout_ms", f.Tag, b)
}

// Fill gives the numbers of a request that are zero their defaults, and lowers those that
// are above their maximum, for one that was not read from fields. It returns the names of
// the lowered ones.
func Fill(request any, b *Bounds) (clamped []string) {
	v := reflect.ValueOf(request).Elem()
	for i := range v.NumField() {
		f, tag := v.Field(i), v.Type().Field(i).Tag
		if _, bounded := tag.Lookup("max"); !bounded || f.Kind() != reflect.Int {
			continue
		}
		most := b.number(tag, "max", 0)
		switch {
		case f.Int() == 0:
			f.SetInt(int64(min(b.number(tag, "default", 0), most)))
		case f.Int() > int64(most):
			f.SetInt(int64(most))
			name, _, _ := strings.Cut(tag.Get("json"), ",")
			clamped = append(clamped, name)
		}
	}
	return clamped
}
