package secret

import "bytes"

// A rule finds one kind of secrets by a literal that they begin with, or that their
// name ends with.
type rule struct {
	literal  string // at least window bytes; lower case if folded
	folded   bool   // case does not matter
	assigned bool   // it goes by the name of what is assigned, or by where it stands
	weak     bool   // what is assigned may be short: people choose it
	signed   bool   // the literal ends with the sign of an assignment
	drop     int    // bytes at the literal's end that belong to the key
	body     class  // of a key, what follows the literal
	least    int    // of it, bytes; at least as many as Mark has
	most     int    // 0: any

	// mask masks the secret whose literal is at text[i:], if it is one. It returns how
	// many stretches it has masked, and where to go on.
	mask func(r *rule, text []byte, i int) (n, end int)
}

// A class is a set of bytes.
type class func(b byte) bool

func digit(b byte) bool  { return '0' <= b && b <= '9' }
func lower(b byte) bool  { return 'a' <= b && b <= 'z' }
func upper(b byte) bool  { return 'A' <= b && b <= 'Z' }
func alnum(b byte) bool  { return digit(b) || lower(b) || upper(b) }
func word(b byte) bool   { return alnum(b) || b == '_' }
func dashed(b byte) bool { return word(b) || b == '-' }
func base64(b byte) bool { return alnum(b) || b == '+' || b == '/' || b == '=' }
func capital(b byte) bool {
	return digit(b) || upper(b)
}
func hex(b byte) bool { return digit(b) || 'a' <= b && b <= 'f' }

// rules returns all rules. Where one literal begins another, the longer one comes first.
//
// Which services there are rules for goes by the lists of kinds in gitleaks
// (github.com/gitleaks/gitleaks, config) and detect-secrets (github.com/Yelp/detect-secrets,
// plugins); the forms are those that the services document.
func rules() []*rule {
	all := keys()
	all = append(all, &rule{literal: "T3BlbkFJ", mask: maskOpenAI}, &rule{literal: "BEGIN ", mask: maskPEM})
	for _, l := range []string{"eyJh", "eyJ0", "eyJr", "eyJq", "eyJ4", "eyJj", "eyJl", "eyJp"} {
		all = append(all, &rule{literal: l, mask: maskJWT})
	}
	for _, c := range digits10 {
		all = append(all, &rule{literal: "-us" + string(c), mask: maskMailchimp})
	}
	for _, c := range wordBytes {
		all = append(all, &rule{literal: ":AA" + string(c), mask: maskTelegram})
	}
	all = append(all, &rule{literal: "key-", mask: maskMailgun}, &rule{literal: ".atlasv1.", mask: maskTerraform})
	for _, l := range []string{"basic ", "bearer "} {
		all = append(all, &rule{literal: l, folded: true, assigned: true, mask: maskAuthorization})
	}
	for _, end := range []string{"tp", "ps", "es", "ql", "db", "rv", "is", "ss", "qp", "ap", "er", "sh", "le", "se", "ka", "4j", "it", "te", "ud"} {
		all = append(all, &rule{literal: end + "://", assigned: true, mask: maskURL})
	}
	for _, l := range []string{"password", "passwd", "passphrase"} {
		all = append(all, &rule{literal: l, folded: true, assigned: true, weak: true, mask: maskAssigned})
	}
	for _, l := range []string{"pwd=", "pwd:"} {
		all = append(all, &rule{literal: l, folded: true, assigned: true, weak: true, signed: true, mask: maskAssigned})
	}
	for _, l := range []string{"secret", "token", "api_key", "api-key", "apikey", "access_key", "accesskey", "account_key", "accountkey", "private_key", "privatekey", "auth_key", "authkey", "encryption_key", "signing_key", "client_key", "credential"} {
		all = append(all, &rule{literal: l, folded: true, assigned: true, mask: maskAssigned})
	}
	return all
}

const (
	digits10  = "0123456789"
	wordBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
)

// run returns the end of the bytes of a class that begin at i.
func run(text []byte, i int, of class) int {
	for i < len(text) && of(text[i]) {
		i++
	}
	return i
}

// alone reports whether no word goes on before i.
func alone(text []byte, i int) bool { return i == 0 || !word(text[i-1]) || escaped(text, i-1) }

// escaped reports whether the byte at i is the letter of an escape such as \n.
func escaped(text []byte, i int) bool {
	return i > 0 && text[i-1] == '\\' && (text[i] == 'n' || text[i] == 'r' || text[i] == 't')
}

// maskKey masks what follows the literal, which says whose key it is and stays.
func maskKey(r *rule, text []byte, i int) (n, end int) {
	from := i + len(r.literal) - r.drop
	to := run(text, from, r.body)
	size := to - from
	if !alone(text, i) || size < r.least || r.most > 0 && size > r.most || to < len(text) && word(text[to]) || !random(text[from:to]) {
		return 0, from
	}
	return 1, hide(text, from, to)
}

// maskOpenAI masks keys whose literal stands in the middle.
func maskOpenAI(r *rule, text []byte, i int) (n, end int) {
	from := i
	for from > 0 && dashed(text[from-1]) && i-from < 128 {
		from--
	}
	after := i + len(r.literal)
	to := run(text, after, dashed)
	if !bytes.HasPrefix(text[from:], []byte("sk-")) || i-from < 20 || to-after < 16 {
		return 0, after
	}
	return 1, hide(text, from+len("sk-"), to)
}

// maskJWT masks the claims and the signature; the header is no secret.
func maskJWT(_ *rule, text []byte, i int) (n, end int) {
	claims := run(text, i, dashed)
	if !alone(text, i) || claims-i < 12 || !bytes.HasPrefix(text[claims:], []byte(".eyJ")) {
		return 0, claims
	}
	dot := run(text, claims+1, dashed)
	if dot-claims < 20 || dot == len(text) || text[dot] != '.' {
		return 0, dot
	}
	to := run(text, dot+1, dashed)
	if to-dot < 20 {
		return 0, to
	}
	hide(text, claims+1, dot)
	return 2, hide(text, dot+1, to)
}
