package scip

import (
	"encoding/json"
	"path"

	"github.com/pelletier/go-toml/v2"
	pb "github.com/scip-code/scip/bindings/go/scip"

	"github.com/quarry-search/quarry/index/internal/modules"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A manifest is a package as its package manager knows it; it has no name where there is none.
type manifest struct {
	*pb.Package
	dir string // of the root
}

// manifests are those of a root, by the name of the manager and by folder.
type manifests map[[2]string]*manifest

// managers are the package managers, and the files in which packages have their names.
var managers = map[string]struct{ name, file string }{
	"go": {"gomod", "go.mod"}, "javascript": {"npm", "package.json"}, "rust": {"cargo", "Cargo.toml"}, "python": {"pip", "pyproject.toml"}, "php": {"composer", "composer.json"},
}

func manifestsOf(files []*store.Record) manifests {
	all := manifests{}
	byPath := map[string]*store.Record{}
	for _, r := range files {
		byPath[r.Path] = r
	}
	claims := modules.Claims(byPath)
	for _, r := range files {
		base, dir := path.Base(r.Path), source.Dir(r.Path)
		for _, m := range managers {
			if m.file != base {
				continue
			}
			p := &pb.Package{Manager: m.name}
			if p.Name, p.Version = nameIn(base, r); base == "go.mod" {
				p.Name = claims.GoModule(dir)
			}
			if p.Name != "" {
				all[[2]string{m.name, dir}] = &manifest{Package: p, dir: dir}
			}
		}
	}
	return all
}

// nameIn reads the name and the version in a manifest, "" where there is none.
func nameIn(base string, r *store.Record) (name, version string) {
	type named struct{ Name, Version any } // a version may be one that the workspace has
	var c struct {
		named
		Package, Project named
		Tool             struct{ Poetry named }
	}
	text := r.Text.All()
	switch base {
	case "package.json", "composer.json":
		_ = json.Unmarshal(text, &c.named) // what cannot be read has no name
	case "Cargo.toml", "pyproject.toml":
		_ = toml.Unmarshal(text, &c)
	}
	for _, n := range []named{c.named, c.Package, c.Project, c.Tool.Poetry} {
		if name, _ = n.Name.(string); name != "" {
			version, _ = n.Version.(string)
			return name, version
		}
	}
	return "", ""
}

// of returns the innermost package that a file is in.
func (all manifests) of(r *store.Record) *manifest {
	m, known := managers[store.CrossFamily(r.Lang)]
	for dir := source.Dir(r.Path); known; dir = source.Dir(dir) {
		if found := all[[2]string{m.name, dir}]; found != nil {
			return found
		}
		if dir == "" {
			break
		}
	}
	return &manifest{Package: &pb.Package{}}
}
