package graph

import (
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Default is a Language without rules of its own, to be embedded in others.
type Default struct{}

var _ Language = Default{}

// Resolve finds the file whose path ends like the imported one.
func (Default) Resolve(g *family, f *file, i *ir.ImportInfo) target { return g.resolveByName(f, i) }

// ImportName is none.
func (Default) ImportName(*family, *file, *ir.ImportInfo, target) string { return "" }

// Submodule is none.
func (Default) Submodule(*family, ID, name) ID { return 0 }

// StarBrings says that all names are brought.
func (Default) StarBrings(*family, ID, name) bool { return true }

// GlobalImports are none.
func (Default) GlobalImports(*family) []ID { return nil }

// Reaches adds nothing.
func (Default) Reaches(_ *family, list []ID) []ID { return list }

// Entered does nothing.
func (Default) Entered(*family, *file) {}

// Left does nothing.
func (Default) Left(*family, *file) {}

// Forget does nothing.
func (Default) Forget() {}

// Restarts says that no file does.
func (Default) Restarts(*file, *ir.File) bool { return false }

// Dirty are none.
func (Default) Dirty(*file, *ir.File) []string { return nil }

// AlsoSaid adds nothing.
func (Default) AlsoSaid(*family, *file, map[name]uint64) {}

// Special has no name.
func (Default) Special(*eval, string) (set, bool) { return 0, false }

// PathHead leaves it to the common rules.
func (Default) PathHead(*eval, name) (set, bool) { return 0, false }

// Top leaves it to the common rules.
func (Default) Top(*eval, *file, name) (s set, found bool, rule Rule, ok bool) {
	return 0, false, 0, false
}

// Beyond finds nothing.
func (Default) Beyond(*eval, *file, name) (s set, found bool, rule Rule, ok bool) {
	return 0, false, 0, false
}

// InModule finds nothing.
func (Default) InModule(*eval, ID, name) (s set, found bool, rule Rule) { return 0, false, 0 }

// Within leaves it to the common rules.
func (Default) Within(*eval, ID, name, int) (s set, found, ok bool) { return 0, false, false }

// Unknown is what the common rules say.
func (Default) Unknown(_ *eval, s set, _ name) set { return s }

// Linked leaves all.
func (Default) Linked(_ *eval, list []entry) []entry { return list }

// NearestClasses leaves all.
func (Default) NearestClasses(_ *eval, list []entry) []entry { return list }

// AliasedSpace is none.
func (Default) AliasedSpace(*family, *file, ir.Class, int) set { return 0 }

// LambdaReceiver finds none.
func (Default) LambdaReceiver(*eval, name) (recv set, pending bool) { return 0, false }

// BoundReceiver is none.
func (Default) BoundReceiver(*eval, name, []argument) set { return 0 }

// ReceiverParam is none.
func (Default) ReceiverParam(*eval, ir.Func, name) set { return 0 }

// Read leaves it to the common rules.
func (Default) Read(*eval, *ir.Node) (s set, rule Rule, ok bool) { return 0, 0, false }

// Property is none.
func (Default) Property(*eval, value, name, ir.Pos) (set, bool) { return 0, false }

// MissingProperty is none.
func (Default) MissingProperty(*eval, value, name, ir.Pos) (set, bool) { return 0, false }

// Member leaves it to the common rules.
func (Default) Member(*eval, value, name, ir.Pos) (s set, found, ok bool) { return 0, false, false }

// MissingMember is none.
func (Default) MissingMember(*eval, value, *class, int, name, ir.Pos) (set, bool) { return 0, false }

// ClassMember is none.
func (Default) ClassMember(*eval, value, *class, name) (set, bool) { return 0, false }

// ClassMethodsOf are none.
func (Default) ClassMethodsOf(*eval, *class, value, name, ir.Pos) (set, bool) { return 0, false }

// Field is the name.
func (Default) Field(_ *class, n name, _ string) name { return n }

// Extensions are those of the type itself.
func (Default) Extensions(e *eval, i valueInfo, n name) []entry {
	return e.g.find(e.g.foreign[name(i.id)], n)
}

// InSight leaves all.
func (Default) InSight(_ *eval, list []entry) []entry { return list }

// Delegated are none.
func (Default) Delegated(*eval, *class, value) set { return 0 }

// Universal has no member.
func (Default) Universal(*eval, *class, value, name) (path string, typed set, ok bool) {
	return "", 0, false
}

// LibraryType is the type with its arguments.
func (Default) LibraryType(e *eval, path name, args []set) set {
	return e.g.values.single(e.g.values.typed(valueInfo{kind: vGeneric, id: uint32(path)}, args))
}

// MadeBase is none.
func (Default) MadeBase(*eval, *ir.Node) set { return 0 }

// AsSelf is what was returned.
func (Default) AsSelf(_ *eval, s set, _ *class, _ value) set { return s }

// Literal leaves it to the common rules.
func (Default) Literal(*eval, *ir.Node) (set, bool) { return 0, false }

// Index leaves it to the common rules.
func (Default) Index(*eval, set, ir.Expr) (set, bool) { return 0, false }

// Item leaves it to the common rules.
func (Default) Item(*eval, value, string) (set, bool) { return 0, false }

// Elements leaves it to the common rules.
func (Default) Elements(*eval, value, *ir.Node) (set, bool) { return 0, false }

// Await leaves it to the common rules.
func (Default) Await(*eval, value) (set, bool) { return 0, false }

// Deref is the pointers themselves.
func (Default) Deref(_ *eval, s set) set { return s }

// Injected is nothing.
func (Default) Injected(*eval, ir.Func, ir.Param) set { return 0 }

// Call leaves it to the common rules.
func (Default) Call(*eval, *calling, *ir.Node, set) (set, bool) { return 0, false }

// CallOn leaves it to the common rules.
func (Default) CallOn(*eval, *calling, value, set) (set, bool) { return 0, false }

// CallMissing finds nothing.
func (Default) CallMissing(*eval, *calling, *class, value, int, Rule) (set, bool) { return 0, false }

// CallAbsent finds nothing.
func (Default) CallAbsent(*eval, *calling, value, set, Rule) (set, bool) { return 0, false }

// CallUndeclared finds nothing.
func (Default) CallUndeclared(*eval, *calling, *class, value, int) (set, bool) { return 0, false }

// CallLibrary knows no library.
func (Default) CallLibrary(*eval, *calling, value) (set, bool) { return 0, false }

// CallExternal leaves it to the common rules.
func (Default) CallExternal(*eval, *calling, string) (set, bool) { return 0, false }

// Outside leaves it to the common rules.
func (Default) Outside(*eval, *calling, value) (set, bool) { return 0, false }

// FreeCall finds nothing.
func (Default) FreeCall(*eval, *calling) (set, bool) { return 0, false }

// LateBound adds nothing.
func (Default) LateBound(*eval, *calling, *ir.Node, set) {}

// CallHeld knows no objects.
func (Default) CallHeld(*eval, *calling, *class, int) set { return 0 }

// KnownObject knows none.
func (Default) KnownObject(*eval, set, name) bool { return false }

// Construct leaves it to the common rules.
func (Default) Construct(*eval, *calling, *class, value) bool { return false }

// Copies says that none is.
func (Default) Copies(*eval, []entry, []argument, value) bool { return false }

// Initialized is what the common rules say.
func (Default) Initialized(_ *eval, _ name, s set) set { return s }

// Unresolved does nothing.
func (Default) Unresolved(*eval, *calling) {}

// Applies says that all do.
func (Default) Applies(*eval, entry, []argument) bool { return true }

// Applicable leaves all.
func (Default) Applicable(_ *eval, s set, _ []argument) set { return s }

// Candidates are all.
func (Default) Candidates(_ *eval, list []entry, _ []argument) []entry { return list }

// ForTypes leaves all.
func (Default) ForTypes(_ *eval, list []entry, _ []set) []entry { return list }

// Narrow leaves all.
func (Default) Narrow(_ *family, list []entry) (rest []entry, overloaded bool) { return list, false }

// Suits leaves it to the common rules.
func (Default) Suits(*eval, valueInfo, valueInfo, *class) (int, bool) { return 0, false }

// Invokes says that every function can be meant.
func (Default) Invokes(*calling, *ir.FuncInfo) bool { return true }

// CallAmong leaves it to the common rules.
func (Default) CallAmong(*eval, *calling, []value, Rule) (set, bool) { return 0, false }

// CallMembers leaves it to the common rules.
func (Default) CallMembers(*eval, *calling, []entry, receiver, Rule) (set, bool) { return 0, false }

// ExpectInit does nothing.
func (Default) ExpectInit(*eval, ir.Expr, set) {}

// ExpectAssigned does nothing.
func (Default) ExpectAssigned(*eval, ir.Expr, ir.Expr) {}

// ExpectReturned does nothing.
func (Default) ExpectReturned(*eval, ir.Expr) {}

// ExpectArgument does nothing.
func (Default) ExpectArgument(*eval, *calling, ID, value, ir.Expr, int) {}

// ContextOf does nothing.
func (Default) ContextOf(*eval, set, valueInfo, substitution) {}

// HasReceiver says that none has.
func (Default) HasReceiver(*family, *file, ir.Func) bool { return false }
