package secret

import "bytes"

// A rule finds one kind of secrets by a literal that they begin with, or that their
// name ends with.
type rule struct {
	literal  string // at least window bytes; lower case if folded
	folded   bool   // case does not matter
	assigned bool   // it goes by the name of what is assigned
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
func rules() []*rule {
	var all []*rule
	key := func(body class, least, most int, literals ...string) {
		for _, l := range literals {
			all = append(all, &rule{literal: l, body: body, least: least, most: most, mask: maskKey})
		}
	}
	key(capital, 16, 16, "AKIA", "ASIA", "ABIA", "ACCA")                // Amazon
	key(alnum, 36, 255, "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "npm_") // GitHub, npm
	key(word, 60, 255, "github_pat_")
	key(dashed, 20, 255, "glpat-", "gldt-", "glrt-", "glptt-") // GitLab
	key(dashed, 24, 255, "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xapp-")
	key(func(b byte) bool { return alnum(b) || b == '/' }, 30, 80, "hooks.slack.com/services/")
	key(alnum, 20, 255, "sk_live_", "rk_live_") // Stripe
	key(base64, 24, 64, "whsec_")
	key(dashed, 35, 35, "AIza") // Google
	key(dashed, 24, 40, "GOCSPX-")
	key(dashed, 40, 2048, "ya29.", "sk-ant-", "sk-proj-", "sk-svcacct-", "sk-admin-") // Google, Anthropic, OpenAI
	key(dashed, 50, 255, "pypi-AgEI")
	key(dashed, 24, 64, "dckr_pat_")
	key(hex, 32, 32, "shpat_", "shpss_", "shpca_", "shppa_") // Shopify
	key(hex, 64, 64, "dop_v1_", "doo_v1_", "dor_v1_")        // DigitalOcean
	key(word, 36, 64, "glsa_")                               // Grafana
	key(capital, 58, 58, "AGE-SECRET-KEY-1")
	all = append(all, &rule{literal: "T3BlbkFJ", mask: maskOpenAI}, &rule{literal: "BEGIN ", mask: maskPEM})
	for _, l := range []string{"eyJh", "eyJ0", "eyJr", "eyJq", "eyJ4", "eyJj", "eyJl", "eyJp"} {
		all = append(all, &rule{literal: l, mask: maskJWT})
	}
	for _, l := range []string{"password", "passwd", "secret", "token", "api_key", "api-key", "apikey", "access_key", "accesskey", "private_key", "auth_key", "credential"} {
		all = append(all, &rule{literal: l, folded: true, assigned: true, mask: maskAssigned})
	}
	return all
}

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
	from := i + len(r.literal)
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
