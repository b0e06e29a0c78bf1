// Package tasks runs the requests of a coding agent's tasks, as they are written down in
// suite, in three ways: through the tools of quarry mcp, as quarry te, and as plain grep, cat
// and find. It checks what the answers have to say and counts what they cost.
package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/index/tokens"
)

// options are the flags of the command.
type options struct {
	corpus, program, only string
	answers, json         bool
}

// Command returns the command.
func Command() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "tasks --corpus DIR",
		Short: "Run the requests of a coding agent's tasks through MCP, te and grep",
		Long: `Tasks runs ten tasks, each on a repository of its own, which is a folder OWNER+NAME of
--corpus at the revision that the task names. Each is a list of requests to the tools of
quarry mcp, of commands of quarry te, and of plain grep, cat and find. Facts that were read
in the source must be in the answers of both, and what is wrong must not. A missing fact, or
an answer that misleads, is an error.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), cmd.OutOrStdout()) },
	}
	f := cmd.Flags()
	f.StringVar(&o.corpus, "corpus", "", "the `folder` that holds the repositories")
	f.StringVar(&o.program, "program", "quarry", "the `program` that is asked")
	f.StringVar(&o.only, "only", "", "run this task only, such as koa")
	f.BoolVar(&o.answers, "answers", false, "print all requests and answers")
	f.BoolVar(&o.json, "json", false, "print a JSON object for each task")
	if err := cmd.MarkFlagRequired("corpus"); err != nil {
		panic(err) // the flag was defined above
	}
	return cmd
}

func (o *options) run(ctx context.Context, out io.Writer) error {
	all, err := builtIn()
	if err != nil {
		return err
	}
	counter, err := tokens.Encoding(tokens.CL100K)
	if err != nil {
		return err
	}
	var outcomes []outcome
	for _, t := range all {
		if o.only != "" && t.Name != o.only {
			continue
		}
		r := runner{task: t, program: o.program, count: counter.Count}
		if o.answers {
			r.said = out
		}
		result, err := r.run(ctx, o.corpus)
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		outcomes = append(outcomes, result)
	}
	if len(outcomes) == 0 {
		return fmt.Errorf("there is no task %q", o.only)
	}
	if o.json {
		e := json.NewEncoder(out)
		for _, one := range outcomes {
			if err := e.Encode(one); err != nil {
				return err
			}
		}
	} else if err := table(out, outcomes); err != nil {
		return err
	}
	var wrong error
	for _, one := range outcomes {
		for _, complaint := range one.Complaints {
			wrong = errors.Join(wrong, fmt.Errorf("%s: %s", one.Task, complaint))
		}
	}
	return wrong
}
