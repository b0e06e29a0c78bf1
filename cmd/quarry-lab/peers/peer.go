package peers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/quarry-search/quarry/index/measure"
)

// A place is where a peer works: a folder that is its own to index, and one for what it
// keeps, empty at first.
type place struct{ root, data string }

// A step is a program to run.
type step struct {
	args []string // the program first, by the name in peer.programs
	dir  string
	env  []string // besides the environment
	none int      // the exit code that means that nothing was found; 0: there is no such
}

// A caller is a function and the file that it is in.
type caller struct {
	file, function string // the file from the root, with slashes; the function without its class
}

// A peer is a program that is measured. What it cannot do is nil.
type peer struct {
	name     string
	from     string   // the package that it comes in
	programs []string // all are needed
	version  []string // the arguments that make the first one print it; nil: it cannot
	remark   string   // what a reader of the tables should know

	index  func(p place) step // rebuilds the index
	update func(p place) step // brings it up to date after an edit
	serve  func(p place, address string) step
	ready  func(answer []byte) bool // to ping, GET
	ping   string                   // path

	search    func(p place, q query) step // one process
	lines     func(out []byte) int        // of matching lines that it found
	over      func(q query) string        // the path with a query string, of the server
	overLines func(out []byte) int
	define    func(p place, name string) step
	structure func(p place) step

	// callers are asked for by the file and the name of a symbol, with its class.
	callers func(p place, language, file, symbol string) step
	called  func(p place, symbol string, out []byte) []caller

	ask    func(p place, question string) step
	answer func(p place, question string, out []byte) []measure.Hit // best first
	// overAsk is the path of the server for a question, in place of ask. builds says that
	// the server needs no index beforehand.
	overAsk func(question string) string
	builds  bool
}

// A query is an exact search.
type query struct {
	name string // in the tables
	text string
	word bool // a whole word, which is no expression
}

// expression is the query as a regular expression.
func (q query) expression() string {
	if q.word {
		return `\b` + q.text + `\b`
	}
	return q.text
}

// peers are all that are measured, in the order of the tables.
func peers(quarry string) []peer {
	return []peer{
		quarryPeer(quarry), ripgrepPeer(), zoektPeer(), codesearchPeer(), ctagsPeer(), astGrepPeer(),
		semgrepPeer(), tldrPeer(), codegraphPeer(), semblePeer(), osgrepPeer(), memoryPeer(),
	}
}

// A found peer is one with its programs on this machine.
type foundPeer struct {
	peer
	paths   map[string]string // of the programs, absolute
	printed string            // its version
	why     string            // why it is not measured; "": it is
}

// find looks for the programs of a peer in folders, then on the PATH.
func find(ctx context.Context, p peer, bin []string) foundPeer {
	f := foundPeer{peer: p, paths: map[string]string{}, printed: "unknown"}
	for _, name := range p.programs {
		at := lookUp(name, bin)
		if at == "" {
			f.why = "not installed"
			return f
		}
		f.paths[name] = at
	}
	if p.version != nil {
		out, err := exec.CommandContext(ctx, f.paths[p.programs[0]], p.version...).CombinedOutput()
		if f.printed = firstVersion(string(out)); err != nil {
			f.printed, f.why = "unknown", "cannot run: "+reason(string(out), err)
		}
	}
	return f
}

func lookUp(name string, bin []string) string {
	if filepath.IsAbs(name) {
		bin, name = []string{filepath.Dir(name)}, filepath.Base(name)
	}
	for _, dir := range bin {
		at := filepath.Join(dir, name)
		if info, err := os.Stat(at); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return at
		}
	}
	at, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	at, err = filepath.Abs(at)
	if err != nil {
		return ""
	}
	return at
}

// firstVersion returns the first word of a text that begins with a digit, or a v and a
// digit, without what is around it; "" where there is none.
func firstVersion(text string) string {
	for _, word := range strings.Fields(text) {
		word, _, _ = strings.Cut(strings.Trim(word, "v,():;"), "(")
		if word != "" && word[0] >= '0' && word[0] <= '9' {
			return word
		}
	}
	return ""
}

// reason is the last line that a program has said, or else its error: short enough for
// a table, and no line with an address.
func reason(said string, err error) string {
	lines := strings.FieldsFunc(said, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := len(lines) - 1; i >= 0; i-- {
		if line := strings.TrimSpace(lines[i]); line != "" && !strings.Contains(line, "://") {
			return strings.ReplaceAll(fmt.Sprintf("%.120s", line), "|", "/")
		}
	}
	return err.Error()
}
