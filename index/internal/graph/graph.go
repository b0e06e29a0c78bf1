package graph

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/frozen"
)

// What a graph consists of is in package edge, which all that makes one imports.
type (
	// An ID is a node of the graph.
	ID = edge.ID
	// A Node is one node as others see it.
	Node = edge.Node
	// A Kind is what a node is.
	Kind = edge.Kind
	// An Edge says that From depends on To at a place in From's file.
	Edge = edge.Edge
	// An EdgeKind is how one node depends on another.
	EdgeKind = edge.EdgeKind
	// A Confidence is how sure an edge is.
	Confidence = edge.Confidence
	// A Rule is what made an edge.
	Rule = edge.Rule
	// A Site is a call that leads to no definition of the index.
	Site = edge.Site
	// A Reason says why a call site has no edge.
	Reason = edge.Reason
	// Stats counts what the graph holds.
	Stats = edge.Stats
	// A Difference is a node, an edge or a site that only one of two graphs has.
	Difference = frozen.Difference
)

// The kinds, confidences, rules and reasons that others than this package ask for.
const (
	FileNode  = edge.FileNode
	FuncNode  = edge.FuncNode
	ClassNode = edge.ClassNode

	Calls      = edge.Calls
	References = edge.References
	Imports    = edge.Imports
	Inherits   = edge.Inherits
	Implements = edge.Implements

	Exact    = edge.Exact
	Scoped   = edge.Scoped
	Possible = edge.Possible
	ByName   = edge.ByName

	ByFlow      = edge.ByFlow
	ByHierarchy = edge.ByHierarchy
	ByProperty  = edge.ByProperty
	ByValue     = edge.ByValue
	ByDecl      = edge.ByDecl

	UnknownReceiver = edge.UnknownReceiver
	UnknownMember   = edge.UnknownMember
	External        = edge.External
)
