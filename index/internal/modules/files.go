package modules

import (
	"path"
	"strings"

	"github.com/quarry-search/quarry/index/internal/source"
)

// IsModule reports whether the last name of a module can be that of a file.
func IsModule(file, module string) bool {
	last := Stem(module)
	if !strings.Contains(module, "/") {
		last = module[strings.LastIndexAny(module, ".:")+1:]
		if file := Stem(module); strings.HasSuffix(module, ".h") || strings.HasSuffix(module, ".hpp") {
			last = file
		}
	}
	switch name := Stem(file); name {
	case "__init__", "index", "mod", "lib", "main":
		return last == name || last == path.Base(source.Dir(file)) || last == ""
	default:
		return last == name
	}
}

// IsSubmodule reports whether "from package import name" of Python can mean a file.
func IsSubmodule(file, pkg, name string) bool {
	segments := strings.ReplaceAll(strings.Trim(pkg+"."+name, "."), ".", "/")
	return strings.HasSuffix("/"+strings.TrimSuffix(strings.TrimSuffix(file, ".py"), "/__init__"), "/"+segments)
}

// Stem is the name of a file up to its first point.
func Stem(p string) string {
	base := path.Base(p)
	if i := strings.IndexByte(base, '.'); i > 0 {
		base = base[:i]
	}
	return base
}
