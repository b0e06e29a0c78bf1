package command

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/collector"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/cmd/quarry/host"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/machine"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
)

// partlyIndexed is the exit code when files are missing from the index that
// belong into it. It is not 2, with which the Go runtime ends a process that crashes.
const partlyIndexed = 3

// reasonUnreadable, reasonDeep and reasonParser are the reasons for which a file is left
// out, or indexed as plain text, though nothing about it says that it should.
const (
	reasonUnreadable = "unreadable"
	reasonDeep       = "too_deep"
	reasonParser     = "parse_error"
)

// indexOptions are the flags of index.
type indexOptions struct {
	json    bool
	verbose bool
	dryRun  bool
	refine  bool

	output    string
	put       bool
	ifChanged bool
	sign      string // the file of the private key
	madeBy    string
	words     int // that the report lists
	leftOut   bool
	scip      []string
}

func newIndexCommand() *cobra.Command {
	var o indexOptions
	cmd := &cobra.Command{
		Use:     "index [PATH]",
		Aliases: []string{"warm"},
		Short:   "Build an index once, and report what it covers and how fast it was built",
		Long: `Index builds the index of PATH (by default the working folder), waits until it is
complete, and reports how many files, chunks and symbols it has, which files were
left out and why, and how long it took.

Without --output the index is built in memory and dropped at the end: to check what
a project's index covers, in scripts and by hand, and to measure its speed.

With --output it is written to a snapshot, with which quarry serve --snapshot
starts, on any machine and for any copy of the folder: what has not changed there is
neither parsed nor embedded again. If the file exists already, the build starts with
it in the same way. The same tree gives the same file. With --if-changed nothing is
done at all if the file matches the tree exactly.

With --put it is put where --snapshots says, a folder or a bucket of an S3-compatible
store, as the latest of the branch: other machines begin with it. It begins itself with the
newest one there, unless the file of --output exists, and --if-changed compares that one.
Where the latest there is of a newer commit, it stays, and the report says so. Only the last
--snapshots-keep of a branch stay.

The vectors are refined before it returns, where the model does that: it takes most of
the time. With --refine=false the vectors are those that a server begins with, and the
server that starts with the snapshot refines them while it answers.

With --sign FILE the snapshot is signed with the Ed25519 private key in FILE, as
"openssl genpkey -algorithm ed25519" writes it, for a server that has the public
one: quarry serve --snapshot-public-key. An existing file that is not signed with
that key is not used as a start. With --made-by NAME the snapshot says who made it,
and when; then the same tree gives another file each time.

With --scip FILE, which may be repeated, what SCIP indexes say of definitions, references
and implementations goes before what Quarry finds itself, in the files that they fit;
docs/scip.md says which these are. The snapshot keeps it.

Exit codes: 0 everything that belongs in the index is in it, 1 an error, 3 partly
indexed: some files could not be read, or were indexed as plain text because the
parser gave up on them. Files that are left out for what they are (binary,
generated, oversized, secret, ...) do not cause a 3. A 2 is a crash.`,
		Example: `  quarry index
  quarry index ~/src/project --verbose
  quarry index --json | jq .reasons
  quarry index --output snap.quarry --if-changed
  quarry index --output snap.quarry --scip index.scip
  quarry index --snapshots s3://team/quarry --put
  quarry index --dry-run`,
		Args: invocation.AtMostOne("path"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, root, err := invocation.Load(cmd, args)
			if err != nil {
				return err
			}
			if err := invocation.Confirm(cmd, root); err != nil {
				return err
			}
			if err := o.check(cmd, &s); err != nil {
				return err
			}
			if o.dryRun {
				return o.list(cmd, s, root)
			}
			partly, err := o.build(cmd, s, root)
			if err != nil {
				return err
			}
			if partly {
				return invocation.Silent(cmd, partlyIndexed)
			}
			return nil
		},
	}
	terminal.AddJSONFlag(cmd.Flags(), &o.json)
	cmd.Flags().BoolVar(&o.verbose, "verbose", false, "name every file that was left out")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "only list the files that would be read, by name and size")
	cmd.Flags().BoolVar(&o.refine, "refine", true, "refine all vectors; with =false that is left to the server that starts with the snapshot")
	cmd.Flags().StringVar(&o.output, "output", "", "write the index to this snapshot, and start with it if it exists")
	cmd.Flags().BoolVar(&o.put, "put", false, "put the snapshot where --snapshots says, as the latest of the branch")
	cmd.Flags().BoolVar(&o.ifChanged, "if-changed", false, "do nothing if the snapshot matches the tree exactly")
	cmd.Flags().StringArrayVar(&o.scip, "scip", nil, "a SCIP index of this tree, which is believed before what Quarry finds itself; may be repeated")
	cmd.Flags().StringVar(&o.sign, "sign", "", "sign the snapshot with the Ed25519 private key in this file, PKCS #8 in PEM")
	cmd.Flags().IntVar(&o.words, "words", 0, "have the report list so many words, by hash, that most chunks have")
	cmd.Flags().BoolVar(&o.leftOut, "left-out", false, "have the snapshot hold the texts of files that are not indexed, up to 64 MiB")
	for _, name := range []string{"words", "left-out"} { // they are there; a worker asks for them
		_ = cmd.Flags().MarkHidden(name)
	}
	cmd.Flags().StringVar(&o.madeBy, "made-by", "", "the job or machine that the snapshot names as its maker")
	invocation.AddYesFlag(cmd.Flags())
	config.AddFlags(cmd.Flags(), config.RootFlag|config.IndexFlags|config.SnapshotFlags)
	return cmd
}

