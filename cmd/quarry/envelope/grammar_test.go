package envelope

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A grammar makes command lines of grep and find from words of the tree.
type grammar struct {
	*rand.Rand
	extended, fixed, perl bool
}

// sentence returns the command line of a seed.
func sentence(seed uint64) string {
	g := grammar{Rand: rand.New(rand.NewPCG(seed, 28))}
	if g.IntN(5) == 0 {
		return g.find()
	}
	return g.grep()
}

func (g *grammar) of(list ...string) string { return list[g.IntN(len(list))] }

// often is true so many times of a hundred.
func (g *grammar) often(percent int) bool { return g.IntN(100) < percent }

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func (g *grammar) grep() string {
	args := []string{"grep"}
	switch g.IntN(10) {
	case 0, 1, 2:
		g.extended = true
		args = append(args, "-E")
	case 3:
		g.fixed = true
		args = append(args, "-F")
	case 4:
		g.perl, g.extended = true, true
		args = append(args, "-P")
	}
	only := g.often(15)
	if only {
		args = append(args, "-o")
	}
	for _, f := range []struct {
		flag    string
		percent int
	}{{"-i", 20}, {"-w", 12}, {"-x", 5}, {"-v", 8}, {"-n", 20}, {"-h", 8}, {"-r", 15}, {"-s", 3}} {
		if g.often(f.percent) && !(g.perl && only && f.flag == "-w") {
			args = append(args, f.flag)
		}
	}
	if g.often(15) {
		args = append(args, g.of("-c", "-l", "-L"))
	}
	if g.often(10) {
		args = append(args, fmt.Sprintf("-m%d", 1+g.IntN(3)))
	}
	if g.often(15) {
		args = append(args, fmt.Sprintf("-%s%d", g.of("A", "B", "C"), 1+g.IntN(3)))
	}
	if g.often(15) {
		args = append(args, g.of("--include='*.go'", "--include='*.js'", "--include='*.txt'", "--exclude='*_test.go'", "--exclude='*.md'", "--exclude-dir=web", "--exclude-dir=docs"))
	}
	if !g.perl && g.often(12) {
		args = append(args, "-e", quoted(g.pattern()), "-e", quoted(g.pattern()))
	} else if p := g.pattern(); strings.HasPrefix(p, "-") {
		args = append(args, "-e", quoted(p))
	} else {
		args = append(args, quoted(p))
	}
	switch g.IntN(4) {
	case 0:
		args = append(args, g.of("src", "docs", "tools", "src/web", "conf"))
	case 1:
		args = append(args, g.of("src/client.go", "docs/guide.md", "docs/unicode.txt", "docs/dos.txt", "docs/open.txt", "README.md"))
	case 2:
		args = append(args, "docs/guide.md", g.of("src", "tools", "docs/unicode.txt", "conf"))
	}
	return strings.Join(args, " ")
}

var vocabulary = []string{
	"order", "Order", "total", "word", "foo", "bar", "foobar", "Client", "client", "func", "return", "ErrClosed", "café", "cat", "sum", "main",
	"10.0.0.2", "shop", "port", "ab", "aa", "a", "import", "error", "ERROR", "Über", "straße", "TODO", "price", "x", "語", "$5", "a^b", "x*", "#ff0000",
}

func (g *grammar) pattern() string {
	if g.fixed {
		return g.of(vocabulary...)
	}
	var b strings.Builder
	if g.often(10) {
		b.WriteString("^")
	}
	for range 1 + g.IntN(3) {
		b.WriteString(g.part(2))
	}
	if g.often(10) {
		b.WriteString("$")
	}
	if g.often(15) {
		b.WriteString(g.bar() + g.part(1))
	}
	return b.String()
}

func (g *grammar) bar() string {
	if g.extended {
		return "|"
	}
	return `\|`
}

