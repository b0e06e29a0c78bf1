package envelope

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/grep"
)

func (q *grepRequest) local(cmd *cobra.Command, s config.Settings, root string) (found int, err error) {
	err = engine.Use(s, root, false, func(x *index.Index) error {
		found, err = x.GrepRaw(cmd.Context(), grep.GrepQuery{
			Pattern: q.Pattern, Literal: q.Literal, IgnoreCase: q.IgnoreCase, Word: q.Word, Path: q.Path, Glob: q.Glob,
		}, grep.RawOptions{Name: te.Base(q.Base).Path, Limit: q.Limit}, cmd.OutOrStdout())
		return err
	})
	return found, err
}

func (q *catRequest) local(cmd *cobra.Command, s config.Settings, root string) (found int, err error) {
	err = engine.Use(s, root, false, func(x *index.Index) error {
		f, err := x.Read(cmd.Context(), grep.ReadQuery{Path: q.Path, Start: q.Start, End: q.End})
		if err != nil {
			return err
		}
		found = f.Lines
		_, err = io.WriteString(cmd.OutOrStdout(), f.Text)
		return err
	})
	return found, err
}

func (q *findRequest) local(cmd *cobra.Command, s config.Settings, root string) (found int, err error) {
	err = engine.Use(s, root, false, func(x *index.Index) error {
		f, err := x.Find(cmd.Context(), grep.FindQuery{Path: q.Path, Name: q.Name, Type: q.Type, Limit: q.Limit})
		if err != nil {
			return err
		}
		found = f.Total
		_, err = io.WriteString(cmd.OutOrStdout(), te.RawPaths(te.Base(q.Base), f.Paths))
		return err
	})
	return found, err
}
