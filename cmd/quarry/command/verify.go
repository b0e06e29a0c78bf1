package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/cmd/quarry/host"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/verify"
)

// Exit code of verify.
const differs = 3

// verifyTimeout is a little more than what the server allows a verification.
const verifyTimeout = 11 * time.Minute

// A verification is what is printed.
type verification struct {
	Root   string `json:"root"`
	Server string `json:"server,omitempty"` // absent: what is kept of the index was verified
	verify.Verification
	Index answer.State `json:"index"`
}

func newVerifyCommand() *cobra.Command {
	var address string
	var asJSON bool
	var q wire.VerifyRequest
	var seed uint64
	cmd := &cobra.Command{
		Use:   "verify [ROOT]",
		Short: "Check that the index equals a newly built one",
		Long: `Verify has the running server build its index again alongside the one that answers,
and compare the two: what is known of every file, its text, symbols and chunks, every
posting, every vector bit for bit, every node and edge of the call graph. It prints
what was compared, and every difference. That takes the time of a build, and the
memory of a second index meanwhile; searches go on.

With --sample only that many files are rebuilt, drawn at random: a quick check, which
leaves out the edges of the call graph, because they depend on all files.

Without a server, the saved index of the root is restored, brought up to date with the
files as at a server's start, and verified.

A difference is fixed by POST /reindex with reset, and should be reported.

Exit codes: 0 nothing differs, 1 an error, nothing to verify, or files that changed
too often to be compared, 3 something differs.`,
		Example: `  quarry verify
  quarry verify ~/src/project --sample 200
  quarry verify --json | jq .differences`,
		Args: invocation.AtMostOne("root"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if q.Sample < 0 {
				return fmt.Errorf("sample must be 0 or more, not %d", q.Sample)
			}
			if q.Limit < 1 || q.Limit > wire.MaxDifferences {
				return fmt.Errorf("limit must be 1 to %d, not %d", wire.MaxDifferences, q.Limit)
			}
			q.Seed = int(seed)
			v, err := runVerify(cmd, address, &q, args)
			if err != nil {
				return invocation.Interrupted(cmd, err)
			}
			if asJSON {
				err = terminal.PrintJSON(cmd.OutOrStdout(), v)
			} else {
				err = v.print(cmd.OutOrStdout())
			}
			switch {
			case err != nil:
				return err
			case v.Total > 0:
				return invocation.Silent(cmd, differs)
			case !v.Proved && !v.Sampled, len(v.Changed) > 0:
				return fmt.Errorf("not everything could be compared: %s", strings.Join(v.Unchecked, "; "))
			}
			return nil
		},
	}
	fs := cmd.Flags()
	fs.IntVar(&q.Sample, "sample", 0, "verify this many files, drawn at random; 0: everything")
	fs.Uint64Var(&seed, "seed", 0, "of the draw: the same seed draws the same files")
	fs.IntVarP(&q.Limit, "limit", "m", 100, "the most differences to list, 1 to 10000")
	registry.AddURLFlag(fs, &address)
	terminal.AddJSONFlag(fs, &asJSON)
	config.AddFlags(fs, config.RootFlag|config.TokenFlag|config.IndexFlags)
	return cmd
}

// runVerify verifies the index of the server that is responsible, or the one that is kept.
func runVerify(cmd *cobra.Command, address string, q *wire.VerifyRequest, args []string) (v verification, err error) {
	s, err := config.Load(cmd)
	if err != nil {
		return v, err
	}
	var server registry.Remote
	if address != "" {
		if server, err = registry.Named(&s, address, ""); err != nil {
			return v, err
		}
	} else {
		root, err := invocation.ProjectRoot(cmd, s, args)
		if err != nil {
			return v, err
		}
		reg, ok := registry.Open(s).Containing(cmd.Context(), root)
		if !ok {
			return verifyKept(cmd, s, root, q)
		}
		server, q.Project = reg.Remote(""), reg.Root
	}
	if server.Token, err = s.Token(); err != nil {
		return v, err
	}
	err = server.Ask(cmd.Context(), verifyTimeout, "/verify", q, &v)
	v.Server = server.URL
	return v, err
}

// verifyKept verifies what a server has kept of its index, as it would be after the start of
// another one.
func verifyKept(cmd *cobra.Command, s config.Settings, root string, q *wire.VerifyRequest) (v verification, err error) {
	err = engine.Use(s, root, true, func(x *index.Index) error {
		switch err := x.Restore(host.SnapshotOf(engine.ProjectDir(&s, root))); {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("no server is running for %s, and no index of it is kept: there is nothing to verify", root)
		case err != nil:
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "quarry: no server is running for %s, verifying the index that is kept of it\n", root)
		if _, err := terminal.Build(cmd.Context(), x, cmd.ErrOrStderr()); err != nil {
			return err
		}
		found, err := x.Verify(cmd.Context(), verify.VerifyOptions{Sample: q.Sample, Seed: uint64(q.Seed), Limit: q.Limit})
		v = verification{Root: x.Root(), Verification: found, Index: found.State}
		return err
	})
	return v, err
}

// print writes what was compared, and what differs, for people.
func (v *verification) print(out io.Writer) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "root       %s\n", terminal.Visible(v.Root))
	sampled := ""
	if v.Sampled {
		sampled = ", drawn at random"
	}
	fmt.Fprintf(w, "compared   %d files%s, %d symbols, %d chunks, %d postings of %d words, %d vectors", v.Files, sampled,
		v.Symbols, v.Chunks, v.Postings, v.Terms, v.Vectors)
	if v.GraphDone {
		fmt.Fprintf(w, ", %d edges, %d open calls", v.Edges, v.Sites)
	}
	fmt.Fprintf(w, "\ntook       %.2f s\n", v.Seconds)
	if v.Rounded > 0 {
		fmt.Fprintf(w, "rounded    %d vectors otherwise, as backends and batches do\n", v.Rounded)
	}
	for _, text := range v.Unchecked {
		fmt.Fprintf(w, "unchecked  %s\n", terminal.Visible(text))
	}
	for _, path := range v.Changed {
		fmt.Fprintf(w, "changed    %s\n", terminal.Visible(path))
	}
	for _, d := range v.Differences {
		fmt.Fprintf(w, "differs    %s", d.Kind)
		if d.Path != "" {
			fmt.Fprintf(w, " of %s", terminal.Visible(d.Path))
		}
		fmt.Fprintf(w, ": %s\n", terminal.Visible(d.Detail))
	}
	switch {
	case v.Proved:
		fmt.Fprintln(w, "result     proved: nothing differs from an index built afresh")
	case v.Total == 0:
		fmt.Fprintln(w, "result     nothing of what was compared differs")
	case v.Truncated:
		fmt.Fprintf(w, "result     %d differences, of which %d are listed\n", v.Total, len(v.Differences))
	default:
		fmt.Fprintf(w, "result     %d differences\n", v.Total)
	}
	return w.Flush()
}
