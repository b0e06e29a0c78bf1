package secret

import (
	"bytes"
	stdbase64 "encoding/base64"
	"math"
)

// maskAssigned masks a random value that is assigned to a name with the literal in
// it: password = "...", "api_key": "...", SECRET_KEY=..., Pwd=...; <password>...</password>
func maskAssigned(r *rule, text []byte, i int) (n, end int) {
	after := i + len(r.literal)
	at := after
	if r.signed {
		if i > 0 && (alnum(text[i-1])) {
			return 0, after
		}
		at--
	} else {
		at = run(text, after, dashed) // the rest of the name
		if at-after > 24 || aboutOne(text[after:at]) {
			return 0, after
		}
		if at < len(text) && (text[at] == '"' || text[at] == '\'') { // a key in quotes
			at++
			if k := blank(text, at); k > at && bytes.HasPrefix(text[k:], []byte("value=")) { // an attribute of XML
				at = k + len("value")
			}
		}
	}
	named := at
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
		if to == len(text) || text[to] != quote || !password(text[at:to], 3.5, 2) && !(r.weak && chosen(text[at:to], 3)) {
			return 0, after
		}
	default: // in a shell script, a configuration file or a connection string
		to = run(text, at, func(b byte) bool { return secretByte(b) && b != '&' })
		v := text[at:to]
		whole := to == len(text) || text[to] == '\n' || text[to] == '\r'
		switch {
		case whole && run(v, 0, base64) == len(v) && len(v) >= 24 && password(v, 4, 3) && mixed(v):
		case r.weak && whole && (text[sign] == ':' && at == sign+2 || text[sign] == '=' && at == sign+1 && sign == named) && chosen(v, 5):
			// a line of YAML or of a file of properties
		case bytes.HasPrefix(text[to:], []byte("</")) && text[sign] == '>' && (r.weak && chosen(v, 3) || password(v, 3.5, 2)): // an element of XML
		case !whole && delimits(text[to]) && text[at-1] != ' ' && (r.weak && inConnection(text, i) && chosen(v, 2) ||
			len(v) >= 24 && password(v, 4, 3) && mixed(v) && run(v, 0, base64) == len(v)):
		case r.weak && whole && inConnection(text, i) && chosen(v, 2):
		default:
			return 0, after
		}
	}
	return 1, hide(text, at, to)
}

// delimits reports whether a byte ends a value within a line.
func delimits(b byte) bool {
	switch b {
	case ';', '"', '\'', '`', '<', '&', ' ', ',', '\\':
		return true
	}
	return false
}

// inConnection reports whether a connection string goes on before i: it names a server, a
// data base or a user on the same line.
func inConnection(text []byte, i int) bool {
	before := text[max(0, i-200):i]
	before = before[bytes.LastIndexByte(before, '\n')+1:]
	low := bytes.ToLower(before)
	for _, w := range []string{"server=", "data source=", "host=", "user id=", "uid=", "user=", "username=", "dbname=", "database=", "endpoint=", "accountname="} {
		if bytes.Contains(low, []byte(w)) {
			return true
		}
	}
	return false
}

// maskURL masks the password in an address: scheme://user:password@host.
func maskURL(r *rule, text []byte, i int) (n, end int) {
	from := i + len(r.literal)
	colon := run(text, from, func(b byte) bool { return dashed(b) || b == '.' || b == '%' || b == '+' })
	if colon == len(text) || text[colon] != ':' || colon-from > 128 {
		return 0, from
	}
	at := colon + 1
	to := run(text, at, func(b byte) bool { return secretByte(b) && b != '@' && b != '/' && b != '?' })
	v := text[at:to]
	if to == len(text) || text[to] != '@' || bytes.EqualFold(v, text[from:colon]) || !chosen(v, 1) {
		return 0, from
	}
	return 1, hide(text, at, to)
}

// maskAuthorization masks what follows Basic and Bearer in a header.
func maskAuthorization(r *rule, text []byte, i int) (n, end int) {
	from := i + len(r.literal)
	to := run(text, from, func(b byte) bool { return base64(b) || b == '-' || b == '_' || b == '.' })
	v := text[from:to]
	if !alone(text, i) || len(v) < len(Mark) || bytes.HasPrefix(v, []byte("eyJ")) { // a JSON web token has a rule of its own
		return 0, from
	}
	if r.literal == "basic " {
		plain := make([]byte, stdbase64.StdEncoding.DecodedLen(len(v)))
		k, err := stdbase64.StdEncoding.Decode(plain, v)
		if err != nil {
			return 0, to
		}
		_, word, ok := bytes.Cut(plain[:k], []byte(":"))
		if !ok || !chosen(word, 1) {
			return 0, to
		}
	} else if len(v) < 24 || !password(v, 3.5, 3) {
		return 0, from
	}
	return 1, hide(text, from, to)
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
	key := len(v) >= 40 && run(v, 0, base64) == len(v) && mixed(v) && turns(v) > len(v)*2/5 // a slash is a digit of base64 then
	if len(v) >= 32 && run(v, 0, hex) == len(v) {
		bits = min(bits, 3) // of the 4 that hexadecimal digits can have
	}
	for _, b := range v {
		switch {
		case digit(b):
			digits++
		case alnum(b):
			letters++
		case b == '/' && key:
		case b == '.' || b == '/' || b == ':' || b == '%':
			dots++
		}
	}
	// Names have few digits, and those at the end of words; a random value of 16 letters
	// and digits has less than two digits once in five times, and then it gets away.
	return digits >= least && letters >= 4 && dots <= 2 && turns(v) >= len(v)/5 && random(v) && entropy(v) >= bits
}

// chosen reports whether a value may be a password that somebody has chosen, or had made: of
// several kinds of bytes that take turns so often, and no placeholder, path or name.
func chosen(v []byte, least int) bool {
	if len(v) < 8 || len(v) > 128 || v[0] == '/' || v[0] == '.' || v[0] == '%' || v[0] == '@' || v[0] == '#' || uuid(v) || bytes.Contains(v, []byte("://")) {
		return false
	}
	var small, large, digits, marks, dots int
	for _, b := range v {
		switch {
		case digit(b):
			digits++
		case lower(b):
			small++
		case upper(b):
			large++
		case b == '.' || b == '-' || b == '_' || b == '/' || b == ':':
			dots++
		default:
			marks++
		}
	}
	kinds := 0
	for _, n := range []int{small, large, digits, marks} {
		kinds += min(n, 1)
	}
	if least > 1 && (kinds < 3 || digits == 0) || kinds < 2 || digits+marks == 0 || dots > 2 || turns(v) < least {
		return false
	}
	low := bytes.ToLower(v)
	for _, w := range []string{"example", "xxx", "your", "dummy", "placeholder", "change", "redacted", "fake", "sample", "***", "...", "---", "000", "1234", "abcd", "aaa", "pass", "secret", "test", "demo", "user", "token", "admin", "guest", "root", "hello", "qwert", "foo", "todo", "here", "insert", "default", "postgres", "mysql", "value", Mark} {
		if bytes.Contains(low, []byte(w)) {
			return false
		}
	}
	return true
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
