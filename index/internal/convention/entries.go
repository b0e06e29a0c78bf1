package convention

import (
	"bytes"
	"path"
	"regexp"
	"slices"
)

// entryFiles are those that say which functions of Python are run by what is installed with a package
// (packaging.python.org/en/latest/specifications/entry-points).
var entryFiles = []string{"entry_points.txt", "pyproject.toml", "setup.cfg", "setup.py"}

// HasEntries reports whether a file may be such a one.
func HasEntries(file string) bool { return slices.Contains(entryFiles, path.Base(file)) }

var (
	// entryLine is "name = package.module:object", which setup.py has in a string and pyproject.toml with its value in one.
	entryLine = regexp.MustCompile(`^[\s"'\[]*[\w.-]+["']?\s*=\s*["']?([\pL_][\pL\d_.]*)\s*:\s*([\pL_][\pL\d_.]*)`)
	// entryTables are the tables of pyproject.toml that have entry points.
	entryTables = regexp.MustCompile(`^\[\s*(?:project\.(?:scripts|gui-scripts|entry-points\..+)|tool\.poetry\.(?:scripts|plugins\..+)|tool\.flit\.(?:scripts|entrypoints\..+))\s*\]`)
	entryGroup  = regexp.MustCompile(`[\w.-]+\s*=\s*["']?[\w.]+\s*:\s*[\w.]+`)
)

// Entries calls enter with what a file that may have entry points names as such: the module, and the object in it.
func Entries(file string, text []byte, enter func(module, object string)) {
	one := func(text []byte) {
		if m := entryLine.FindSubmatch(text); m != nil {
			enter(string(m[1]), string(m[2]))
		}
	}
	name := path.Base(file)
	inTable := name != "pyproject.toml" && name != "setup.cfg"
	for line := range bytes.Lines(text) {
		text := bytes.TrimSpace(line)
		switch {
		case len(text) > 0 && text[0] == '[' && name == "pyproject.toml":
			inTable = entryTables.Match(text)
		case len(text) > 0 && text[0] == '[' && name == "setup.cfg":
			inTable = bytes.HasPrefix(text, []byte("[options.entry_points]")) || bytes.HasPrefix(text, []byte("[entry_points]"))
		case !inTable:
		case name == "setup.py": // several may stand in a line
			for _, entry := range entryGroup.FindAll(text, -1) {
				one(entry)
			}
		default:
			one(text)
		}
	}
}
