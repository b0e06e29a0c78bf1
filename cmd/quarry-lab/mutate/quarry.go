package mutate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// affected is the exit code of quarry impact when something is, or may be.
const affected = 3

// page is how many callers are asked for at a time: the most that there are.
const page = 1000

// quarry asks a program quarry about changes of a folder, without a server.
type quarry struct {
	program, root, data string // data: where no server is registered
}

// impact asks what a diff may affect; the tree has the text after the change, as it has for CI.
func (q quarry) impact(ctx context.Context, patch string) (all answer, err error) {
	for offset := 0; ; offset += page {
		a, err := q.ask(ctx, patch, offset)
		if err != nil {
			return all, err
		}
		a.Callers = append(all.Callers, a.Callers...)
		all = a
		if !a.Truncated || len(a.Callers) < offset+page {
			return all, nil
		}
	}
}

func (q quarry) ask(ctx context.Context, patch string, offset int) (a answer, err error) {
	cmd := exec.CommandContext(ctx, q.program, "impact", "--diff", "-", "--json", "--root", q.root, "--data-dir", q.data,
		"--limit", strconv.Itoa(page), "--offset", strconv.Itoa(offset))
	var complaint bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(patch), &complaint
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == affected {
		a.Exit, err = affected, nil
	}
	if err == nil {
		err = json.Unmarshal(out, &a)
	}
	if err != nil {
		return a, fmt.Errorf("mutate: quarry impact: %w\n%s", err, complaint.Bytes())
	}
	return a, nil
}
