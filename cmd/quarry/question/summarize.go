package question

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/brief"
	"github.com/quarry-search/quarry/index/summary"
	"github.com/quarry-search/quarry/index/tokens"
)

// maxContent is how much of a file or of the standard input is summarised without a server,
// in bytes. A server takes a body of 1 MiB.
const maxContent = 8 << 20

// A summarizeRequest also knows a text that is empty.
type summarizeRequest struct {
	wire.SummarizeRequest
	Content *string `json:"content,omitempty"`
}

// A summarizeAnswer is one below what is printed with it, which has an index of its own.
type summarizeAnswer struct{ wire.SummarizeResponse }

func newSummarizeCommand() *cobra.Command {
	var o askOptions
	var q summarizeRequest
	var content string
	cmd := &cobra.Command{
		Use:   "summarize [PATH... | SYMBOL | WORDS...]",
		Short: "Summarise code or a text in few tokens",
		Long: `Summarize describes files, folders, a symbol or the results of a search, from their
syntax, comments and calls. Without arguments it describes the whole project. With
--content it summarises any text, by its own sentences; "-" is standard input. It asks
the running server as search does; without one it uses the index that is kept, which a
text does not need.

Arguments that are files or folders are paths, a single other word is a symbol, as
extract reads it, and several words are searched for.

The levels are L0, only the paths; L1, a line for each or three sentences; L2, the key
logic; L3, everything; and auto, by size: what costs less than 500 tokens is shown
unchanged. By default code has auto, and a text L1 from 500 tokens on.

A text is given to a language model only with --engine llm, or if the settings say so;
if anything goes wrong there, the local summary is shown.

Exit codes: 0 a summary, even an empty one; 1 an error, or not found.`,
		Example: `  quarry summarize internal/auth --level L1
  quarry summarize TokenService.validate
  quarry summarize --content session.md --max-tokens 200
  git log -20 | quarry summarize --content -`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if content == "" && len(args) == 1 && args[0] == "-" {
				content, args = "-", nil
			}
			if content != "" {
				if len(args) > 0 {
					return errors.New("--content and a target cannot both be given")
				}
				text, err := readContent(cmd.InOrStdin(), content)
				if err != nil {
					return err
				}
				q.Content = &text
			}
			return q.run(cmd, &o, args)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&content, "content", "", "the file with a text to summarise; -: standard input")
	fs.StringVar(&q.Kind, "kind", "", "what the text is: context, or, as JSON, handoff or recall")
	fs.StringVar(&q.Level, "level", "", "auto, L0, L1, L2 or L3")
	fs.IntVar(&q.MaxTokens, "max-tokens", 0, "the most tokens that the summary may cost (default by level: 100, 300, 600, 1500)")
	fs.StringVar(&q.Engine, "engine", "", "local, or llm for a text")
	fs.StringVar(&q.Tokenizer, "tokenizer", "estimate", "how tokens are counted: estimate, cl100k or o200k")
	o.addFlags(fs)
	config.AddFlags(fs, config.LLMFlags)
	return cmd
}

// readContent reads the text to summarise.
func readContent(stdin io.Reader, name string) (string, error) {
	from := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, folder.Reason(err))
		}
		defer f.Close()
		from = f
	} else {
		name = "the standard input"
	}
	text, err := io.ReadAll(io.LimitReader(from, maxContent+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: %w", name, folder.Reason(err))
	case len(text) > maxContent:
		return "", fmt.Errorf("%s has more than %d bytes", name, maxContent)
	case bytes.IndexByte(text, 0) >= 0:
		return "", fmt.Errorf("%s is no text", name)
	}
	return strings.ToValidUTF8(string(text), "\uFFFD"), nil
}

func (q *summarizeRequest) check() error {
	if q.MaxTokens < 0 {
		return fmt.Errorf("max-tokens must be 0 or more, not %d", q.MaxTokens)
	}
	for _, choice := range []struct {
		name, value string
		allowed     []string
	}{
		{"level", q.Level, []string{"auto", "L0", "L1", "L2", "L3"}},
		{"engine", q.Engine, []string{"local", "llm"}},
		{"tokenizer", q.Tokenizer, []string{"estimate", tokens.CL100K, tokens.O200K}},
		{"kind", q.Kind, []string{"context", "handoff", "recall"}},
	} {
		if choice.value != "" {
			if err := config.OneOf(choice.name, choice.value, choice.allowed...); err != nil {
				return err
			}
		}
	}
	if q.Content == nil && (q.Engine == "llm" || q.Kind != "") {
		return errors.New("--kind and the engine llm are for --content only")
	}
	return nil
}

func (q *summarizeRequest) run(cmd *cobra.Command, o *askOptions, args []string) error {
	if err := q.check(); err != nil {
		return err
	}
	var a struct {
		source
		summarizeAnswer
	}
	err := o.ask(cmd, &a.source, question{
		endpoint: "/summarize", request: q, scope: &q.Scope, answer: &a.SummarizeResponse,
		vectors: q.Content != nil || len(args) > 1, unbuilt: q.Content != nil,
		within: func(root string) error { return q.target(root, args) },
		local: func(ctx context.Context, x *index.Index) (answer.State, []answer.Cut, error) {
			state, err := q.local(ctx, cmd, x, &a.SummarizeResponse)
			return state, nil, err
		},
	})
	if err != nil {
		return err
	}
	stderr := cmd.ErrOrStderr()
	if q.Content == nil {
		a.note(stderr, 0, 0, "")
		var others []answer.Place
		for _, p := range a.Alternatives {
			others = append(others, answer.Place(p))
		}
		a.also(stderr, strings.Join(args, " "), others)
	}
	if a.Fallback {
		fmt.Fprintln(stderr, "quarry: the language model gave no summary, this is the local one")
	}
	if a.Truncated {
		fmt.Fprintf(stderr, "quarry: there is more than fits %d tokens\n", a.TokensOut)
	}
	if o.json {
		return terminal.PrintJSON(cmd.OutOrStdout(), a)
	}
	if a.Summary != "" {
		terminal.PrintText(cmd.OutOrStdout(), a.Summary)
	}
	return nil
}

