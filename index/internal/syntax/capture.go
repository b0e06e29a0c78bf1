package syntax

import (
	"fmt"
	"slices"
	"strings"
)

// A capture is what a capture name means.
type capture struct {
	role    role
	kind    Kind    // of isDef
	refKind RefKind // of isRef
}

// A role is the part a captured node plays in its match.
type role uint8

// The roles, one for every capture name in the package doc.
const (
	isIgnored role = iota
	isDef
	isName
	isBody
	isReceiver
	isExport
	isOuter
	isRef
	isImport
	isPath
	isImportName
	isAlias
	isDefault
	isComment
	isDocstring
	isHead
	isDecorator
	isScope
	isPublicScope
	isPrivateScope
	isSection
	isExportName
	isKeyword
	isElement
	isStart
	isLevel
	isAttribute
	roleCount
)

// captureOf says what a capture name means. Names that begin with "_" serve
// the query alone and mean nothing here.
func captureOf(name string) (capture, error) {
	if kind, ok := strings.CutPrefix(name, "def."); ok {
		if !slices.Contains(kinds[:], Kind(kind)) {
			return capture{}, fmt.Errorf("capture @%s: unknown kind", name)
		}
		return capture{role: isDef, kind: Kind(kind)}, nil
	}
	if kind, ok := strings.CutPrefix(name, "ref."); ok {
		if !slices.Contains([]RefKind{Call, New, TypeUse, Inherit, Export}, RefKind(kind)) {
			return capture{}, fmt.Errorf("capture @%s: unknown kind", name)
		}
		return capture{role: isRef, refKind: RefKind(kind)}, nil
	}
	if strings.HasPrefix(name, "_") {
		return capture{}, nil
	}
	roles := map[string]role{
		"name": isName, "body": isBody, "receiver": isReceiver,
		"export": isExport, "outer": isOuter, "import": isImport,
		"path": isPath, "import.name": isImportName, "alias": isAlias,
		"default": isDefault, "comment": isComment, "docstring": isDocstring,
		"head": isHead, "decorator": isDecorator, "scope": isScope,
		"scope.public": isPublicScope, "scope.private": isPrivateScope,
		"section": isSection, "export.name": isExportName, "keyword": isKeyword,
		"element": isElement,
		"start":   isStart, "level": isLevel, "attribute": isAttribute,
	}
	r, ok := roles[name]
	if !ok {
		return capture{}, fmt.Errorf("capture @%s: unknown name", name)
	}
	return capture{role: r}, nil
}
