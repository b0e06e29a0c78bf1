package secret

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	digits   = "0123456789"
	smalls   = "abcdefghijklmnopqrstuvwxyz"
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	letters  = smalls + capitals + digits
)

// drawn returns a random value. Keys are made here, and stand in no file.
func drawn(n int, of string) string {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for {
		b := make([]byte, n)
		for i := range b {
			b[i] = of[r.IntN(len(of))]
		}
		if password(b, 3.5, 3) || random(b) && !strings.Contains(of, "a") {
			return string(b)
		}
	}
}

// shape is a text with $ in place of a secret.
type shape struct{ name, text, secret string }

func shapes() []shape {
	pem := ""
	for i := range 5 {
		pem += drawn(64, letters+"+/")[:64-i] + "\n"
	}
	pem += "Zm9vYg==\n"
	begin, end := "-----BEGIN RSA PRIVATE "+"KEY-----", "-----END RSA PRIVATE "+"KEY-----"
	return []shape{
		{"aws id", `id = "AKIA$"`, drawn(16, capitals+digits)},
		{"aws secret", `aws_secret_access_key = $` + "\nregion = x\n", drawn(40, letters+"+/")},
		{"aws secret quoted", `secretAccessKey: '$',`, drawn(40, letters+"+/")},
		{"github", "export TOKEN=ghp_$\n", drawn(36, letters)},
		{"github in a url", "https://ghs_$@github.com/x/y", drawn(36, letters)},
		{"github fine", "// github_pat_$", drawn(82, letters+"_")},
		{"gitlab", `"glpat-$"`, drawn(20, letters+"_")},
		{"slack", "xoxb-$ ", drawn(50, digits+letters)},
		{"slack hook", "https://hooks.slack.com/services/$", drawn(40, letters)},
		{"stripe", "sk_live_$", drawn(24, letters)},
		{"google", `key=AIza$&x`, drawn(35, letters+"_")},
		{"openai", "sk-proj-$", drawn(48, letters)},
		{"openai old", "sk-$", drawn(20, letters) + "T3BlbkFJ" + drawn(20, letters)},
		{"anthropic", `'sk-ant-$'`, drawn(95, letters+"-_")},
		{"npm", "//registry.npmjs.org/:_authToken=npm_$", drawn(36, letters)},
		{"jwt", "Bearer eyJhbGciOiJIUzI1NiJ9.$", "eyJ" + drawn(40, letters) + "." + drawn(43, letters)},
		{"password", `password = "$"`, drawn(20, letters+"!#%&")},
		{"json", `{"client_secret": "$"}`, drawn(32, letters)},
		{"json in json", `{\n "apiKey" : "$"}`, drawn(32, letters)},
		{"ruby", `:auth_token => '$'`, drawn(24, letters)},
		{"go", "dbPassword := `$`", drawn(24, letters)},
		{"shell", "SECRET_KEY=$\n", drawn(50, letters)},
		{"pem", begin + "\n$" + end, pem},
		{"pem of a string", `"` + begin + `\n` + strings.ReplaceAll("$", "\n", `\n`) + end + `"`, strings.ReplaceAll(pem, "\n", `\n`)},
		{"pem encrypted", begin + "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,6D7A9F0C\n\n$" + end, pem},
		{"pem cut off", begin + "\n$", pem[:3*64]},
	}
}

// TestMask has a secret of each kind in a text: all of it is masked, and nothing else.
func TestMask(t *testing.T) {
	for _, s := range shapes() {
		before, after, ok := strings.Cut(s.text, "$")
		if !ok {
			t.Fatal(s.name)
		}
		text := []byte(before + s.secret + after)
		was := len(text)
		n := Mask(text, true)
		if n == 0 || len(text) != was || Count(text) == 0 {
			t.Errorf("%s: %d masked in %q", s.name, n, text)
			continue
		}
		if !strings.HasPrefix(string(text), before) || !strings.HasSuffix(string(text), after) {
			t.Errorf("%s: what is around it has changed: %q", s.name, text)
		}
		for i := 0; i+8 <= len(s.secret); i++ {
			if part := s.secret[i : i+8]; !strings.ContainsAny(part, "\\\n") && bytes.Contains(text, []byte(part)) {
				t.Errorf("%s: %q is left in %q", s.name, part, text)
				break
			}
		}
		if strings.Count(before+s.secret+after, "\n") != bytes.Count(text, []byte("\n")) {
			t.Errorf("%s: lines have changed: %q", s.name, text)
		}
		if again := bytes.Clone(text); Mask(again, true) != 0 || !bytes.Equal(again, text) {
			t.Errorf("%s: masked twice: %q, then %q", s.name, text, again)
		}
	}
}

