package summary

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// deepest is how many levels of JSON are read; what is below is left out.
const deepest = 20

// flatten makes a text of JSON, of one value or one in each line: transcripts are kept
// so. What somebody said becomes "role: text", other strings "key: text". ok is false for
// all other texts.
func flatten(content string) (text string, ok bool) {
	trimmed := strings.TrimSpace(content)
	if !strings.HasPrefix(trimmed, "{") && !strings.HasPrefix(trimmed, "[") {
		return "", false
	}
	var b strings.Builder
	var whole any
	if json.Unmarshal([]byte(trimmed), &whole) == nil {
		flattenValue(&b, "", whole, 0)
		return b.String(), b.Len() > 0
	}
	for line := range strings.Lines(trimmed) {
		var v any
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if json.Unmarshal([]byte(line), &v) != nil {
			return "", false
		}
		flattenValue(&b, "", v, 0)
	}
	return b.String(), b.Len() > 0
}

func flattenValue(b *strings.Builder, key string, v any, depth int) {
	if depth > deepest {
		return
	}
	switch v := v.(type) {
	case string:
		if strings.TrimSpace(v) == "" {
			return
		}
		if key != "" {
			b.WriteString(key + ": ")
		}
		b.WriteString(v + "\n\n")
	case float64, bool:
		if key != "" {
			fmt.Fprintf(b, "%s: %v\n\n", key, v)
		}
	case []any:
		for _, e := range v {
			flattenValue(b, key, e, depth+1)
		}
	case map[string]any:
		said, isSaid := v["content"]
		role, hasRole := v["role"].(string)
		if isSaid && hasRole {
			flattenValue(b, role, said, depth+1)
			return
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			inner := name
			if (name == "text" || name == "content") && key != "" {
				inner = key
			}
			if name == "type" || name == "id" || strings.HasSuffix(name, "_id") {
				continue
			}
			flattenValue(b, inner, v[name], depth+1)
		}
	}
}
