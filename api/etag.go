package api

import (
	"net/http"
	"strings"
)

// fresh sets the tag of a response and reports whether the client has that response;
// then it has been told so.
func fresh(w http.ResponseWriter, r *http.Request, tag string) bool {
	w.Header().Set("ETag", tag)
	if r.Method != http.MethodGet && r.Method != http.MethodHead || !matchesTag(r.Header.Values("If-None-Match"), tag) {
		return false
	}
	w.WriteHeader(http.StatusNotModified)
	return true
}

// matchesTag says whether the lines of an If-None-Match header name the tag. They
// are compared weakly, as that header wants it. What is no list of tags ends the
// line.
func matchesTag(lines []string, tag string) bool {
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if line == "*" {
			return true
		}
		for line != "" {
			line = strings.TrimPrefix(strings.TrimLeft(line, " \t,"), "W/")
			if !strings.HasPrefix(line, `"`) {
				break
			}
			end := strings.IndexByte(line[1:], '"') // a tag has no quotes in it, and no escapes
			if end < 0 {
				break
			}
			if line[:end+2] == tag {
				return true
			}
			line = line[end+2:]
		}
	}
	return false
}
