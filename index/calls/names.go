package calls

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph"
)

// LastPart cuts a name before its last part.
func LastPart(name string) (before, last string, found bool) {
	i := strings.LastIndexByte(name, '.')
	return name[:max(i, 0)], name[i+1:], i >= 0
}

// ClassName is the part before the last of a node's name, or the name if it has one part.
func ClassName(n *graph.Node) string {
	name := n.Name
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name = name[:i]
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}
