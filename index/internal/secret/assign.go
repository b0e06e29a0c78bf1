package secret

import (
	"bytes"
	"math"
)

// maskAssigned masks a long random value that is assigned to a name with the literal in
// it: password = "...", "api_key": "...", SECRET_KEY=...
func maskAssigned(r *rule, text []byte, i int) (n, end int) {
	after := i + len(r.literal)
	at := run(text, after, dashed) // the rest of the name
	if at-after > 24 || aboutOne(text[after:at]) {
		return 0, after
	}
	if at < len(text) && (text[at] == '"' || text[at] == '\'') { // a key in quotes
		at++
	}
	at = blank(text, at)
	sign := at
	for at < len(text) && at-sign < 2 && (text[at] == '=' || text[at] == ':' || text[at] == '>') {
		at++
	}
	if at == sign {
		return 0, after
	}
	at = blank(text, at)
	if at == len(text) {
		return 0, after
	}
	var to int
	switch quote := text[at]; quote {
	case '"', '\'', '`':
		at++
		to = run(text, at, secretByte)
		if to == len(text) || text[to] != quote || !password(text[at:to], 3.5, 2) {
			return 0, after
		}
	default: // in a shell script or a configuration file, to the end of the line
		to = run(text, at, base64)
		if to < len(text) && text[to] != '\n' && text[to] != '\r' || to-at < 24 || !password(text[at:to], 4, 3) || !mixed(text[at:to]) {
			return 0, after
		}
	}
	return 1, hide(text, at, to)
}

// aboutOne reports whether a name goes on to say that it is not of a secret but of
// something about one, such as tokenURL.
func aboutOne(rest []byte) bool {
	low := bytes.ToLower(rest)
	for _, w := range []string{"id", "ids", "name", "header", "field", "url", "uri", "kind", "type", "path", "file", "prefix", "hash", "digest", "version", "format", "pattern", "regex", "label", "class"} {
		if bytes.HasSuffix(low, []byte(w)) {
			return true
		}
	}
	return false
}

func blank(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	return at
}

// secretByte reports whether a byte may stand in a random value: printable, and neither
// a quote nor what begins an escape or a placeholder.
func secretByte(b byte) bool {
	switch b {
	case '"', '\'', '`', '\\', '$', '{', '}', '<', '>', '(', ')', '[', ']', ',', ';', ' ':
		return false
	}
	return b > ' ' && b <= '~'
}

// password reports whether a value is random: long, of letters and at least so many digits, of
// at least so many bits a byte, and neither a path, an address, a UUID nor a placeholder.
func password(v []byte, bits float64, least int) bool {
	if len(v) < len(Mark) || len(v) > 256 || bytes.Contains(v, []byte("://")) || v[0] == '/' || v[0] == '.' || v[0] == '@' || v[0] == '#' || uuid(v) {
		return false
	}
	digits, letters, dots := 0, 0, 0
	for _, b := range v {
		switch {
		case digit(b):
			digits++
		case alnum(b):
			letters++
		case b == '.' || b == '/' || b == ':' || b == '%':
			dots++
		}
	}
	// Names have few digits, and those at the end of words; a random value of 16 letters
	// and digits has less than two digits once in five times, and then it gets away.
	return digits >= least && letters >= 4 && dots <= 2 && turns(v) >= len(v)/5 && random(v) && entropy(v) >= bits
}

// mixed reports whether a value has small and large letters.
func mixed(v []byte) bool {
	return bytes.ContainsFunc(v, func(r rune) bool { return r < 128 && lower(byte(r)) }) &&
		bytes.ContainsFunc(v, func(r rune) bool { return r < 128 && upper(byte(r)) })
}

// turns counts where a value goes from one kind of bytes to another, which it does in a
// name at the ends of words only.
func turns(v []byte) (n int) {
	kind := func(b byte) int {
		switch {
		case digit(b):
			return 0
		case lower(b):
			return 1
		case upper(b):
			return 2
		}
		return 3
	}
	for i := 1; i < len(v); i++ {
		if kind(v[i]) != kind(v[i-1]) {
			n++
		}
	}
	return n
}

// uuid reports whether a value has the form of one: it names things.
func uuid(v []byte) bool {
	return len(v) == 36 && v[8] == '-' && v[13] == '-' && v[18] == '-' && v[23] == '-'
}

// random reports whether a value may be one that was drawn: a placeholder repeats
// itself, counts up, or says what it is.
func random(v []byte) bool {
	low := bytes.ToLower(v)
	for _, w := range []string{"example", "xxxx", "your", "dummy", "placeholder", "changeme", "redacted", "fake", "sample", "****", "....", "----", "0000", "1234567", "abcdef", "aaaa", Mark} {
		if bytes.Contains(low, []byte(w)) {
			return false
		}
	}
	return entropy(v) >= 2.8
}

// entropy returns the bits a byte that a value has by how often its bytes occur in it.
func entropy(v []byte) float64 {
	var counts [256]int
	for _, b := range v {
		counts[b]++
	}
	bits := 0.0
	for _, c := range counts {
		if c > 0 {
			p := float64(c) / float64(len(v))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