func (g *grammar) part(depth int) string {
	var atom string
	switch n := g.IntN(20); {
	case n < 9:
		atom = g.word()
	case n < 11:
		atom = "."
	case n < 13:
		atom = g.of("[a-z]", "[^a-z]", "[0-9]", "[[:alpha:]]", "[[:digit:]_]", "[^[:space:]]", "[A-Z]", "[aeiou]", "[]x]", "[.$*]", "[[:upper:]]", "[[:punct:]]")
		if g.perl {
			atom = g.of("[a-z]", "[^a-z]", "[0-9]", "[A-Z]", "[aeiou]", `\d`, "[.$*]")
		}
	case n < 15:
		atom = g.of(`\w`, `\W`, `\s`, `\S`)
		if g.perl {
			atom = g.of(`\d`, `\s`, "[a-z]")
		}
	case n < 17:
		if g.perl {
			return `\b` + g.of("order", "word", "foo", "client")
		}
		return g.of(`\<`, `\b`, `\B`) + g.word() + g.of("", `\>`, `\b`)
	case n < 19 && depth > 0:
		open, end := `\(`, `\)`
		if g.extended {
			open, end = "(", ")"
		}
		inside := g.part(depth - 1)
		if g.often(60) {
			inside += g.bar() + g.part(depth-1)
		}
		atom = open + inside + end
	default:
		atom = g.of("a", "b", "o", "r", "e", " ", ":", "_", "-")
	}
	if g.often(25) {
		return atom + g.repeat()
	}
	return atom
}

func (g *grammar) word() string {
	w := g.of(vocabulary...)
	if g.extended {
		return strings.NewReplacer("$", `\$`, "^", `\^`, "*", `\*`, ".", `\.`).Replace(w)
	}
	return strings.NewReplacer("*", `\*`, ".", `\.`).Replace(w)
}

func (g *grammar) repeat() string {
	if g.extended {
		return g.of("*", "+", "?", "{2}", "{1,3}", "{2,}", "*")
	}
	return g.of("*", `\+`, `\?`, `\{2\}`, `\{1,3\}`, `\{2,\}`, "*")
}

func (g *grammar) find() string {
	args := []string{"find", g.of(".", "src", "docs", ". -maxdepth 2", "src tools", "")}
	if args[1] == "" {
		args = args[:1]
	}
	args = append(args, g.test(2))
	for range g.IntN(3) {
		if g.often(30) {
			args = append(args, g.of("-o", "-a", "-or"))
		}
		args = append(args, g.test(2))
	}
	return strings.Join(args, " ")
}

func (g *grammar) test(depth int) string {
	switch n := g.IntN(14); {
	case n < 3:
		return "-name " + quoted(g.of("*.go", "*.js", "*.txt", "*order*", "[a-c]*", "app.*", "*.y?ml", "*", "README*", "*.{go,js}", "[!a-m]*", "run all.sh"))
	case n == 3:
		return "-iname " + quoted(g.of("readme*", "*ORDER*", "*.TXT", "App.*"))
	case n < 6:
		return "-path " + quoted(g.of("*/web/*", "./src/*", "src/*", "*order*", "docs/*.txt", "./docs", "*s/*"))
	case n < 8:
		return "-type " + g.of("f", "d", "f,d")
	case n == 8:
		return `\( -type f -size ` + g.of("+1k", "-2", "1", "+500c", "-100c", "0", "-3k", "+20k", "-1M") + ` \)` // the size of a folder is not the same everywhere
	case n == 9:
		return "-newer " + g.of("README.md", "src/client.go", "'docs/log 2024.txt'")
	case n == 10:
		return g.of("-mindepth 1", "-mindepth 2", "-maxdepth 1", "-maxdepth 3")
	case n == 11 && depth > 0:
		return `\( ` + g.test(depth-1) + g.of(" -o ", " ", " -a ") + g.test(depth-1) + ` \)`
	case n == 12 && depth > 0:
		return g.of("-not ", "! ") + g.test(depth-1)
	}
	return g.of("-path ./src/web -prune -o -type f -print", "-name web -prune -o -name '*.js'", "-type f", "-name '*.md'")
}
