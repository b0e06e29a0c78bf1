package summary

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// unwrap joins the lines of a paragraph that were broken for their width: those after
// which the next word would not have fitted. Others stay apart: a list without marks, a
// chat.
func unwrap(lines []string) []string {
	width := 0
	for _, line := range lines {
		width = max(width, utf8.RuneCountInString(line))
	}
	out := lines[:1:1]
	for i, line := range lines[1:] {
		word, _, _ := strings.Cut(line, " ")
		before := lines[i]
		if strings.HasSuffix(before, ",") || width >= 40 && utf8.RuneCountInString(before)+1+utf8.RuneCountInString(word) >= width-8 {
			out[len(out)-1] += " " + line
			continue
		}
		out = append(out, line)
	}
	return out
}

// abbreviations end in a point that ends no sentence. They are in small letters.
const abbreviations = " e.g. i.e. etc. vs. cf. al. approx. incl. resp. fig. no. mr. mrs. dr. st. ca. viz. "

// sentencesOf splits a paragraph. A sentence ends at a point, an exclamation or a
// question mark before white space, and at those of Chinese and Japanese anywhere.
func sentencesOf(text string) []string {
	var out []string
	start := 0
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		switch r {
		case '.', '!', '?', '…':
			rest := text[end:]
			closed := strings.TrimLeft(rest, "\"')]`*_”’»")
			end += len(rest) - len(closed)
			next, _ := utf8.DecodeRuneInString(closed)
			if closed != "" && !unicode.IsSpace(next) || r == '.' && abbreviated(text[start:i+1]) {
				continue
			}
		case '。', '！', '？':
		default:
			continue
		}
		if end <= start { // within what closes the sentence before
			continue
		}
		if s := strings.TrimSpace(text[start:end]); s != "" {
			out = append(out, s)
		}
		start = end
	}
	if s := strings.TrimSpace(text[start:]); s != "" {
		out = append(out, s)
	}
	return out
}

// abbreviated reports whether the point at a text's end belongs to its last word: an
// abbreviation, an initial, or the number of an item.
func abbreviated(text string) bool {
	word := text[strings.LastIndexAny(text, " (")+1:]
	if strings.Contains(abbreviations, " "+strings.ToLower(word)+" ") {
		return true
	}
	r, n := utf8.DecodeRuneInString(word)
	return n+1 == len(word) && (unicode.IsUpper(r) && r != 'I' || unicode.IsDigit(r) && len(word) == len(text))
}

// splitLong cuts a text that is longer than so many characters, at white space if there
// is some.
func splitLong(text string, most int) []string {
	var out []string
	for len(text) > most {
		end, n := len(text), 0
		for i := range text {
			if n == most {
				end = i
				break
			}
			n++
		}
		if end == len(text) {
			break
		}
		if space := strings.LastIndexAny(text[:end], " \t"); space > end/2 {
			end = space
		}
		out = append(out, strings.TrimSpace(text[:end]))
		text = strings.TrimLeft(text[end:], " \t")
	}
	if text != "" {
		out = append(out, text)
	}
	return out
}
