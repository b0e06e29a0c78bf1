package pointsto

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
)

// A CellKind is what a cell holds the values of.
type CellKind uint8

// What cells hold.
const (
	VarCell       CellKind = iota // a variable at the top of a file, or a field; by its node
	LocalCell                     // a variable of one unit that another one uses; by file and number
	ParamCell                     // a parameter; by function and number
	SelfCell                      // the receiver of a method; by function
	ResultCell                    // a result; by function and number
	AnyResultCell                 // what a function gives back of what it is passed, whatever call that is; by function
	YieldCell                     // what a generator yields; by function
	NameCell                      // a name at the top of a file that is assigned and also defined; by file and name
	AttrCell                      // an undeclared field of a class; by class and name
	ItemCell                      // a field of a literal; by literal and name
	BlockCell                     // the block that a method is called with; by function
	StaticCell                    // an undeclared field of the class itself; by class and name
	ForeignCell                   // what the functions that become values of an external type are called with; by its name and the parameter's number
	ObjectCell                    // what objects hold where an interface is expected; by the interface and the name
	StoreCell                     // what is put into containers of a form; by the class of the elements and the form
)

// Names of the items of a literal that are no names in any language.
const (
	AnyItem  = "*" // every item
	SomeItem = "?" // an item whose key is not known
)

// CellKey names a cell.
type CellKey struct {
	Kind CellKind
	ID   edge.ID
	Sub  uint32
}

// Hash is a hash of the key.
func (k CellKey) Hash() uint64 { return intern.Mix(uint64(k.Kind), uint64(k.ID), uint64(k.Sub)) }

// A Cell holds the values that reach a place which several units share.
type Cell struct {
	Key     CellKey
	Value   Set
	Readers []uint32
}

// A Constraint is what a unit has added to a cell, up to a round of the solver. Of one
// cell a unit has one for each round in which it added more, in their order.
type Constraint struct {
	Cell  uint32
	Value Set
	Round uint32
}

// ItemNames are the names of the first items of a literal.
var ItemNames = [...]string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}

// ItemName is the name of an item of a literal.
func ItemName(i int) string {
	if i < len(ItemNames) {
		return ItemNames[i]
	}
	return SomeItem
}
