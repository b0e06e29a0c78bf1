package fields

import (
	"reflect"
	"strings"
)

// Of returns the fields of an answer, as its JSON would have them: a map for each struct,
// with the names and the omissions of the tags. For protocols whose answers are made of
// ours, with other fields besides.
func Of(answer any) map[string]any {
	m, _ := value(reflect.ValueOf(answer)).(map[string]any)
	return m
}

// An excepted answer says by itself how its fields are shown.
type excepted interface{ Shown() any }

func value(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	if v.CanInterface() && v.Kind() != reflect.Pointer {
		if e, ok := v.Interface().(excepted); ok {
			return value(reflect.ValueOf(e.Shown()))
		}
		if t, ok := v.Interface().(interface{ MarshalText() ([]byte, error) }); ok {
			text, err := t.MarshalText()
			if err != nil {
				return nil
			}
			return string(text)
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return value(v.Elem())
	case reflect.Struct:
		out := map[string]any{}
		structure(v, out)
		return out
	case reflect.Map:
		out := make(map[string]any, v.Len())
		for it := v.MapRange(); it.Next(); {
			out[it.Key().String()] = value(it.Value())
		}
		return out
	case reflect.Slice:
		if v.IsNil() {
			return nil
		}
		out := make([]any, v.Len())
		for i := range out {
			out[i] = value(v.Index(i))
		}
		return out
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return v.Bool()
	case reflect.Float64:
		return v.Float()
	case reflect.Int, reflect.Int64:
		return v.Int()
	}
	return v.Interface()
}

// structure adds the fields of a struct, those of embedded ones first: what is nearer wins.
func structure(v reflect.Value, out map[string]any) {
	t := v.Type()
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && f.Tag.Get("json") == "" {
			if in := reflect.Indirect(v.Field(i)); in.IsValid() {
				structure(in, out)
			}
		}
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		delete(out, name)
		in := v.Field(i)
		empty := in.IsZero() || (in.Kind() == reflect.Slice || in.Kind() == reflect.Map) && in.Len() == 0
		if strings.Contains(options, "omitempty") && empty || strings.Contains(options, "omitzero") && in.IsZero() {
			continue
		}
		out[name] = value(in)
	}
}
