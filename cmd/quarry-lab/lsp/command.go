// Package lsp asks two language servers the same, to see how often Quarry's says what that of a
// language says, which has the compiler.
package lsp

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"
)

// options are the flags of `quarry-lab lsp`.
type options struct {
	server, against, extension string
	draw                       int
	seed                       uint64
	list, generated            bool
}

// Command returns `quarry-lab lsp`.
func Command() *cobra.Command {
	o := options{}
	cmd := &cobra.Command{
		Use:   "lsp DIR",
		Short: "Compare quarry lsp with the language server of a language",
		Long: `Lsp draws names of DIR for which the other server knows a definition there, and
functions. Both servers are asked for the definition, the type and the references of
each name, and for the calls of each function both ways; what the other server says counts as
right. Packages, files outside of DIR, of other modules of Go in it and of testdata do
not count, nor those of Go that are not built on this system, or that say that a
program wrote them. The hovers of Quarry are timed.`,
		Example: "  go install golang.org/x/tools/gopls@latest && quarry-lab lsp ~/zap --server 'bin/quarry lsp' --against gopls",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.server, "server", "quarry lsp", "`command` of Quarry's server")
	f.StringVar(&o.against, "against", "gopls", "`command` of the other server")
	f.StringVar(&o.extension, "extension", ".go", "`extension` of the files")
	f.IntVar(&o.draw, "draw", 200, "`number` of names, and of functions")
	f.Uint64Var(&o.seed, "seed", 1, "`number` that they are drawn by")
	f.BoolVar(&o.generated, "generated", false, "files of Go that a program wrote count, too")
	f.BoolVar(&o.list, "list", false, "list the places that one server alone has, three of each answer")
	return cmd
}

func (o *options) run(ctx context.Context, out io.Writer, dir string) (err error) {
	root, err := filepath.Abs(dir)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return err
	}
	c := &comparison{root: root, files: map[string]bool{}, texts: map[string][]string{}, list: o.list, out: out}
	if err := c.readFiles(o.extension, o.generated); err != nil {
		return err
	}
	if len(c.files) == 0 {
		return errors.New("lsp: there are no files of this extension")
	}
	for _, of := range []struct {
		command string
		into    **server
	}{{o.server, &c.ours}, {o.against, &c.other}} { // which may be the same command
		s, err := start(ctx, of.command, root)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.close()) }()
		if err := s.open(ctx, root); err != nil {
			return err
		}
		*of.into = s
	}
	return c.run(ctx, o.draw, o.seed)
}
