package secret

import "bytes"

const (
	pemLine = 32  // bytes of base64 that begin a block, and that each line but the last has
	pemGap  = 80  // bytes between two lines of a block in a program: quotes, indentation, a plus sign
	pemHead = 256 // bytes of the headers of an encrypted block
)

// maskPEM masks the lines of a private key, which may be those of a string or of
// several.
func maskPEM(r *rule, text []byte, i int) (n, end int) {
	from := i + len(r.literal)
	label := text[from:min(from+48, len(text))]
	ending := "PRIVATE KEY-----"
	close := bytes.Index(label, []byte(ending))
	if close < 0 {
		ending = "PRIVATE KEY BLOCK-----" // of PGP
		close = bytes.Index(label, []byte(ending))
	}
	if close < 0 || i < 5 || string(text[i-5:i]) != "-----" || bytes.IndexByte(label[:close], '\n') >= 0 {
		return 0, from
	}
	at := from + close + len(ending)
	if k := between(text, at); bytes.HasPrefix(text[k:], []byte("Proc-Type:")) || bytes.HasPrefix(text[k:], []byte("Version:")) || bytes.HasPrefix(text[k:], []byte("Comment:")) {
		head := text[k:min(k+pemHead, len(text))]
		if e := bytes.Index(head, []byte("\n\n")); e >= 0 {
			at = k + e
		} else if e := bytes.Index(head, []byte("\r\n\r\n")); e >= 0 {
			at = k + e
		}
	}
	for {
		begin := between(text, at)
		to := run(text, begin, base64)
		switch {
		case begin-at > pemGap, to == begin:
			return n, at
		case to-begin >= pemLine:
			n, at = n+1, hide(text, begin, to)
		case n > 0 && bytes.HasPrefix(text[between(text, to):], []byte("-----END")):
			return n + 1, hide(text, begin, to)
		default:
			return n, at
		}
	}
}

// between returns where the next base64 begins: quotes, signs and escapes are skipped.
func between(text []byte, at int) int {
	for at < len(text) && (!base64(text[at]) || text[at] == '+' || escaped(text, at)) && text[at] != '-' {
		at++
	}
	return at
}
