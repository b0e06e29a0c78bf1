package model

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Items says what an answer has of a file in one state, in any order.
type Items func(path string, s State) []string

// Judge compares what an answer has of each file, in any order, with what it would have
// of the file in one of its states, and returns what is wrong. An answer that is not whole
// may have less of a file.
func Judge(states map[string][]State, got map[string][]string, want Items, whole bool) []string {
	paths := slices.Collect(maps.Keys(states))
	for path := range got {
		if _, ok := states[path]; !ok {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	var wrong []string
	for _, path := range paths {
		have := slices.Sorted(slices.Values(got[path]))
		var could []string
		right := false
		possible := states[path]
		if len(possible) == 0 {
			possible = []State{{Gone: true}}
		}
		for _, s := range possible {
			items := slices.Sorted(slices.Values(want(path, s)))
			if right = slices.Equal(have, items) || !whole && within(have, items); right {
				break
			}
			could = append(could, fmt.Sprintf("%q", items))
		}
		if !right {
			wrong = append(wrong, fmt.Sprintf("%s: got %q, want %s", path, have, strings.Join(slices.Compact(could), " or ")))
		}
	}
	return wrong
}

// within reports whether all of some items are among others, each as often. Both are
// sorted.
func within(some, others []string) bool {
	for _, item := range some {
		i, ok := slices.BinarySearch(others, item)
		if !ok {
			return false
		}
		others = others[i+1:]
	}
	return true
}

// Count returns how many items there are at least and at most.
func Count(states map[string][]State, want Items) (low, high int) {
	for path, possible := range states {
		least, most := -1, 0
		for _, s := range possible {
			n := len(want(path, s))
			if least < 0 || n < least {
				least = n
			}
			most = max(most, n)
		}
		low, high = low+max(least, 0), high+most
	}
	return low, high
}

// Lines are the lines of a text without their ends. The text after the last end counts if
// it is not empty.
func Lines(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines
}

// Matching are the lines of a text in which an expression matches, as "number:line".
func Matching(text string, re *regexp.Regexp) []string {
	if !re.MatchString(text) { // most texts have none; no pattern here is about ends of lines
		return nil
	}
	var found []string
	for i, line := range Lines(text) {
		if re.MatchString(line) {
			found = append(found, strconv.Itoa(i+1)+":"+line)
		}
	}
	return found
}

// Excerpt are the lines from and to, inclusive, as they stand in a text; false: it has
// no such lines.
func Excerpt(text string, from, to int) (string, bool) {
	lines := Lines(text)
	if from < 1 || to < from || to > len(lines) {
		return "", false
	}
	return strings.Join(lines[from-1:to], "\n"), true
}
