package mcp

import (
	"reflect"
	"strings"
	"time"
)

// cut keeps of an answer what a tool hands on: a pointer to its output type.
func (t *tool) cut(answer any, code bool) any {
	out := reflect.New(t.output)
	keep(out.Elem(), reflect.ValueOf(answer))
	switch v := out.Interface().(type) {
	case *found:
		for i := range v.Results {
			if !code {
				v.Results[i].Content = ""
			}
		}
	case *affected:
		nearest(v.Callers)
		nearest(v.Ambiguous)
	case *traced:
		nearest(v.Callers)
		nearest(v.Callees)
	}
	return out.Interface()
}

// keep copies into a value what it has a field for, by the names of JSON.
func keep(out, from reflect.Value) {
	for from.Kind() == reflect.Pointer || from.Kind() == reflect.Interface {
		if from.IsNil() {
			return
		}
		from = from.Elem()
	}
	if t, ok := from.Interface().(time.Time); ok {
		if !t.IsZero() {
			out.SetString(t.Format(time.RFC3339Nano))
		}
		return
	}
	switch out.Kind() {
	case reflect.Pointer:
		out.Set(reflect.New(out.Type().Elem()))
		keep(out.Elem(), from)
	case reflect.Struct:
		for i := range out.NumField() {
			f := out.Type().Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous {
				keep(out.Field(i), from)
			} else if in := fieldOf(from, name); in.IsValid() {
				keep(out.Field(i), in)
			}
		}
	case reflect.Slice:
		if from.IsNil() {
			return
		}
		out.Set(reflect.MakeSlice(out.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			keep(out.Index(i), from.Index(i))
		}
	default:
		out.Set(from.Convert(out.Type()))
	}
}

// fieldOf returns the field of a struct that has a name in JSON, also of one that is embedded.
func fieldOf(v reflect.Value, name string) reflect.Value {
	for i := range v.NumField() {
		own, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if own == name {
			return v.Field(i)
		}
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Anonymous && f.Tag.Get("json") == "" {
			if in := reflect.Indirect(v.Field(i)); in.IsValid() {
				if found := fieldOf(in, name); found.IsValid() {
					return found
				}
			}
		}
	}
	return reflect.Value{}
}

// nearest drops the way of those who are one step away: it is the target.
func nearest(list []caller) {
	for i := range list {
		if list[i].Depth == 1 {
			list[i].Via = nil
		}
	}
}
