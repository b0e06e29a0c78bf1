package mention

import (
	"bytes"
	"regexp"
)

// titles are the functions of the libraries for tests whose first argument is what a test or a
// group of tests is called: Jasmine's, mocha's, Jest's, Vitest's, RSpec's and minitest's.
var titles = regexp.MustCompile(`(?:^|[^\w.$])(?:RSpec\.)?[fx]?(?:describe|context|suite|specify|test|it|bench)(?:\.\w+)*(?:\([^()\n]*\))?[ \t]*\(?\s*$`)

// Title reports whether a word in a test is in the string that says what the test is called: a
// person reads it, and nothing is called by it.
func Title(src []byte, at int) bool {
	line := src[bytes.LastIndexByte(src[:at], '\n')+1 : at]
	open := bytes.IndexAny(line, "\"'`")
	if open < 0 || bytes.IndexByte(line[open+1:], line[open]) >= 0 {
		return false
	}
	before := src[max(0, at-len(line)-most) : at-len(line)+open]
	return titles.Match(before)
}