// target says what the arguments are: paths, a symbol or words.
func (q *summarizeRequest) target(root string, args []string) error {
	if q.Content != nil {
		return nil
	}
	if len(args) == 0 {
		q.Paths = []string{""}
		return nil
	}
	for _, arg := range args {
		if _, err := os.Stat(invocation.Absolute(root, arg)); err == nil || filepath.IsAbs(arg) || strings.HasPrefix(arg, "..") {
			rel, err := invocation.RootPath(root, arg)
			if err != nil {
				return err
			}
			if rel == "." {
				rel = ""
			}
			q.Paths = append(q.Paths, rel)
		}
	}
	if len(q.Paths) == len(args) {
		return nil
	}
	q.Paths = nil
	if words := strings.Join(args, " "); strings.Contains(words, " ") {
		q.Query = words
		return nil
	}
	var err error
	q.Symbol, err = invocation.TargetPath(root, args[0], false)
	return err
}

// local answers without a server.
func (q *summarizeRequest) local(ctx context.Context, cmd *cobra.Command, x *index.Index, a *wire.SummarizeResponse) (answer.State, error) {
	count := tokens.Estimate
	if q.Tokenizer != "estimate" {
		counter, err := tokens.Encoding(q.Tokenizer)
		if err != nil {
			return answer.State{}, err
		}
		count = counter.Count
	}
	level := summary.Level(q.Level)
	if q.Content == nil {
		s, err := x.Summarize(ctx, brief.SummaryQuery{
			Paths: q.Paths, Symbol: q.Symbol, Query: q.Query, Level: level, MaxTokens: q.MaxTokens, Count: count,
		})
		*a = summarized("code", q.Tokenizer, &s)
		return s.State, err
	}
	kind := q.Kind
	if kind == "handoff" || kind == "recall" {
		s, err := q.formed(level, count)
		if err == nil && strings.TrimSpace(*q.Content) != "" {
			s.TokensIn = count(*q.Content)
		}
		*a = summarized(kind, q.Tokenizer, &s)
		return x.State(), err
	}
	s, err := x.SummarizeText(ctx, brief.TextQuery{Text: *q.Content, Level: level, MaxTokens: q.MaxTokens, Count: count})
	if err != nil {
		return s.State, err
	}
	*a = summarized("context", q.Tokenizer, &s)
	return s.State, q.byModel(ctx, cmd, a, count)
}

// formed reads the content as JSON.
func (q *summarizeRequest) formed(level summary.Level, count func(string) int) (brief.Summary, error) {
	var r summary.Result
	var handoff map[string]any
	var recall []map[string]any
	into := any(&handoff)
	if q.Kind == "recall" {
		into = &recall
	}
	if strings.TrimSpace(*q.Content) != "" {
		if err := json.Unmarshal([]byte(*q.Content), into); err != nil {
			return brief.Summary{}, fmt.Errorf("the content is not the JSON of a %s", q.Kind)
		}
	}
	if q.Kind == "recall" {
		r = summary.Recall(recall, level, q.MaxTokens, count)
	} else {
		r = summary.Handoff(handoff, level, q.MaxTokens, count)
	}
	return brief.Summary{Text: r.Text, Level: r.Level, TokensOut: r.TokensOut, Truncated: r.Truncated, Chunks: r.Chunks, Files: r.Files}, nil
}

// byModel has the configured language model make the summary, if it is asked for.
func (q *summarizeRequest) byModel(ctx context.Context, cmd *cobra.Command, a *wire.SummarizeResponse, count func(string) int) error {
	s, err := config.Load(cmd)
	if err != nil {
		return err
	}
	if q.Engine == "local" || q.Engine == "" && s.Summarize.Engine != "llm" {
		return nil
	}
	client, err := s.LLM()
	if err != nil {
		return err
	}
	if client == nil {
		return errors.New("no language model is configured: the only engine is local")
	}
	local := summary.Result{Text: a.Summary, Level: summary.Level(a.Level), TokensIn: a.TokensIn, TokensOut: a.TokensOut, Truncated: a.Truncated, Chunks: a.Chunks}
	r, by, why := client.Replace(ctx, *q.Content, local, q.MaxTokens, count)
	if err := ctx.Err(); err != nil {
		return err
	}
	a.Summary, a.TokensOut, a.Truncated, a.Chunks, a.Engine, a.Fallback = r.Text, r.TokensOut, r.Truncated, r.Chunks, by, why != nil
	return nil
}

// summarized is the answer with a summary that was made here.
func summarized(kind, tokenizer string, s *brief.Summary) wire.SummarizeResponse {
	a := wire.SummarizeResponse{
		Summary: s.Text, Level: string(s.Level), Kind: kind, TokensIn: s.TokensIn, TokensOut: s.TokensOut, Tokenizer: tokenizer, Engine: "local",
		Truncated: s.Truncated, Chunks: s.Chunks, Files: s.Files,
	}
	for _, p := range s.Others {
		a.Alternatives = append(a.Alternatives, wire.Place(p))
	}
	return a
}
