package dead

import (
	"bytes"
	"path"
	"regexp"
	"strings"
)

// entryFiles are those that say which functions of Python are run by what is installed with a package
// (packaging.python.org/en/latest/specifications/entry-points).
var entryFiles = words("entry_points.txt pyproject.toml setup.cfg setup.py")

func words(list string) map[string]bool {
	is := map[string]bool{}
	for _, w := range strings.Fields(list) {
		is[w] = true
	}
	return is
}

var (
	// entryLine is "name = package.module:object", which setup.py has in a string and pyproject.toml with its value in one.
	entryLine = regexp.MustCompile(`^[\s"'\[]*[\w.-]+["']?\s*=\s*["']?([\pL_][\pL\d_.]*)\s*:\s*([\pL_][\pL\d_.]*)`)
	// entryTables are the tables of pyproject.toml that have entry points.
	entryTables = regexp.MustCompile(`^\[\s*(?:project\.(?:scripts|gui-scripts|entry-points\..+)|tool\.poetry\.(?:scripts|plugins\..+)|tool\.flit\.(?:scripts|entrypoints\..+))\s*\]`)
	entryGroup  = regexp.MustCompile(`[\w.-]+\s*=\s*["']?[\w.]+\s*:\s*[\w.]+`)
)

// declaredEntries marks what the files that describe packages of Python name as entry points.
func (p *program) declaredEntries(alive []bool) {
	named := map[string][]string{} // objects by the last name of them: the modules
	for n := range p.files {
		f := &p.files[n]
		name := path.Base(f.path)
		if f.record == nil || !entryFiles[name] {
			continue
		}
		inTable := name != "pyproject.toml" && name != "setup.cfg"
		for line := range bytes.Lines(f.record.Text.All()) {
			text := bytes.TrimSpace(line)
			switch {
			case len(text) > 0 && text[0] == '[' && name == "pyproject.toml":
				inTable = entryTables.Match(text)
			case len(text) > 0 && text[0] == '[' && name == "setup.cfg":
				inTable = bytes.HasPrefix(text, []byte("[options.entry_points]")) || bytes.HasPrefix(text, []byte("[entry_points]"))
			case !inTable:
			default:
				if name == "setup.py" { // several may stand in a line
					for _, one := range entryGroup.FindAll(text, -1) {
						enterEntry(named, one)
					}
				} else {
					enterEntry(named, text)
				}
			}
		}
	}
	if len(named) == 0 {
		return
	}
	for i := range p.items {
		one := &p.items[i]
		if one.record.Lang != "python" {
			continue
		}
		s := one.sym()
		for _, module := range named[s.Qualified()] {
			at := "/" + strings.ReplaceAll(module, ".", "/")
			if file := "/" + one.record.Path; strings.HasSuffix(file, at+".py") || strings.HasSuffix(file, at+"/__init__.py") {
				alive[i] = true
				if one.up >= 0 {
					alive[one.up] = true
				}
			}
		}
	}
}

func enterEntry(named map[string][]string, text []byte) {
	if m := entryLine.FindSubmatch(text); m != nil {
		named[string(m[2])] = append(named[string(m[2])], string(m[1]))
	}
}
