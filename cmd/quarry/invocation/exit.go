// Package invocation is one run of the program as its user sees it: which arguments it
// takes, which project and paths they name, and how it ends.
package invocation

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// The exit codes of commands that look for something, those of grep.
const (
	NothingFound = 1
	Failed       = 2
)

// An ExitError gives the process an exit code other than 1. Without an error
// inside, nothing is printed.
type ExitError struct {
	Code int
	Err  error
}

// Error returns the error inside.
func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns it, too.
func (e *ExitError) Unwrap() error { return e.Err }

// ExitCode returns the exit code of the process for an error that a command
// returned: 0 for nil, 1 unless the command's help says otherwise.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	if exit := (*ExitError)(nil); errors.As(err, &exit) {
		return exit.Code
	}
	return 1
}

// Silent returns an error that sets the exit code and prints nothing.
func Silent(cmd *cobra.Command, code int) error {
	cmd.SilenceErrors = true
	return &ExitError{Code: code}
}

// Interrupted says plainly that a signal ended the command, if one did.
func Interrupted(cmd *cobra.Command, err error) error {
	if cmd.Context().Err() != nil {
		return errors.New("interrupted")
	}
	return err
}

// Complaint returns the last line that a run has written to its error output, without the name
// of the program: the sentence of the error that it ended with.
func Complaint(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimPrefix(text[strings.LastIndexByte(text, '\n')+1:], "quarry: ")
}