// indexReport is what --json prints.
type indexReport struct {
	Root        string               `json:"root"`
	Partial     bool                 `json:"partial"` // exit code 3
	Files       int                  `json:"files"`
	Chunks      int                  `json:"chunks"`
	Symbols     int                  `json:"symbols"`
	References  int                  `json:"references"`
	SourceBytes int64                `json:"source_bytes"`
	Seconds     float64              `json:"seconds"`
	MBPerSecond float64              `json:"mb_per_second"` // 10^6 bytes of source
	Languages   map[string]int       `json:"languages"`
	Skipped     int                  `json:"skipped"`
	Reasons     map[string]int       `json:"reasons"`
	NoGrammar   int                  `json:"no_grammar"`
	ParseErrors int                  `json:"parse_errors"`
	Unparsed    map[string]int       `json:"unparsed,omitempty"` // indexed as text, by what became of their parser
	IgnoredBy   string               `json:"ignored_by"`
	IgnoredWhy  string               `json:"ignored_why,omitempty"` // not by git, or not all of it
	Model       *modelReport         `json:"model"`
	NoModel     string               `json:"no_model,omitempty"`       // why model is null
	Skips       []answer.SkippedFile `json:"skipped_files,omitempty"`  // with --verbose
	Texts       []answer.SkippedFile `json:"unparsed_files,omitempty"` // as above
	Snapshot    *snapshotReport      `json:"snapshot,omitempty"`       // with --output or --put
	Put         *putReport           `json:"put,omitempty"`            // with --put
	SCIPFiles   int                  `json:"scip_files"`               // of which SCIP indexes say something
	SCIP        *index.SCIPReport    `json:"scip,omitempty"`           // with --scip
	Words       []index.WordCount    `json:"words,omitempty"`          // with --words
}

// snapshotReport says what was done with a snapshot.
type snapshotReport struct {
	Path      string `json:"path"`
	Bytes     int64  `json:"bytes"`
	TakenOver int    `json:"files_taken_over"` // as they were in it before
	Parsed    int    `json:"files_parsed"`
	Embedded  int    `json:"chunks_embedded"`
	SignedBy  string `json:"signed_by"` // fingerprint of the key; "": unsigned
}

// unchangedReport is what --json prints with --if-changed when nothing is to be done.
type unchangedReport struct {
	Root      string `json:"root"`
	Path      string `json:"path"` // of the snapshot
	Unchanged bool   `json:"unchanged"`

	Put *putReport `json:"put,omitempty"` // with --put
}

type modelReport struct {
	Name    string `json:"name"`
	Dim     int    `json:"dim"`
	Backend string `json:"backend"`
	Reason  string `json:"reason"`
}

func newIndexReport(s index.Status) indexReport {
	r := indexReport{
		Root:        s.Root,
		Partial:     s.Coverage.Pending+s.Coverage.Reasons[reasonUnreadable]+s.Coverage.Reasons[reasonDeep]+s.Coverage.Reasons[reasonParser] > 0,
		Files:       s.Files,
		Chunks:      s.Chunks,
		Symbols:     s.Symbols,
		References:  s.References,
		SourceBytes: s.SourceBytes,
		Seconds:     s.BuildSeconds,
		Languages:   s.Coverage.Languages,
		Skipped:     s.Coverage.Skipped,
		Reasons:     s.Coverage.Reasons,
		NoGrammar:   s.Coverage.NoGrammar,
		ParseErrors: s.Coverage.Errors,
		Unparsed:    s.Coverage.Unparsed,
		IgnoredBy:   s.Coverage.Source,
		IgnoredWhy:  s.Coverage.SourceReason,
		Skips:       s.Coverage.Files,
		Texts:       s.Coverage.Texts,
		SCIPFiles:   s.SCIPFiles,
	}
	if r.Seconds > 0 {
		r.MBPerSecond = float64(r.SourceBytes) / 1e6 / r.Seconds
	}
	if m := s.Model; m != nil {
		r.Model = &modelReport{m.Name, m.Dim, m.Backend, m.Reason}
	}
	return r
}

