package links

import (
	"path"
	"strings"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// goName finds a name of a package of Go.
func (f *finder) goName(name string) ([]graph.ID, graph.Confidence) {
	module, dir, ok := f.claims.Go(name)
	if !ok {
		return nil, 0
	}
	rest := name[len(module):]
	for i := strings.LastIndexByte(rest, '/') + 1; i < len(rest); i++ {
		if rest[i] != '.' {
			continue
		}
		folder := strings.Trim(path.Join(dir, rest[:i]), "/")
		if !f.folders[folder] || f.claims.GoModule(folder) != module {
			continue
		}
		parts := strings.Split(rest[i+1:], ".")
		ids := f.defined(parts[0], func(r *store.Record, s *store.Symbol) bool {
			return r.Lang == "go" && s.Parent == "" && source.Dir(r.Path) == folder && !strings.HasSuffix(r.Path, "_test.go")
		})
		if len(ids) > 0 {
			return f.follow(ids, parts[1:])
		}
	}
	return nil, 0
}

// jvmName finds a class of Java or Kotlin, or a function of Kotlin, by the package
// that its file declares.
func (f *finder) jvmName(parts []string) ([]graph.ID, graph.Confidence) {
	for i := 1; i < len(parts); i++ {
		space := strings.Join(parts[:i], ".")
		ids := f.defined(parts[i], func(r *store.Record, s *store.Symbol) bool {
			return s.Parent == "" && store.CrossFamily(r.Lang) == "jvm" && f.packageOf(r) == space
		})
		if len(ids) > 0 {
			return f.follow(ids, parts[i+1:])
		}
	}
	return nil, 0
}

// spaceName finds a name of C# or PHP by the namespaces, which its symbol has, too.
func (f *finder) spaceName(n *Name) ([]graph.ID, graph.Confidence) {
	parts := strings.Split(n.Path, ".")
	in := func(space, name string) []graph.ID {
		return f.defined(name, func(r *store.Record, s *store.Symbol) bool {
			return r.Lang == n.Language && s.Parent == space && s.Kind() != syntax.Namespace
		})
	}
	for i := 1; i < len(parts); i++ {
		if ids := in(strings.Join(parts[:i], "."), parts[i]); len(ids) > 0 {
			return f.follow(ids, parts[i+1:])
		}
	}
	// Only one of the namespaces that are used may have it. A name that begins with
	// a class that has no such member was sought there before it was sought outside.
	for len(parts) > 0 {
		var ids []graph.ID
		spaces := 0
		for _, space := range n.Uses {
			if found := in(space, parts[0]); len(found) > 0 {
				ids = append(ids, found...)
				spaces++
			}
		}
		if spaces != 1 {
			break
		}
		if found, _ := f.follow(ids, parts[1:]); len(found) > 0 {
			return found, graph.Scoped
		}
		parts = parts[1:]
	}
	return nil, 0
}

// made returns what the making of an instance runs: the constructor, or the class
// where it has none, as within a root.
func (f *finder) made(class graph.ID) []graph.ID {
	n := f.Node(class)
	var ids []graph.ID
	switch store.CrossFamily(n.Language) {
	case "go": // a conversion
		return nil
	case "python":
		ids = f.member(class, "__init__")
	case "javascript":
		ids = f.member(class, "constructor")
	case "php":
		ids = f.member(class, "__construct")
	case "jvm", "csharp":
		for _, m := range f.G.Members(class) {
			if calls.PlainName(f.Node(m)) == calls.PlainName(n) {
				ids = append(ids, m)
			}
		}
	}
	if len(ids) == 0 {
		return []graph.ID{class}
	}
	return ids
}
