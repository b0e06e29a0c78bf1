// Quarry-man writes the manual pages of quarry, one for each command, from the tree of its
// commands: quarry-man FOLDER. It is apart from quarry, which needs no Markdown.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/cmd/quarry/command"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: quarry-man FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "quarry-man:", err)
		os.Exit(1)
	}
}

// write makes the folder, if it is not there, and its pages. Their date is SOURCE_DATE_EPOCH, or today.
func write(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	root := command.New()
	root.DisableAutoGenTag = true
	root.InitDefaultCompletionCmd()
	escapeTree(root, map[*pflag.Flag]bool{})
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "quarry " + root.Version, Manual: "Quarry"}, folder)
}

// escapeTree has the texts of a tree of commands be what they are as Markdown, too: *.go is
// no emphasis. Commands share flags, of which those done are escaped already.
func escapeTree(cmd *cobra.Command, done map[*pflag.Flag]bool) {
	cmd.Short, cmd.Long = escape(cmd.Short), escape(cmd.Long)
	for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			if !done[f] {
				done[f] = true
				f.Usage, f.DefValue = escape(f.Usage), escape(f.DefValue)
			}
		})
	}
	for _, below := range cmd.Commands() {
		escapeTree(below, done)
	}
}

var markdown = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `_`, `\_`, "`", "\\`", `[`, `\[`, `<`, `\<`, `#`, `\#`, `~`, `\~`)

func escape(text string) string { return markdown.Replace(text) }
