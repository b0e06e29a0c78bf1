package git

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// maxConfig bounds a configuration file, in bytes.
const maxConfig = 1 << 20

// A kind is which values a setting may have.
type kind func(value string) bool

func truth(v string) bool { _, ok := boolean(v); return ok }

func words(may ...string) kind {
	return func(v string) bool {
		for _, w := range may {
			if strings.EqualFold(v, w) {
				return true
			}
		}
		return false
	}
}

// passed are the settings that git is told as the repository or the user has them: how
// files lie on the disk and what their bytes mean. None names a program, a path or an
// address. See git-config(1).
var passed = []struct {
	name string
	may  kind
}{
	{"core.autocrlf", func(v string) bool { return truth(v) || strings.EqualFold(v, "input") }},
	{"core.checkstat", words("default", "minimal")},
	{"core.eol", words("lf", "crlf", "native")},
	{"core.filemode", truth},
	{"core.ignorecase", truth},
	{"core.precomposeunicode", truth},
	{"core.sparsecheckout", truth},
	{"core.sparsecheckoutcone", truth},
	{"core.symlinks", truth},
	{"core.trustctime", truth},
}

// settings are values by section and key in lower case. Of the sections with a name in quotes
// only the remote origin is among them, as originSection.
type settings map[string]string

// originSection is a section that no section without a name is taken for.
const originSection = `remote "origin"`

// boolean reads a truth value as git does.
func boolean(v string) (is, ok bool) {
	switch strings.ToLower(v) {
	case "true", "yes", "on", "1":
		return true, true
	case "false", "no", "off", "0", "":
		return false, true
	}
	return false, false
}

func (s settings) is(name string) bool { is, _ := boolean(s[name]); return is }

// A layout is what the configuration of a repository says about its form.
type layout struct {
	settings
	worktree string // core.worktree
	sha256   bool
	reftable bool
}

// readLayout reads the configuration of a repository: its own file, and that of the work
// tree where it has one. Linked says whether the work tree is a linked one, of which the
// common configuration does not say whether and where it is.
func readLayout(common, git *os.Root, linked bool) (layout, error) {
	text, err := readIfThere(common, "config", maxConfig)
	if err != nil {
		return layout{}, refuse("the repository's configuration: %v", err)
	}
	l := layout{settings: settings{}}
	if err := l.parse(string(text)); err != nil {
		return layout{}, refuse("the repository's configuration: %v", err)
	}
	if linked {
		delete(l.settings, "core.worktree")
		delete(l.settings, "core.bare")
	}
	if l.is("extensions.worktreeconfig") {
		text, err := readIfThere(git, "config.worktree", maxConfig)
		if err == nil {
			err = l.parse(string(text))
		}
		if err != nil {
			return layout{}, refuse("the work tree's configuration: %v", err)
		}
	}
	if err := l.check(); err != nil {
		return layout{}, refuse("%v", err)
	}
	l.worktree = l.settings["core.worktree"]
	return l, nil
}

// check refuses a repository whose form nothing here knows, as git does.
func (l *layout) check() error {
	version, err := strconv.Atoi(l.settings["core.repositoryformatversion"])
	if l.settings["core.repositoryformatversion"] != "" && (err != nil || version < 0 || version > 1) {
		return errors.New("the repository has a format that is not known")
	}
	for name, value := range l.settings {
		extension, ok := strings.CutPrefix(name, "extensions.")
		if !ok {
			continue
		}
		value = strings.ToLower(value)
		known := true
		switch extension {
		case "noop", "preciousobjects", "partialclone", "worktreeconfig":
		case "noop-v1", "relativeworktrees", "compatobjectformat":
			known = version == 1
		case "objectformat":
			l.sha256 = value == "sha256"
			known = version == 1 && (l.sha256 || value == "sha1")
		case "refstorage":
			l.reftable = value == "reftable"
			known = version == 1 && (l.reftable || value == "files")
		default:
			known = version == 0 // which does not look at them
		}
		if !known {
			return fmt.Errorf("the repository has an extension that is not known: %.40q", extension)
		}
	}
	return nil
}

var errSyntax = errors.New("its syntax is not that of git")