// TestKept has texts that look like secrets and are none.
func TestKept(t *testing.T) {
	for _, text := range []string{
		`id = "AKIAIOSFODNN7EXAMPLE"`,
		`key := "AKIA` + drawn(17, capitals+digits) + `"`, // too long
		`ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`,
		`token = "your-api-token-goes-here-1234"`,
		`password = "correct horse battery staple"`,
		`password = os.Getenv("DATABASE_PASSWORD_2")`,
		`secret: ${{ secrets.NPM_TOKEN_2_FOR_RELEASES }}`,
		`token: "550e8400-e29b-41d4-a716-446655440000"`,
		`tokenURL = "https://login.microsoftonline.com/common/oauth2/v2.0/token"`,
		`secretName: "projects/p1/secrets/db2/versions/3"`,
		`passwordField = "input[name=password2]"`,
		`const tokenKind = "keyword.control.flow.js2"`,
		`apiKeyHeader = "X-Api-Key-Version-20240102"`,
		`nextToken = parseAccessTokenV2Response123`,
		`pem.Decode("-----BEGIN PRIVATE ` + `KEY-----"); parse(anIdentifierThatIsQuiteLongIndeed); "-----END"`,
		`if !strings.HasPrefix(s, "-----BEGIN RSA PRIVATE ` + `KEY-----") { return errNoPrivateKeyInTheGivenFileAtAll() }`,
		"-----BEGIN CERTIFICATE-----\n" + drawn(64, letters) + "\n-----END CERTIFICATE-----\n",
		"-----BEGIN PUBLIC KEY-----\n" + drawn(64, letters) + "\n",
		`npm_config_registry_and_some_more_words_2`,
		`eyJhbGciOiJIUzI1NiJ9`,
		`checksum = "` + drawn(64, letters) + `"`,
	} {
		b := []byte(text)
		if n := Mask(b, true); n > 0 || string(b) != text {
			t.Errorf("%d masked: %q, now %q", n, text, b)
		}
	}
	// What is assigned is looked at only where names count; a key is one everywhere.
	b := []byte(`password = "` + drawn(20, letters) + `"; "ghp_` + drawn(36, letters) + `"`)
	if n := Mask(b, false); n != 1 || !bytes.Contains(b, []byte("ghp_"+Mark)) {
		t.Errorf("%d masked in a test: %s", n, b)
	}
}

// TestFilter compares the filter with a look at every place.
func TestFilter(t *testing.T) {
	all := rules()
	f := newFilter(all)
	r := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		var text []byte
		for len(text) < 400 {
			one := all[r.IntN(len(all))].literal
			switch r.IntN(4) {
			case 0:
				one = one[:r.IntN(len(one))]
			case 1:
				one = strings.ToUpper(one)
			case 2:
				one = letters[r.IntN(len(letters)):][:1]
			}
			text = append(text, one...)
		}
		var got, want []string
		for at := 0; ; {
			i, r := f.next(text, at)
			if r == nil {
				break
			}
			got, at = append(got, fmt.Sprint(i, r.literal)), i+1
		}
		for i := range text {
			for _, r := range all {
				if r.begins(text[i:]) {
					want = append(want, fmt.Sprint(i, r.literal))
					break
				}
			}
		}
		if strings.Join(got, ";") != strings.Join(want, ";") {
			t.Fatalf("%q:\n%v\n%v", text, got, want)
		}
	}
}

// TestRules holds the rules to what the filter and the masks need of them.
func TestRules(t *testing.T) {
	for _, r := range rules() {
		if len(r.literal) < window || r.mask == nil || r.folded && r.literal != strings.ToLower(r.literal) {
			t.Errorf("%+v", r)
		}
		if r.body != nil && r.least < len(Mark) {
			t.Errorf("%s: a key of %d bytes has no room for %s", r.literal, r.least, Mark)
		}
	}
}

func FuzzMask(f *testing.F) {
	for _, s := range shapes() {
		f.Add([]byte(strings.ReplaceAll(s.text, "$", s.secret)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		was := bytes.Clone(text)
		n := Mask(text, true)
		if len(text) != len(was) || utf8.Valid(text) != utf8.Valid(was) {
			t.Fatalf("%q became %q", was, text)
		}
		for i, b := range was {
			if b != text[i] && (b == '\n' || b == '"' || b == '\\' || b >= utf8.RuneSelf || !alnum(text[i]) && text[i] != '_') {
				t.Fatalf("%q became %q", was, text)
			}
		}
		if n == 0 && !bytes.Equal(text, was) {
			t.Fatalf("nothing masked, but %q became %q", was, text)
		}
	})
}

var corpus = flag.String("corpus", "", "a folder whose files TestCorpus masks")
var showAll = flag.Bool("all-kinds", false, "TestRecall says of both halves what is missed")

// TestCorpus prints what it masks of real code, for a person to judge:
//
//	go test ./index/internal/secret -run Corpus -v -corpus DIR
func TestCorpus(t *testing.T) {
	if *corpus == "" {
		t.Skip("no -corpus folder is given")
	}
	files, bytesRead, masked := 0, 0, 0
	err := filepath.WalkDir(*corpus, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || len(text) > 2<<20 || bytes.IndexByte(text, 0) >= 0 {
			return nil
		}
		files, bytesRead = files+1, bytesRead+len(text)
		was := bytes.Clone(text)
		if n := Mask(text, true); n > 0 {
			masked += n
			old, now := bytes.Split(was, []byte("\n")), bytes.Split(text, []byte("\n"))
			for i := range now {
				if !bytes.Equal(old[i], now[i]) {
					t.Logf("%s:%d: %.200s", path, i+1, bytes.TrimSpace(old[i]))
				}
			}
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Fatal("nothing read", err)
	}
	t.Logf("%d files, %d bytes, %d masked", files, bytesRead, masked)
}

// BenchmarkMask reads sources of this module, and such as have many of the names.
func BenchmarkMask(b *testing.B) {
	for name, glob := range map[string]string{"code": "../graph/*.go", "names": "*.go"} {
		b.Run(name, func(b *testing.B) {
			names, err := filepath.Glob(glob)
			if err != nil || len(names) == 0 {
				b.Fatal("no sources", err)
			}
			var text []byte
			for _, name := range names {
				one, err := os.ReadFile(name)
				if err != nil {
					b.Fatal(err)
				}
				text = append(text, one...)
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Mask(text, true)
			}
		})
	}
}
