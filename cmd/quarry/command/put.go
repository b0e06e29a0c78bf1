package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/depot"
	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/cmd/quarry/version"
	"github.com/quarry-search/quarry/index/git"
)

// check refuses flags of index that mean nothing together.
func (o *indexOptions) check(cmd *cobra.Command, s *config.Settings) error {
	file := o.output != "" || o.put
	switch {
	case o.ifChanged && !file:
		return errors.New("--if-changed needs --output or --put: it compares that snapshot with the tree")
	case (o.sign != "" || o.madeBy != "") && !file:
		return errors.New("--sign and --made-by need --output or --put: they are about that snapshot")
	case len(o.scip) > 0 && (o.ifChanged || o.dryRun):
		return errors.New("--scip cannot go with --if-changed or --dry-run: they say nothing of what is in the SCIP indexes")
	case o.put && o.dryRun:
		return errors.New("--put cannot go with --dry-run, which makes no snapshot")
	case o.put && s.Snapshots.Place == "":
		return errors.New("--put needs --snapshots, which says where")
	case !o.put && cmd.Flags().Changed("snapshots"):
		return errors.New("--snapshots needs --put: an index that is not put there is built from scratch, or from --output")
	}
	return nil
}

// putting is where a snapshot is put after it was made.
type putting struct {
	depot     *depot.Depot
	branch    string
	temporary string // the folder of the snapshot; "": the user keeps the file
}

// putReport says what was put.
type putReport struct {
	Place string `json:"place"` // without what follows it in an address
	Name  string `json:"name"`
	*depot.Outcome
}

// prepare finds out where the snapshot goes. Where the user has none, --output becomes a file
// with the newest that is there, if it can be had.
func (o *indexOptions) prepare(ctx context.Context, s *config.Settings, root string, errOut io.Writer) (*putting, error) {
	if !o.put {
		return nil, nil
	}
	d, at, err := engine.OpenDepot(s, root)
	if err != nil {
		return nil, err
	}
	p := &putting{depot: d, branch: s.Snapshots.Branch}
	if p.branch == "" {
		p.branch = at.Branch
	}
	if p.branch == "" {
		return nil, errors.New("--put does not know the branch, because none is checked out: --snapshots-branch says it")
	}
	if o.output == "" {
		if err := os.MkdirAll(s.DataDir, 0o700); err != nil {
			return nil, fmt.Errorf("index: %w", err)
		}
		if p.temporary, err = os.MkdirTemp(s.DataDir, "put-"); err != nil {
			return nil, fmt.Errorf("index: %w", err)
		}
		o.output = filepath.Join(p.temporary, "index.quarry")
	}
	if _, err := os.Lstat(o.output); errors.Is(err, fs.ErrNotExist) {
		if what, err := engine.FetchInto(ctx, s, root, o.output); err != nil {
			fmt.Fprintf(errOut, "quarry: it does not begin with a snapshot: %s\n", terminal.Visible(err.Error()))
		} else {
			fmt.Fprintf(errOut, "quarry: it begins with a snapshot: %s\n", terminal.Visible(what))
		}
	}
	return p, nil
}

// end removes what prepare has made.
func (p *putting) end() {
	if p != nil && p.temporary != "" {
		_ = os.RemoveAll(p.temporary)
	}
}

// put puts the snapshot where others begin from it.
func (p *putting) put(ctx context.Context, root, path, by string, errOut io.Writer) (*putReport, error) {
	if p == nil {
		return nil, nil
	}
	of := depot.Snapshot{Made: time.Now().UTC().Truncate(time.Second), By: by, Program: version.Release}
	of.Commit, of.Committed = commitOf(ctx, root)
	out, err := p.depot.Put(ctx, p.branch, path, of)
	if out == nil {
		return nil, err
	}
	if err != nil {
		fmt.Fprintf(errOut, "quarry: old snapshots are not removed: %s\n", terminal.Visible(err.Error()))
	}
	return &putReport{p.depot.Place(), p.depot.Name(), out}, nil
}

// commitOf says which commit a work tree is at, and when that was made, as far as that is known.
func commitOf(ctx context.Context, root string) (commit string, made *time.Time) {
	client := git.New(git.Options{})
	defer client.Close()
	r, err := client.Around(ctx, root)
	if err != nil {
		return "", nil
	}
	if commit, err = r.Head(); err != nil || commit == "" {
		return "", nil
	}
	if at, err := r.Committed(ctx, root); err == nil {
		made = &at
	}
	return commit, made
}

// unchanged puts a snapshot that is of the tree as it is, and reports that.
func (o *indexOptions) unchanged(cmd *cobra.Command, root string, to *putting) error {
	put, err := to.put(cmd.Context(), root, o.output, o.madeBy, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	name := to.name(o.output)
	if o.json {
		return terminal.PrintJSON(cmd.OutOrStdout(), unchangedReport{root, name, true, put})
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "snapshot   %s is of this tree\n", terminal.Visible(name))
	put.print(cmd.OutOrStdout())
	return err
}

// print writes the report's line for people.
func (r *putReport) print(w io.Writer) {
	if r == nil {
		return
	}
	where := terminal.Visible(r.Branch + " of " + r.Name)
	switch {
	case r.Newer != nil:
		fmt.Fprintf(w, "put        not as the latest of %s: that is of the newer commit %.12s", where, terminal.Visible(r.Newer.Commit))
		if r.Newer.By != "" {
			fmt.Fprintf(w, ", by %s", terminal.Visible(r.Newer.By))
		}
		fmt.Fprintln(w)
	case r.Uploaded:
		fmt.Fprintf(w, "put        as the latest of %s, %.12s, %.2f MB\n", where, r.SHA256, float64(r.Bytes)/1e6)
	default:
		fmt.Fprintf(w, "put        as the latest of %s, %.12s, which was there\n", where, r.SHA256)
	}
	if r.Removed > 0 {
		fmt.Fprintf(w, "removed    %d old snapshots there\n", r.Removed)
	}
}

// name says what the snapshot is called in reports: not by a file that does not stay.
func (p *putting) name(output string) string {
	if p != nil && p.temporary != "" {
		return p.branch + " of " + p.depot.Name()
	}
	return output
}
