package envelope

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/question"
)

// A ragRequest is a search in the form of the envelope.
type ragRequest struct {
	wire.SearchRequest
	answerForm
}

func (q *ragRequest) parts() (*string, *wire.Scope, *answerForm) {
	return &q.Path, &q.Scope, &q.answerForm
}
func (q *ragRequest) here() bool                                { return false }
func (q *ragRequest) place(string, []string) (*[]string, error) { return nil, nil }

// newRag returns rag search.
func (o *options) newRag() *cobra.Command {
	rag := &cobra.Command{Use: "rag", Short: "Search by meaning", Args: invocation.NoArguments, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	var q ragRequest
	search := &cobra.Command{
		Use: "search QUERY...", Short: "Find code by meaning, words and symbols, the best first",
		Args: func(_ *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, "")) == "" {
				return errors.New("a query is needed")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Query = strings.Join(args, " ")
			if o.raw {
				_, err := q.local(cmd, config.Settings{}, "")
				return err
			}
			return ask(cmd, "rag", false, &q)
		},
	}
	fs := search.Flags()
	fs.StringVarP(&q.Path, "path", "p", "", "only below this file or folder")
	invocation.AddGlobFlag(fs, &q.Glob)
	fs.IntVarP(&q.Limit, "limit", "m", 0, "the most results")
	fs.StringSliceVar(&q.Lang, "lang", nil, "only these languages, such as go,python")
	fs.StringSliceVar(&q.Kind, "kind", nil, "only symbols of these kinds, such as function,class")
	fs.StringVar((*string)(&q.Role), "role", "", "only definition, test or config")
	fs.StringVar((*string)(&q.Tests), "tests", "", "test code: with, as it is ranked; without; or only (default with)")
	fs.StringVar((*string)(&q.Mode), "mode", "", "hybrid (the default), lexical, semantic, symbol or regex")
	rag.AddCommand(search)
	return rag
}

// local searches as quarry search does, which asks the server or builds an index.
func (q *ragRequest) local(cmd *cobra.Command, _ config.Settings, _ string) (int, error) {
	args := []string{q.Query}
	cmd.LocalNonPersistentFlags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			args = append(args, "--"+f.Name+"="+v)
		}
	})
	search := question.NewSearchCommand()
	search.SilenceErrors, search.SilenceUsage = true, true
	for _, name := range []string{"root", "token-file"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			args = append(args, "--"+name, f.Value.String())
		}
	}
	search.SetArgs(append(args, "--"))
	search.SetOut(cmd.OutOrStdout())
	search.SetErr(cmd.ErrOrStderr())
	return 1, search.ExecuteContext(cmd.Context())
}
