package plain

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Default is a Language without rules of its own, to be embedded in others.
type Default struct{ program.DefaultModules }

var _ eval.Language = Default{}

// Special has no name.
func (Default) Special(*eval.Evaluator, string) (pointsto.Set, bool) { return 0, false }

// PathHead leaves it to the common rules.
func (Default) PathHead(*eval.Evaluator, intern.Name) (pointsto.Set, bool) { return 0, false }

// Top leaves it to the common rules.
func (Default) Top(*eval.Evaluator, *program.File, intern.Name) (s pointsto.Set, found bool, rule edge.Rule, ok bool) {
	return 0, false, 0, false
}

// Beyond finds nothing.
func (Default) Beyond(*eval.Evaluator, *program.File, intern.Name) (s pointsto.Set, found bool, rule edge.Rule, ok bool) {
	return 0, false, 0, false
}

// InModule finds nothing.
func (Default) InModule(*eval.Evaluator, edge.ID, intern.Name) (s pointsto.Set, found bool, rule edge.Rule) {
	return 0, false, 0
}

// Within leaves it to the common rules.
func (Default) Within(*eval.Evaluator, edge.ID, intern.Name, int) (s pointsto.Set, found, ok bool) {
	return 0, false, false
}

// Unknown is what the common rules say.
func (Default) Unknown(_ *eval.Evaluator, s pointsto.Set, _ intern.Name) pointsto.Set { return s }

// Linked leaves all.
func (Default) Linked(_ *eval.Evaluator, list []program.Entry) []program.Entry { return list }

// NearestClasses leaves all.
func (Default) NearestClasses(_ *eval.Evaluator, list []program.Entry) []program.Entry { return list }

// AliasedSpace is none.
func (Default) AliasedSpace(*program.Family, *program.File, ir.Class, int) pointsto.Set { return 0 }

// LambdaReceiver finds none.
func (Default) LambdaReceiver(*eval.Evaluator, intern.Name) (recv pointsto.Set, pending bool) {
	return 0, false
}

// BoundReceiver is none.
func (Default) BoundReceiver(*eval.Evaluator, intern.Name, []eval.Argument) pointsto.Set { return 0 }

// ReceiverParam is none.
func (Default) ReceiverParam(*eval.Evaluator, ir.Func, intern.Name) pointsto.Set { return 0 }

// Read leaves it to the common rules.
func (Default) Read(*eval.Evaluator, *ir.Node) (s pointsto.Set, rule edge.Rule, ok bool) {
	return 0, 0, false
}

// Own reports that nothing is known of the library's types.
func (Default) Own(*eval.Evaluator, *eval.Call, pointsto.Info) bool { return false }

// Property is none.
func (Default) Property(*eval.Evaluator, pointsto.Value, intern.Name, ir.Pos) (pointsto.Set, bool) {
	return 0, false
}

// MissingProperty is none.
func (Default) MissingProperty(*eval.Evaluator, pointsto.Value, intern.Name, ir.Pos) (pointsto.Set, bool) {
	return 0, false
}

// Member leaves it to the common rules.
func (Default) Member(*eval.Evaluator, pointsto.Value, intern.Name, ir.Pos) (s pointsto.Set, found, ok bool) {
	return 0, false, false
}

// MissingMember is none.
func (Default) MissingMember(*eval.Evaluator, pointsto.Value, *program.Class, int, intern.Name, ir.Pos) (pointsto.Set, bool) {
	return 0, false
}

// ClassMember is none.
func (Default) ClassMember(*eval.Evaluator, pointsto.Value, *program.Class, intern.Name) (pointsto.Set, bool) {
	return 0, false
}

// ClassMethodsOf are none.
func (Default) ClassMethodsOf(*eval.Evaluator, *program.Class, pointsto.Value, intern.Name, ir.Pos) (pointsto.Set, bool) {
	return 0, false
}

// Field is the name.
func (Default) Field(_ *program.Class, n intern.Name, _ string) intern.Name { return n }

// Extensions are those of the type itself.
func (Default) Extensions(e *eval.Evaluator, i pointsto.Info, n intern.Name) []program.Entry {
	return e.Family.Find(e.Family.Foreign[intern.Name(i.ID)], n)
}

// InSight leaves all.
func (Default) InSight(_ *eval.Evaluator, list []program.Entry) []program.Entry { return list }

// Delegated are none.
func (Default) Delegated(*eval.Evaluator, *program.Class, pointsto.Value) pointsto.Set { return 0 }

// Universal has no member.
func (Default) Universal(*eval.Evaluator, *program.Class, pointsto.Value, intern.Name) (path string, typed pointsto.Set, ok bool) {
	return "", 0, false
}

// LibraryType is the type with its arguments.
func (Default) LibraryType(e *eval.Evaluator, path intern.Name, args []pointsto.Set) pointsto.Set {
	return e.Family.Values.Single(e.Family.Values.Typed(pointsto.Info{Kind: pointsto.Generic, ID: uint32(path)}, args))
}

// MadeBase is none.
func (Default) MadeBase(*eval.Evaluator, *ir.Node) pointsto.Set { return 0 }

// AsSelf is what was returned.
func (Default) AsSelf(_ *eval.Evaluator, s pointsto.Set, _ *program.Class, _ pointsto.Value) pointsto.Set {
	return s
}

// Literal leaves it to the common rules.
func (Default) Literal(*eval.Evaluator, *ir.Node) (pointsto.Set, bool) { return 0, false }

// Index leaves it to the common rules.
func (Default) Index(*eval.Evaluator, pointsto.Set, ir.Expr) (pointsto.Set, bool) { return 0, false }

// Item leaves it to the common rules.
func (Default) Item(*eval.Evaluator, pointsto.Value, string) (pointsto.Set, bool) { return 0, false }