// build indexes the root, prints the report and says whether files are missing.
func (o *indexOptions) build(cmd *cobra.Command, s config.Settings, root string) (partly bool, err error) {
	errOut := cmd.ErrOrStderr()
	key, err := privateKey(o.sign)
	if err != nil {
		return false, err
	}
	processors, gc, restore, err := machine.Tune(0, 0)
	if err != nil {
		return false, err
	}
	defer restore()
	x, noModel, closeIndex, err := engine.Open(s, root, true, index.Options{Logger: s.Logger(errOut), Workers: processors, Refine: o.refine})
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, closeIndex()) }()
	to, err := o.prepare(cmd.Context(), &s, root, errOut)
	defer to.end()
	if err != nil {
		return false, err
	}
	if o.output != "" {
		current, err := o.begin(cmd.Context(), x, key, s.Logger(errOut), gc)
		if err == nil && current {
			err = o.unchanged(cmd, root, to)
		}
		if current || err != nil {
			return false, invocation.Interrupted(cmd, err)
		}
	}
	gc.Loosen(collector.All) // until the end
	report, err := terminal.Build(cmd.Context(), x, errOut)
	if err != nil {
		return false, invocation.Interrupted(cmd, err)
	}
	var said *index.SCIPReport
	if len(o.scip) > 0 {
		taken, err := x.TakeSCIP(cmd.Context(), o.scip...)
		if err != nil {
			return false, invocation.Interrupted(cmd, err)
		}
		said = &taken
	}
	named := 0
	if o.verbose {
		named = math.MaxInt
	}
	st := x.Status(named)
	if st.Files == 0 {
		fmt.Fprintln(errOut, "quarry: "+terminal.NothingIndexed(st))
	}
	r := newIndexReport(st)
	r.NoModel, r.SCIP, r.Words = noModel, said, x.WordCounts(o.words)
	if o.output != "" {
		if r.Snapshot, err = o.save(cmd.Context(), x, key, report); err == nil {
			r.Put, err = to.put(cmd.Context(), root, o.output, o.madeBy, errOut)
		}
		if err != nil {
			return false, invocation.Interrupted(cmd, err)
		}
		r.Snapshot.Path = to.name(o.output)
	}
	if o.json {
		err = terminal.PrintJSON(cmd.OutOrStdout(), r)
	} else {
		err = r.print(cmd.OutOrStdout())
	}
	return r.Partial, err
}

// begin takes over what the snapshot holds, which may be anybody's: one that is to be
// signed must be signed already. It reports whether nothing is to be done.
func (o *indexOptions) begin(ctx context.Context, x *index.Index, key ed25519.PrivateKey, log *slog.Logger, gc *collector.Collector) (current bool, err error) {
	var keys []ed25519.PublicKey
	if key != nil {
		keys = append(keys, key.Public().(ed25519.PublicKey))
	}
	if o.ifChanged {
		current, err := x.Matches(ctx, o.output, keys...)
		if current || err != nil && !unfit(err) {
			return current, err
		}
	}
	err = host.Restore(x, log, gc, "", host.Given{Path: o.output, Keys: keys})
	switch {
	case errors.Is(err, index.ErrUntrusted):
		log.Warn("the index is rebuilt", "err", err)
	case !unfit(err):
		return false, err
	}
	return false, nil
}

// unfit reports whether a snapshot is none to begin with.
func unfit(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, index.ErrSnapshot) || errors.Is(err, index.ErrUntrusted)
}

func (o *indexOptions) save(ctx context.Context, x *index.Index, key ed25519.PrivateKey, did index.Report) (*snapshotReport, error) {
	opt := index.SaveOptions{Portable: true, Key: key, By: o.madeBy, LeftOut: o.leftOut}
	if o.madeBy != "" {
		opt.Made = time.Now()
	}
	if err := x.SaveWith(ctx, o.output, opt); err != nil {
		return nil, err
	}
	info, err := os.Stat(o.output)
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	r := &snapshotReport{
		Path: o.output, Bytes: info.Size(), TakenOver: did.Unchanged, Parsed: did.Added + did.Changed, Embedded: did.Embedded,
	}
	if key != nil {
		r.SignedBy = index.Fingerprint(key.Public().(ed25519.PublicKey))
	}
	return r, nil
}
