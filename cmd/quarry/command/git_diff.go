package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// maxGitDiff is how many bytes of a diff the endpoint takes.
const maxGitDiff = 900 << 10

// gitDiff returns what has changed below a root since a revision, "" for the last commit.
// Its error is a sentence.
func gitDiff(ctx context.Context, root, base string) (string, error) {
	if base == "" {
		base = "HEAD"
	}
	if strings.HasPrefix(base, "-") {
		return "", fmt.Errorf("%q is no revision", base)
	}
	args := append([]string{"-C", root, "-c", "core.fsmonitor=false"}, filtersOff(ctx, root)...)
	args = append(args, "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--relative", base, "--", ".")
	cmd := exec.CommandContext(ctx, "git", args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", fmt.Errorf("git cannot be asked: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("git cannot be asked: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(out, maxGitDiff+1))
	if len(text) > maxGitDiff {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return "", fmt.Errorf("the diff since %s is larger than %d bytes", base, maxGitDiff)
	}
	if waited := cmd.Wait(); err == nil {
		err = waited
	}
	if err != nil {
		return "", fmt.Errorf("git does not say what has changed since %s: %s", base, lastLine(said.String()))
	}
	return string(text), nil
}

// filtersOff are git's options by which a diff runs none of the commands that the
// repository's own configuration names as filters: its folder may have come from anywhere.
// Those of the user stay.
func filtersOff(ctx context.Context, root string) (options []string) {
	cmd := exec.CommandContext(ctx, "git", "-C", root, "config", "--local", "--includes", "--null", "--name-only", "--get-regexp", `^filter\..*\.(clean|process|required)$`)
	names, err := cmd.Output()
	if err != nil { // there are none, or no repository, which the diff says better
		return nil
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(names), "\x00"), "\x00") {
		value := ""
		if strings.HasSuffix(name, ".required") {
			value = "false"
		}
		options = append(options, "-c", name+"="+value)
	}
	return options
}
