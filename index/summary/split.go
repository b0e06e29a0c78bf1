package summary

import "strings"

// Split cuts a text into chunks of at most that many tokens, four characters a token,
// between paragraphs if possible, else between sentences. Together they have everything but
// white space at their ends; a short text is a single unchanged chunk.
func Split(content string, tokens int) []string {
	if quarter(content) <= tokens {
		return []string{content}
	}
	var out []string
	for rest := strings.TrimSpace(content); rest != ""; {
		chunk := rest
		if quarter(rest) > tokens {
			chunk = beginning(rest, tokens)
		}
		out = append(out, strings.TrimSpace(chunk))
		rest = strings.TrimSpace(rest[len(chunk):])
	}
	return out
}

// beginning returns the beginning of a text that is longer than so many tokens.
func beginning(text string, tokens int) string {
	most, n := len(text), 0
	for i := range text {
		if n == 4*tokens {
			most = i
			break
		}
		n++
	}
	window := text[:most]
	for _, end := range []string{"\n\n", "\n", ". ", " "} {
		if i := strings.LastIndex(window, end); i > most/4 {
			return window[:i+len(end)]
		}
	}
	return window
}