// parse reads a configuration file, later lines above earlier ones. It follows no include.
func (s settings) parse(text string) error {
	text = strings.TrimPrefix(text, "\ufeff")
	section := ""
	for text != "" {
		text = strings.TrimLeft(text, " \t\r\n")
		switch {
		case text == "":
			return nil
		case text[0] == '#' || text[0] == ';':
			_, text, _ = strings.Cut(text, "\n")
			continue
		case text[0] == '[':
			var err error
			if section, text, err = header(text[1:]); err != nil {
				return err
			}
			continue
		}
		n := 0
		for n < len(text) && (isAlnum(text[n]) || text[n] == '-') {
			n++
		}
		if n == 0 || isDigit(text[0]) || text[0] == '-' {
			return errSyntax
		}
		key := strings.ToLower(text[:n])
		text = strings.TrimLeft(text[n:], " \t")
		value := "true" // a key alone
		switch {
		case strings.HasPrefix(text, "="):
			var err error
			if value, text, err = settingValue(text[1:]); err != nil {
				return err
			}
		case text == "" || text[0] == '\n' || text[0] == '\r' || text[0] == '#' || text[0] == ';':
			_, text, _ = strings.Cut(text, "\n")
		default:
			return errSyntax
		}
		if section != "" {
			s[section+"."+key] = value
		}
	}
	return nil
}

// header reads the rest of a section's header. The section is "" where it has a name, unless
// it is the remote origin.
func header(text string) (section, rest string, err error) {
	n := 0
	for n < len(text) && (isAlnum(text[n]) || text[n] == '-' || text[n] == '.') {
		n++
	}
	section = strings.ToLower(text[:n])
	text = strings.TrimLeft(text[n:], " \t")
	if strings.HasPrefix(text, `"`) {
		n = 1
		for n < len(text) && text[n] != '"' && text[n] != '\n' {
			if text[n] == '\\' {
				n++
			}
			n++
		}
		if n >= len(text) || text[n] != '"' {
			return "", "", errSyntax
		}
		if section += " " + text[:n+1]; section != originSection {
			section = ""
		}
		text = text[n+1:]
	}
	rest, ok := strings.CutPrefix(text, "]")
	if !ok {
		return "", "", errSyntax
	}
	if strings.Contains(section, ".") { // the old way to write a name
		section = ""
	}
	return section, rest, nil
}

// settingValue reads what is after the equals sign.
func settingValue(text string) (value, rest string, err error) {
	var b strings.Builder
	text = strings.TrimLeft(text, " \t")
	quoted, kept := false, 0 // white space at the end does not count unless it is in quotes
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n' || c == '\r' && i+1 < len(text) && text[i+1] == '\n':
			if quoted {
				return "", "", errSyntax
			}
			_, rest, _ = strings.Cut(text[i:], "\n")
			return b.String()[:kept], rest, nil
		case !quoted && (c == '#' || c == ';'):
			_, rest, _ = strings.Cut(text[i:], "\n")
			return b.String()[:kept], rest, nil
		case c == '"':
			quoted = !quoted
		case c == '\\':
			i++
			if i < len(text) && text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n' {
				i++
			}
			at := -1
			if i < len(text) {
				at = strings.IndexByte("\nntb\"\\", text[i])
			}
			if at < 0 {
				return "", "", errSyntax
			}
			if at > 0 {
				b.WriteByte("\n\n\t\b\"\\"[at])
				kept = b.Len()
			}
		default:
			b.WriteByte(c)
			if quoted || c != ' ' && c != '\t' {
				kept = b.Len()
			}
		}
	}
	if quoted {
		return "", "", errSyntax
	}
	return b.String()[:kept], "", nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isAlnum(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' }

// written is the configuration that git gets.
func (r *Repository) written() string {
	var b strings.Builder
	version := 0
	if r.layout.sha256 {
		version = 1
	}
	fmt.Fprintf(&b, "[core]\n\trepositoryformatversion = %d\n\tbare = false\n", version)
	b.WriteString("\tfsmonitor = false\n\tuntrackedCache = false\n\tcommitGraph = false\n\tbigFileThreshold = 16m\n")
	fmt.Fprintf(&b, "\thooksPath = %s\n\tattributesFile = %s\n", quoted(os.DevNull), quoted(os.DevNull))
	fmt.Fprintf(&b, "\texcludesFile = %s\n", quoted(r.dir+"/ignore"))
	for _, p := range passed {
		for _, s := range []settings{r.user, r.layout.settings} {
			if value, ok := s[p.name]; ok && p.may(value) {
				fmt.Fprintf(&b, "\t%s = %s\n", strings.TrimPrefix(p.name, "core."), quoted(value))
			}
		}
	}
	b.WriteString("[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[protocol]\n\tallow = never\n[submodule]\n\trecurse = false\n")
	if r.layout.sha256 {
		b.WriteString("[extensions]\n\tobjectFormat = sha256\n")
	}
	return b.String()
}

func quoted(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(value) + `"`
}
