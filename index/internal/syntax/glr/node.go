package glr

// #include "quarry.h"
import "C"

import "unsafe"

// A Node is one of a tree, which is a slice of them: the first is none, after it come the
// nodes in pre-order. It mirrors quarry_flat, to the byte.
type Node struct {
	Start, End uint32 // offsets in the text
	Next       uint32 // how many nodes come before the one after its subtree
	Kind       uint16 // a number of the grammar's, or Error
	Field      uint8  // what it is to its parent, or 0
	Flags      uint8
}

// The flags of a node.
const (
	Named   = 1 // it is not punctuation or a keyword
	Missing = 2 // the parser made it up to go on after an error
)

const (
	Error    = 65535                      // the kind of what does not parse
	Deepest  = C.quarry_deepest           // levels of a tree that are copied
	Longest  = C.quarry_longest           // bytes that a text may have: places have 32 bits
	NodeSize = int(unsafe.Sizeof(Node{})) // bytes of a node
)

// Room returns a tree with room for so many nodes, of which nothing is known but the first.
// The memory of the tree that it is given is used again.
func Room(tree []Node, count int) []Node {
	if cap(tree) < count+1 {
		tree = make([]Node, count+1+count/4)
	}
	tree = tree[:count+1]
	tree[0] = Node{}
	return tree
}

// flat is where C writes the nodes of a tree that has any.
func flat(tree []Node) *C.quarry_flat { return (*C.quarry_flat)(unsafe.Pointer(&tree[1])) }
