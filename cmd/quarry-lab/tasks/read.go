package tasks

import (
	"fmt"
	"slices"
	"strings"
)

// lists are the names of the lists that tools answer with.
var lists = []string{"results", "edges", "callers", "references", "paths"}

// rows is how many entries the list of an answer has; -1: it has none of those lists.
func rows(answer any) int {
	fields, _ := answer.(map[string]any)
	for _, name := range lists {
		if list, ok := fields[name].([]any); ok {
			return len(list)
		}
	}
	return -1
}

// places writes the texts of a structured answer and, for whatever says in which file and
// line it is, FILE:LINE.
func places(b *strings.Builder, value any) {
	switch v := value.(type) {
	case string:
		fmt.Fprintln(b, v)
	case []any:
		for _, one := range v {
			places(b, one)
		}
	case map[string]any:
		file := fileOf(v)
		var names []string
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			if file != "" && (name == "line" || name == "call_sites") {
				for _, line := range numbers(v[name]) {
					fmt.Fprintf(b, "%s:%v\n", file, line)
				}
			}
			places(b, v[name])
		}
	}
}

// fileOf returns the file of a place, or of where an edge begins.
func fileOf(v map[string]any) string {
	if from, ok := v["from"].(map[string]any); ok {
		v = from
	}
	for _, name := range []string{"file", "path"} {
		if file, ok := v[name].(string); ok {
			return file
		}
	}
	return ""
}

func numbers(value any) []any {
	if list, ok := value.([]any); ok {
		return list
	}
	return []any{value}
}
