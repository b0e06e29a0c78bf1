// Package question has the commands that ask about code: search and those about its
// structure, its symbols and its call graph. Each has the server answer that is responsible
// for the root or, where none runs, the index that is kept of it, brought up to date.
package question

import "github.com/spf13/cobra"

// Commands returns one of each.
func Commands() []*cobra.Command {
	list := []*cobra.Command{
		NewSearchCommand(),
		newStructureCommand(),
		newSkeletonCommand(),
		newExtractCommand(),
		newArchCommand(),
		newCallsCommand(),
		newImpactCommand(),
		newContextCommand(),
		newDeadCommand(),
		newTraceCommand(),
		newReferencesCommand(),
		newImportsCommand(),
		newImportersCommand(),
		newRelatedCommand(),
		newCfgCommand(),
		newDfgCommand(),
		newDiagnosticsCommand(),
		newSliceCommand(),
		newFlowsCommand(),
		newSummarizeCommand(),
		newStartupCommand(),
	}
	for _, cmd := range list {
		OnScreen(cmd)
	}
	return list
}