// Elements leaves it to the common rules.
func (Default) Elements(*eval.Evaluator, pointsto.Value, *ir.Node) (pointsto.Set, bool) {
	return 0, false
}

// Await leaves it to the common rules.
func (Default) Await(*eval.Evaluator, pointsto.Value) (pointsto.Set, bool) { return 0, false }

// Deref is the pointers themselves.
func (Default) Deref(_ *eval.Evaluator, s pointsto.Set) pointsto.Set { return s }

// Injected is nothing.
func (Default) Injected(*eval.Evaluator, ir.Func, ir.Param) pointsto.Set { return 0 }

// Call leaves it to the common rules.
func (Default) Call(*eval.Evaluator, *eval.Call, *ir.Node, pointsto.Set) (pointsto.Set, bool) {
	return 0, false
}

// CallOn leaves it to the common rules.
func (Default) CallOn(*eval.Evaluator, *eval.Call, pointsto.Value, pointsto.Set) (pointsto.Set, bool) {
	return 0, false
}

// CallMissing finds nothing.
func (Default) CallMissing(*eval.Evaluator, *eval.Call, *program.Class, pointsto.Value, int, edge.Rule) (pointsto.Set, bool) {
	return 0, false
}

// CallAbsent finds nothing.
func (Default) CallAbsent(*eval.Evaluator, *eval.Call, pointsto.Value, pointsto.Set, edge.Rule) (pointsto.Set, bool) {
	return 0, false
}

// CallUndeclared finds nothing.
func (Default) CallUndeclared(*eval.Evaluator, *eval.Call, *program.Class, pointsto.Value, int) (pointsto.Set, bool) {
	return 0, false
}

// CallLibrary knows no library.
func (Default) CallLibrary(*eval.Evaluator, *eval.Call, pointsto.Value) (pointsto.Set, bool) {
	return 0, false
}

// CallExternal leaves it to the common rules.
func (Default) CallExternal(*eval.Evaluator, *eval.Call, string) (pointsto.Set, bool) {
	return 0, false
}

// Outside leaves it to the common rules.
func (Default) Outside(*eval.Evaluator, *eval.Call, pointsto.Value) (pointsto.Set, bool) {
	return 0, false
}

// FreeCall finds nothing.
func (Default) FreeCall(*eval.Evaluator, *eval.Call) (pointsto.Set, bool) { return 0, false }

// LateBound adds nothing.
func (Default) LateBound(*eval.Evaluator, *eval.Call, *ir.Node, pointsto.Set) {}

// CallHeld knows no objects.
func (Default) CallHeld(*eval.Evaluator, *eval.Call, *program.Class, int) pointsto.Set { return 0 }

// KnownObject knows none.
func (Default) KnownObject(*eval.Evaluator, pointsto.Set, intern.Name) bool { return false }

// Construct leaves it to the common rules.
func (Default) Construct(*eval.Evaluator, *eval.Call, *program.Class, pointsto.Value) bool {
	return false
}

// Copies says that none is.
func (Default) Copies(*eval.Evaluator, []program.Entry, []eval.Argument, pointsto.Value) bool {
	return false
}

// Initialized is what the common rules say.
func (Default) Initialized(_ *eval.Evaluator, _ intern.Name, s pointsto.Set) pointsto.Set { return s }

// Unresolved does nothing.
func (Default) Unresolved(*eval.Evaluator, *eval.Call) {}

// Applies says that all do.
func (Default) Applies(*eval.Evaluator, program.Entry, []eval.Argument) bool { return true }

// Applicable leaves all.
func (Default) Applicable(_ *eval.Evaluator, s pointsto.Set, _ []eval.Argument) pointsto.Set {
	return s
}

// Candidates are all.
func (Default) Candidates(_ *eval.Evaluator, list []program.Entry, _ []eval.Argument) []program.Entry {
	return list
}

// ForTypes leaves all.
func (Default) ForTypes(_ *eval.Evaluator, list []program.Entry, _ []pointsto.Set) []program.Entry {
	return list
}

// Narrow leaves all.
func (Default) Narrow(_ *program.Family, list []program.Entry) (rest []program.Entry, overloaded bool) {
	return list, false
}

// Suits leaves it to the common rules.
func (Default) Suits(*eval.Evaluator, pointsto.Info, pointsto.Info, *program.Class) (int, bool) {
	return 0, false
}

// Invokes says that every function can be meant.
func (Default) Invokes(*eval.Call, *ir.FuncInfo) bool { return true }

// CallAmong leaves it to the common rules.
func (Default) CallAmong(*eval.Evaluator, *eval.Call, []pointsto.Value, edge.Rule) (pointsto.Set, bool) {
	return 0, false
}

// CallMembers leaves it to the common rules.
func (Default) CallMembers(*eval.Evaluator, *eval.Call, []program.Entry, eval.Receiver, edge.Rule) (pointsto.Set, bool) {
	return 0, false
}

// ExpectInit does nothing.
func (Default) ExpectInit(*eval.Evaluator, ir.Expr, pointsto.Set) {}

// ExpectAssigned does nothing.
func (Default) ExpectAssigned(*eval.Evaluator, ir.Expr, ir.Expr) {}

// ExpectReturned does nothing.
func (Default) ExpectReturned(*eval.Evaluator, ir.Expr) {}

// ExpectArgument does nothing.
func (Default) ExpectArgument(*eval.Evaluator, *eval.Call, edge.ID, pointsto.Value, ir.Expr, int) {}

// ContextOf does nothing.
func (Default) ContextOf(*eval.Evaluator, pointsto.Set, pointsto.Info, program.Substitution) {}

// HasReceiver says that none has.
func (Default) HasReceiver(*program.Family, *program.File, ir.Func) bool { return false }
