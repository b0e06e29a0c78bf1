package invocation

import (
	"bufio"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
)

// yesFlag is the name of the flag that AddYesFlag declares.
const yesFlag = "yes"

// AddYesFlag declares the flag that answers what Confirm would ask.
func AddYesFlag(fs *pflag.FlagSet) {
	fs.Bool(yesFlag, false, "index the home folder, or a folder that it is in, without asking")
}

// Confirm asks on a terminal before the user's home folder, or a folder that it is in, is indexed
// as a whole: that is hardly ever meant. Where nobody can be asked it is an error. Afterwards
// the flag is set, so that a server in the background does not ask again.
func Confirm(cmd *cobra.Command, root string) error {
	what := wholeOf(root)
	if f := cmd.Flags().Lookup(yesFlag); what == "" || f != nil && f.Value.String() == "true" {
		return nil
	}
	if !terminal.IsTerminal(cmd.InOrStdin()) {
		return fmt.Errorf("%s is %s: name the folder of a project, or have all of it indexed with --yes", root, what)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s is %s. Index all of it? [y/N] ", terminal.Visible(root), what)
	answer, _ := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return cmd.Flags().Set(yesFlag, "true")
	}
	return errors.New("nothing was indexed")
}

// wholeOf says what a root is that is more than a project, "" of any other.
func wholeOf(root string) string {
	if filepath.Dir(root) == root {
		return "the whole file system"
	}
	home, err := folder.Real(config.Home())
	if err != nil || config.Home() == "" {
		return ""
	}
	switch _, in := folder.Inside(root, home); {
	case home == root:
		return "your home folder"
	case in:
		return "a folder that your home folder is in"
	}
	return ""
}
