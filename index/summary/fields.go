package summary

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// values returns what a field says, as text on one line each: a string, the elements of a
// list, the name of an object or, without one, its JSON.
func values(v any) []string {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		if text := strings.Join(strings.Fields(strings.ToValidUTF8(v, "\uFFFD")), " "); text != "" {
			return []string{text}
		}
		return nil
	case []any:
		var out []string
		for _, e := range v {
			out = append(out, values(e)...)
		}
		return out
	case []string:
		var out []string
		for _, e := range v {
			out = append(out, values(e)...)
		}
		return out
	case map[string]any:
		for _, name := range []string{"path", "file", "name", "title", "content", "text", "summary", "description", "value"} {
			if text, ok := v[name].(string); ok && text != "" {
				return values(text)
			}
		}
		text, err := json.Marshal(v)
		if err != nil || len(v) == 0 {
			return nil
		}
		return []string{string(text)}
	}
	return []string{fmt.Sprint(v)}
}

// spelled finds a field under one of several names, in any case and with "_", "-" or
// blanks between the words. It returns the values of the first that has some, and notes all
// of them in used.
func spelled(h map[string]any, used map[string]bool, names ...string) []string {
	var found []string
	keys := slices.Sorted(maps.Keys(h))
	plain := make([]string, len(keys))
	for i, key := range keys {
		plain[i] = plainKey(key)
	}
	for _, name := range names {
		for i, key := range keys {
			if plain[i] != name {
				continue
			}
			used[key] = true
			if found == nil {
				found = values(h[key])
			}
		}
	}
	return found
}

var keySigns = strings.NewReplacer("_", "", "-", "", " ", "")

func plainKey(key string) string { return strings.ToLower(keySigns.Replace(key)) }
