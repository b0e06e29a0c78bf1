package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/index"
)

// evalDepth is how many results count: the figures are at 10, as the published
// ones are.
const evalDepth = 10

// A suite is a list of repositories with questions and the files that answer
// them.
type suite []suiteRepository

type suiteRepository struct {
	Name     string       `json:"name"` // the folder below the corpus
	Language string       `json:"language"`
	Root     string       `json:"root"` // what is indexed, relative to the repository; "": all
	Queries  []suiteQuery `json:"queries"`
}

type suiteQuery struct {
	Query    string        `json:"query"`
	Category string        `json:"category"`
	Targets  []suiteTarget `json:"targets"`
}

type suiteTarget struct {
	Path  string `json:"path"` // relative to the repository
	Start int    `json:"start_line"`
	End   int    `json:"end_line"`
}

// figures are means over queries, or over repositories of such means.
type figures struct {
	Queries int     `json:"queries"`
	NDCG    float64 `json:"ndcg@10"`
	Recall  float64 `json:"recall@10"`
	First   float64 `json:"recall@1"`
	MRR     float64 `json:"mrr"`
}

type evalReport struct {
	All          figures            `json:"all"` // mean of the repositories' means
	Categories   map[string]figures `json:"categories"`
	Languages    map[string]figures `json:"languages"`
	Repositories map[string]figures `json:"repositories"`
	P50          float64            `json:"p50_ms"` // of a request over loopback
	P95          float64            `json:"p95_ms"`
}

type evalOptions struct {
	suite  string
	corpus string
	json   bool
	misses bool
}

func newEvalCommand() *cobra.Command {
	var o evalOptions
	cmd := &cobra.Command{
		Use:   "eval --suite FILE --corpus DIR",
		Short: "Measure how well searches find what they should",
		Long: `Eval serves each repository of a suite, asks it the suite's questions over
HTTP, and compares the answers with the files that the suite names.

The suite is a JSON array of {name, language, root, queries: [{query, category,
targets: [{path, start_line, end_line}]}]}. The repositories lie in folders of
the corpus by their names, checked out at the commit that the suite was made
for. A target counts at the first result whose file is the target's and, where
it names lines, whose lines overlap them. NDCG@10 has binary gain, with all
targets on top as the ideal. The overall figure is the mean over repositories
of the mean over their queries; that of a category is the mean over the
repositories that have it.

Exit codes: 0 measured, 1 an error.`,
		Example: `  quarry eval --suite dev.json --corpus ~/corpus
  quarry eval --suite dev.json --corpus ~/corpus --misses`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := loadSettings(cmd)
			if err != nil {
				return err
			}
			return o.run(cmd, s)
		},
	}
	cmd.Flags().StringVar(&o.suite, "suite", "", "the suite, a JSON file")
	cmd.Flags().StringVar(&o.corpus, "corpus", "", "the folder that holds the repositories")
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON object")
	cmd.Flags().BoolVar(&o.misses, "misses", false, "name the questions whose first target is not the first result")
	for _, name := range []string{"suite", "corpus"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flag was defined above
		}
	}
	addFlags(cmd.Flags(), indexFlags)
	return cmd
}

