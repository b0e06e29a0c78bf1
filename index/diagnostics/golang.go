package diagnostics

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// namesGo knows the universe, the package and what is imported.
func namesGo(p *project, s *text, f *ir.File) func(*use) string {
	if ignoredGo.Match(s.src[:min(len(s.src), 4096)]) || strings.Contains("/"+s.record.Path, "/_") {
		return nil
	}
	pkg := p.goPackage(path.Dir(s.record.Path), f.String(f.Package))
	if pkg == nil {
		return nil
	}
	imports := map[string]string{} // what is imported, by name: its folder, "" where that is not known
	loose := 0                     // imports whose name may be another
	for i := 1; i < len(f.Imports); i++ {
		info := &f.Imports[i]
		module, alias := f.String(info.Module), f.String(info.Alias)
		if f.String(info.Name) == "*" {
			return nil
		}
		folder, name := p.goFolder(module)
		switch {
		case alias == "_":
			continue
		case alias != "":
			imports[alias] = folder
		case folder != "":
			if name == "" {
				return nil
			}
			imports[name] = folder
		default:
			guess := guessGo(module)
			imports[guess] = ""
			if first, _, _ := strings.Cut(module, "/"); strings.Contains(first, ".") && !wordIn(s.src, guess+".") {
				loose++
			}
		}
	}
	return func(u *use) string {
		member := strings.TrimPrefix(u.path, ".")
		if end := strings.IndexAny(member, ".[*"); end >= 0 {
			member = member[:end]
		}
		folder, imported := imports[u.name]
		switch {
		case imported && folder != "" && strings.HasPrefix(u.path, ".") && member != "" && member[0] >= 'A' && member[0] <= 'Z':
			if names := p.goPackage(folder, ""); names != nil && !names[member] {
				return fmt.Sprintf("package %s has no %s", u.name, member)
			}
			return ""
		case imported, pkg[u.name], graph.PredeclaredGo(u.name), u.name == "C", u.name == "iota", u.name == "nil", u.name == "_":
			return ""
		case loose > 0 && u.path != "":
			return ""
		}
		return fmt.Sprintf("nothing is called %s here", u.name)
	}
}

var versionGo = regexp.MustCompile(`^v\d+$|\.v\d+$`)

// guessGo is the name that a package is likely to have.
func guessGo(module string) string {
	base := path.Base(module)
	if versionGo.MatchString(base) && base[0] == 'v' {
		base = path.Base(path.Dir(module))
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(versionGo.ReplaceAllString(base, ""), ".go"), "go-"), "-go")
}

// goFolder returns the folder of a package of the project, "" for another one, and its name.
func (p *project) goFolder(module string) (folder, name string) {
	root, dir, ok := p.set.Claims.Go(module)
	if !ok || root == "std" || root == "cmd" {
		return "", ""
	}
	folder = strings.Trim(path.Join(dir, strings.TrimPrefix(module, root)), "/")
	if !p.hasGo(folder) || folder == "" {
		return "", ""
	}
	for _, base := range p.folders[folder] {
		if strings.HasSuffix(base, ".go") && !strings.HasSuffix(base, "_test.go") {
			r := p.files[path.Join(folder, base)]
			if r != nil && !ignoredGo.Match(r.Text.Slice(0, min(int(r.Size), 4096))) {
				return folder, declaredPackage(r.Text.All())
			}
		}
	}
	return folder, ""
}

// goPackage returns the names of a package of Go: of all its files, whatever builds have them; nil
// where they are not all known. Without a name it is the one that others import.
func (p *project) goPackage(dir, name string) map[string]bool {
	if dir == "." {
		dir = ""
	}
	key := dir + " " + name
	if names, ok := p.names[key]; ok {
		return names
	}
	names := map[string]bool{}
	for _, base := range p.folders[dir] {
		at := path.Join(dir, base)
		switch path.Ext(base) {
		case ".go":
		case ".proto", ".y", ".rl", ".templ", ".qtpl", ".swig", ".swigcxx":
			if !p.begins(dir, strings.TrimSuffix(base, path.Ext(base))+".") {
				names = nil
			}
			continue
		default:
			continue
		}
		test := strings.HasSuffix(base, "_test.go")
		u := p.unit(at)
		if u == nil {
			if r := p.files[at]; r != nil && !r.Errors && len(bytes.TrimSpace(r.Text.All())) == 0 {
				continue
			}
			names = nil
			break
		}
		if name == "" && test || name != "" && u.space != name {
			continue
		}
		for n := range u.top {
			names[n] = true
		}
	}
	if names != nil {
		for _, made := range []string{"a.pb.go", "a_gen.go", "a_string.go", "zz_generated.a.go", "generated.go", "bindata.go"} {
			if p.view.Ignored(path.Join(dir, made), false) {
				names = nil
				break
			}
		}
	}
	p.names[key] = names
	return names
}
