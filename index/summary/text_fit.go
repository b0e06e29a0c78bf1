package summary

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// Truncate returns the beginning of a text that costs at most that many tokens: whole
// lines, then whole sentences of the line that does not fit; words only if not even the
// first sentence fits.
func Truncate(text string, most int, count func(string) int) string {
	text = strings.TrimSpace(text)
	if count(text) <= most {
		return text
	}
	var ends []int // of what can be the last sentence
	at := 0
	for line := range strings.Lines(text) {
		from := at
		for _, sentence := range sentencesOf(line) {
			for _, s := range splitLong(sentence, longestUnit) {
				if i := strings.Index(text[from:at+len(line)], s); i >= 0 {
					from += i + len(s)
					ends = append(ends, from)
				}
			}
		}
		at += len(line)
	}
	// Counting can be slow: every part of the text is counted about once, not at each step
	// of a search through all of it.
	start, spent, first := 0, 0, 0
	for i, end := range ends {
		if end-start < blockSize && i < len(ends)-1 {
			continue
		}
		cost := count(text[start:end])
		if spent+cost > most {
			break
		}
		start, spent, first = end, spent+cost, i+1
	}
	n := first + sort.Search(min(len(ends)-first, blockSize), func(i int) bool { return spent+count(text[start:ends[first+i]]) > most })
	for n > 0 && count(text[:ends[n-1]]) > most {
		n--
	}
	if n == 0 {
		return cutWords(text[:ends[0]], most, count)
	}
	return text[:ends[n-1]]
}

// blockSize is how many bytes of a text that is to be cut are counted at once.
const blockSize = 4096

// cutWords cuts a text after a word, and says so by an ellipsis, which counts. It returns
// "" if nothing fits.
func cutWords(text string, most int, count func(string) int) string {
	if count(text) <= most {
		return text
	}
	low, high := 0, utf8.RuneCountInString(text)
	if limit := 16 * max(most, 0); high > limit { // no encoding has longer tokens, on average
		high = limit
	}
	runes := []rune(text)[:high]
	for low < high {
		if mid := (low + high + 1) / 2; count(string(runes[:mid])+" …") <= most {
			low = mid
		} else {
			high = mid - 1
		}
	}
	cut := string(runes[:low])
	if space := strings.LastIndexAny(cut, " \t\n"); space > len(cut)/2 {
		cut = cut[:space]
	}
	if cut = strings.TrimRight(cut, " \t\n,;:.-"); cut == "" {
		return ""
	}
	return cut + " …"
}

// firstCharacters cuts a text to so many characters, after a word if there is one.
func firstCharacters(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	cut := string([]rune(text)[:most-1])
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)/2 {
		cut = cut[:space]
	}
	return strings.TrimRight(cut, " ,;:.-") + "…"
}

// shown is a unit's text, with how often it came.
func (u *unit) shown() string {
	if u.times > 1 && (u.form == entry || u.form == failure) {
		return fmt.Sprintf("%s (%d times)", u.text, u.times)
	}
	return u.text
}

// listFiles lists as many files as fit, and counts the others.
func (t *texter) listFiles(before string, files []string) (string, bool) {
	return listing(before, files, len(files), t.budget, t.Count)
}

// listing lists at most so many of some names as fit the budget, and counts the others:
// "Files: a, b (+2 more)". It returns "" for none; and reports whether the budget left
// some out.
func listing(before string, names []string, most, budget int, count func(string) int) (string, bool) {
	if len(names) == 0 {
		return "", false
	}
	list := func(n int) string {
		text := before + strings.Join(names[:n], ", ")
		if more := len(names) - n; more > 0 {
			text += fmt.Sprintf(" (+%d more)", more)
		}
		return text
	}
	most = min(most, len(names))
	low, high := 0, most
	for low < high {
		if mid := (low + high + 1) / 2; count(list(mid)) <= budget {
			low = mid
		} else {
			high = mid - 1
		}
	}
	if low == 0 {
		return "", true
	}
	return list(low), low < most
}
