// Package te renders what grep, cat and find have found in an envelope that costs
// few tokens: a header of one line, the best of the result in order of rank, and
// breadcrumbs that count what is left out. A model knows the commands; what is new
// to it is said by the answer, never by instructions.
//
// What it promises:
//
//   - The header is computed from what is printed. Truncated is set if and only if
//     something is left out, and then the result has a handle.
//   - The lines that are printed and the counts of the breadcrumbs add up to the
//     matches of the header.
//   - A breadcrumb describes what is left out. It never says what to do about it.
//
// The package is pure but for Log, which writes a file: it knows no HTTP, of requests and
// answers only the structs, and of an index only the types.
package te

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The lines around a header.
const (
	beginMeta = "# TE_BEGIN_META"
	endMeta   = "# TE_END_META"
	crumbMark = "# TE: "
	errorMark = "[TE] "
)

// nothingIndexed is what is said of an index without files.
const nothingIndexed = "nothing is indexed yet"

// version is that of the header and of the default form.
const version = 1

// A Meta is the header of an answer. It has these keys and no others: one of
// matches, lines and size says how much there is in all.
type Meta struct {
	V           int    `json:"v"` // of the form, as in Strategy
	Cmd         string `json:"cmd"`
	Matches     *int   `json:"matches,omitempty"` // grep: lines; find: paths
	Lines       *int   `json:"lines,omitempty"`   // cat: of the file
	Size        *int64 `json:"size,omitempty"`    // cat: bytes of a file that has no lines to show
	Files       int    `json:"files,omitempty"`   // grep: with a match
	Truncated   bool   `json:"truncated,omitempty"`
	Handle      string `json:"handle,omitempty"`   // only where truncated
	HotZone     string `json:"hot_zone,omitempty"` // such as "tools/rag/ (73%)"
	ContentType string `json:"content_type,omitempty"`
	Error       string `json:"error,omitempty"` // a code
}

// newMeta returns the header of a command's answer, in the default form.
func newMeta(cmd string) Meta { return Meta{V: version, Cmd: cmd} }

// meta returns the header of an answer in the form that was chosen.
func (o *Options) meta(cmd string) Meta { return Meta{V: max(o.Strategy.V, version), Cmd: cmd} }

// Header renders the header with its markers, as three lines.
func (m Meta) Header() string {
	var b strings.Builder
	b.WriteString(beginMeta + "\n")
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	// A Meta always encodes: it has strings and numbers only.
	_ = e.Encode(m)
	b.WriteString(endMeta + "\n")
	return b.String()
}

// Failure renders an error. The message is a sentence; where the envelope has words
// of its own for the code, they are given.
func Failure(cmd, code, message string) string {
	m := newMeta(cmd)
	m.Error = code
	return m.Header() + "\n" + errorMark + Sentence(code, message) + "\n"
}

// Sentence returns what the envelope says of an error, on one line.
func Sentence(code, message string) string {
	if code == "invalid_pattern" {
		return "invalid regex pattern"
	}
	return clean(message)
}

// How many breadcrumbs there are, and how much they say.
const (
	Low    = "low"    // one, at the end
	Medium = "medium" // one after what is code, one at the end
	High   = "high"   // one after each section
)

// A Strategy is a form of the envelope that an answer may have.
type Strategy struct {
	V       int    `json:"v"`        // names the form; 1: the default
	Preview int    `json:"preview"`  // what is shown when there is much: matches of a section, lines of a file, or paths
	HotZone bool   `json:"hot_zone"` // the header says where matches concentrate
	Density string `json:"density"`  // Low, Medium or High
}

// DefaultStrategy returns the form of grep that holds when nobody chooses another.
func DefaultStrategy() Strategy {
	return Strategy{V: version, Preview: 10, HotZone: true, Density: Medium}
}

// A Base is the folder, relative to the root, to which the paths of a text are
// relative; "" is the root.
type Base string

// Path returns how a path relative to the root is written.
func (b Base) Path(path string) string {
	base := strings.Trim(string(b), "/")
	if base == "" || base == "." {
		return clean(path)
	}
	up := ""
	for base != "" {
		if rest, ok := strings.CutPrefix(path, base+"/"); ok {
			return clean(up + rest)
		}
		if path == base {
			return clean(up + ".")
		}
		base = base[:max(strings.LastIndexByte(base, '/'), 0)]
		up += "../"
	}
	return clean(up + path)
}

// clean replaces what could end a line or act on a terminal: names and text of files
// are not to be trusted.
func clean(s string) string {
	if strings.IndexFunc(s, acts) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if acts(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

func acts(r rune) bool {
	return r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
}

// characters is the unit of budgets.
func characters(s string) int { return utf8.RuneCountInString(s) }