func (o evalOptions) run(cmd *cobra.Command, s settings) error {
	text, err := os.ReadFile(o.suite)
	if err != nil {
		return fmt.Errorf("cannot read the suite: %w", err)
	}
	var repositories suite
	if err := json.Unmarshal(text, &repositories); err != nil {
		return fmt.Errorf("the suite %s is not what it should be: %w", o.suite, err)
	}
	if len(repositories) == 0 {
		return fmt.Errorf("the suite %s is empty", o.suite)
	}
	e := evaluation{errOut: io.Discard}
	if o.misses {
		e.errOut = cmd.ErrOrStderr()
	}
	for _, r := range repositories {
		if err := e.repository(cmd.Context(), s, r, filepath.Join(o.corpus, r.Name)); err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	report := e.report()
	if o.json {
		return printJSON(cmd.OutOrStdout(), report)
	}
	return report.print(cmd.OutOrStdout())
}

// evaluation gathers the outcome of every query.
type evaluation struct {
	outcomes []outcome
	latency  []time.Duration
	errOut   io.Writer
}

type outcome struct {
	repository, language, category string
	figures
}

func (e *evaluation) repository(ctx context.Context, s settings, r suiteRepository, folder string) (err error) {
	x, _, stop, err := openIndex(s, filepath.Join(folder, r.Root), true, index.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	if _, err := x.Build(ctx, nil); err != nil {
		return err
	}
	server, err := api.New(api.Options{Index: x})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	h := &http.Server{Handler: server.Handler(), ReadHeaderTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(listener) }()
	client := &http.Client{Transport: &http.Transport{}}
	defer func() {
		client.CloseIdleConnections()
		err = errors.Join(err, h.Close())
		<-ended
	}()
	for _, q := range r.Queries {
		results, took, err := putQuestion(ctx, client, "http://"+listener.Addr().String(), q.Query)
		if err != nil {
			return err
		}
		for i := range results {
			results[i].File = path.Join(r.Root, results[i].File)
		}
		f := measure(q.Targets, results)
		if f.First == 0 {
			fmt.Fprintf(e.errOut, "%s\t%s\t%.2f\t%q\twant %s\tgot", r.Name, q.Category, f.NDCG, q.Query, q.Targets[0].Path)
			for _, result := range results[:min(3, len(results))] {
				fmt.Fprintf(e.errOut, " %s:%d", result.File, result.Line)
			}
			fmt.Fprintln(e.errOut)
		}
		e.outcomes = append(e.outcomes, outcome{r.Name, r.Language, q.Category, f})
		e.latency = append(e.latency, took)
	}
	return nil
}

func putQuestion(ctx context.Context, client *http.Client, url, query string) ([]index.Result, time.Duration, error) {
	body, err := json.Marshal(map[string]any{"query": query, "limit": evalDepth})
	if err != nil {
		return nil, 0, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/search", bytes.NewReader(body))
	if err != nil {
		return nil, 0, err
	}
	began := time.Now()
	response, err := client.Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	took := time.Since(began)
	if err != nil {
		return nil, 0, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, 0, fmt.Errorf("%q: %s: %s", query, response.Status, text)
	}
	var answer struct {
		Results []index.Result `json:"results"`
	}
	return answer.Results, took, json.Unmarshal(text, &answer)
}

// measure compares a ranked list with the targets. The discounted cumulative
// gain of a target at rank r is 1/log2(r+1) (Järvelin and Kekäläinen, 2002).
func measure(targets []suiteTarget, results []index.Result) figures {
	f := figures{Queries: 1}
	ideal := 0.0
	for i, t := range targets {
		ideal += 1 / math.Log2(float64(i)+2)
		at := slices.IndexFunc(results, func(r index.Result) bool {
			return r.File == t.Path && (t.Start == 0 || r.Line <= max(t.End, t.Start) && r.EndLine >= t.Start)
		})
		if at < 0 || at >= evalDepth {
			continue
		}
		f.NDCG += 1 / math.Log2(float64(at)+2)
		f.Recall += 1 / float64(len(targets))
		f.MRR = max(f.MRR, 1/float64(at+1))
		if at == 0 {
			f.First = 1
		}
	}
	if ideal > 0 {
		f.NDCG /= ideal
	}
	return f
}

func (e *evaluation) report() evalReport {
	by := func(key func(outcome) string) map[string]figures {
		groups := map[string]map[string][]figures{}
		for _, o := range e.outcomes {
			k := key(o)
			if groups[k] == nil {
				groups[k] = map[string][]figures{}
			}
			groups[k][o.repository] = append(groups[k][o.repository], o.figures)
		}
		out := map[string]figures{}
		for k, repositories := range groups {
			var means []figures
			for _, name := range slices.Sorted(maps.Keys(repositories)) {
				means = append(means, mean(repositories[name]))
			}
			out[k] = mean(means)
		}
		return out
	}
	r := evalReport{
		All:          by(func(outcome) string { return "" })[""],
		Categories:   by(func(o outcome) string { return o.category }),
		Languages:    by(func(o outcome) string { return o.language }),
		Repositories: by(func(o outcome) string { return o.repository }),
	}
	slices.Sort(e.latency)
	if n := len(e.latency); n > 0 {
		r.P50 = float64(e.latency[n/2].Microseconds()) / 1e3
		r.P95 = float64(e.latency[n*95/100].Microseconds()) / 1e3
	}
	return r
}

func mean(all []figures) figures {
	var m figures
	n := float64(len(all))
	for _, f := range all {
		m.Queries += f.Queries
		m.NDCG += f.NDCG / n
		m.Recall += f.Recall / n
		m.First += f.First / n
		m.MRR += f.MRR / n
	}
	return m
}

func (r evalReport) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\tqueries\tNDCG@10\trecall@10\trecall@1\tMRR")
	row := func(name string, f figures) {
		fmt.Fprintf(table, "%s\t%d\t%.3f\t%.3f\t%.3f\t%.3f\n", name, f.Queries, f.NDCG, f.Recall, f.First, f.MRR)
	}
	for _, group := range []map[string]figures{r.Categories, r.Languages, r.Repositories} {
		names := slices.SortedFunc(maps.Keys(group), func(a, b string) int {
			return cmp.Or(cmp.Compare(group[b].NDCG, group[a].NDCG), cmp.Compare(a, b))
		})
		for _, name := range names {
			row(name, group[name])
		}
		fmt.Fprintln(table, "\t\t\t\t\t")
	}
	row("all", r.All)
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "a request takes %.2f ms (median), %.2f ms (95th percentile)\n", r.P50, r.P95)
	return err
}
