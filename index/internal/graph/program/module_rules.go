package program

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// ModuleRules are what imports lead to, and what an edit of a file changes for others.
type ModuleRules interface {
	// Resolve finds what an import leads to.
	Resolve(g *Family, f *File, i *ir.ImportInfo) Target
	// ImportName is the name that an import binds which names none; "": none.
	ImportName(g *Family, f *File, i *ir.ImportInfo, t Target) string
	// Submodule returns the module of a name inside a file or folder, or 0.
	Submodule(g *Family, in edge.ID, n intern.Name) edge.ID
	// StarBrings reports whether an import of all names of a file may bring one.
	StarBrings(g *Family, in edge.ID, n intern.Name) bool
	// GlobalImports are the namespaces that other files bring into every file.
	GlobalImports(g *Family) []edge.ID
	// Reaches adds to files what comes into sight or goes out of it with them.
	Reaches(g *Family, list []edge.ID) []edge.ID

	// Entered and Left are called when a file is entered, or taken out.
	Entered(g *Family, f *File)
	Left(g *Family, f *File)
	// Forget is called when files have changed.
	Forget()
	// Restarts reports whether a version of a file changes what names mean in files that
	// mention none of those that it changes. Either version may be nil.
	Restarts(old *File, now *ir.File) bool
	// Dirty are names that have another meaning now, besides those of the file.
	Dirty(old *File, now *ir.File) []string
	// AlsoHashes adds to the hashes of a file's names those of other names for the same.
	AlsoHashes(g *Family, f *File, hashes map[intern.Name]uint64)
}

// DefaultModules are ModuleRules without rules of their own.
type DefaultModules struct{}

var _ ModuleRules = DefaultModules{}

// Resolve finds the file whose path ends like the imported one.
func (DefaultModules) Resolve(g *Family, f *File, i *ir.ImportInfo) Target {
	return g.resolveByName(f, i)
}

// ImportName is none.
func (DefaultModules) ImportName(*Family, *File, *ir.ImportInfo, Target) string { return "" }

// Submodule is none.
func (DefaultModules) Submodule(*Family, edge.ID, intern.Name) edge.ID { return 0 }

// StarBrings says that all names are brought.
func (DefaultModules) StarBrings(*Family, edge.ID, intern.Name) bool { return true }

// GlobalImports are none.
func (DefaultModules) GlobalImports(*Family) []edge.ID { return nil }

// Reaches adds nothing.
func (DefaultModules) Reaches(_ *Family, list []edge.ID) []edge.ID { return list }

// Entered does nothing.
func (DefaultModules) Entered(*Family, *File) {}

// Left does nothing.
func (DefaultModules) Left(*Family, *File) {}

// Forget does nothing.
func (DefaultModules) Forget() {}

// Restarts says that no file does.
func (DefaultModules) Restarts(*File, *ir.File) bool { return false }

// Dirty are none.
func (DefaultModules) Dirty(*File, *ir.File) []string { return nil }

// AlsoHashes adds nothing.
func (DefaultModules) AlsoHashes(*Family, *File, map[intern.Name]uint64) {}
