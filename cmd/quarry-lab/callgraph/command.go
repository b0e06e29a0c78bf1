// Package callgraph measures the call graph: it compares the calls that Quarry finds in a
// project with those that a program finds which knows the language's types, or that people
// have written down, and prints precision and recall.
//
// Precision is the part of Quarry's edges that the other program has, recall the
// part of the other's that Quarry has. An edge is a call's place and the place of
// the function that it goes to.
package callgraph

import (
	"github.com/spf13/cobra"
)

// Command returns the command callgraph.
func Command() *cobra.Command {
	root := &cobra.Command{
		Use:   "callgraph",
		Short: "Measure the call graph against programs that know a language's types",
		Args:  cobra.NoArgs,
	}
	root.AddCommand(newCSharpCommand(), newGCCCommand(), newGoCommand(), newUsesCommand(), newJavaCommand(), newKotlinCommand(), newPHPCommand(), newPyCGCommand(), newPythonCommand(), newReferencesCommand(), newRubyCommand(), newRustCommand(), newTypeScriptCommand())
	return root
}
