package measure

import (
	"maps"
	"math"
	"slices"
	"time"
)

// An Outcome is the result of one question.
type Outcome struct {
	Repository, Language, Category string
	Row
}

// A Row is one line of a Summary.
type Row struct {
	Figures
	Cost
}

// A Summary has the means of many outcomes. The Figures are those of the
// benchmark: a mean over repositories of the means over their questions, so
// that each repository weighs the same; that of a category or language is the
// mean over the repositories that have it. A Cost is a mean over questions, as
// the published one is.
type Summary struct {
	All          Row            `json:"all"`
	Categories   map[string]Row `json:"categories"`
	Languages    map[string]Row `json:"languages"`
	Repositories map[string]Row `json:"repositories"`
}

// Summarize returns the means of outcomes, whose order does not matter but for
// the last digits.
func Summarize(outcomes []Outcome) Summary {
	return Summary{
		All:          group(outcomes, func(Outcome) string { return "" })[""],
		Categories:   group(outcomes, func(o Outcome) string { return o.Category }),
		Languages:    group(outcomes, func(o Outcome) string { return o.Language }),
		Repositories: group(outcomes, func(o Outcome) string { return o.Repository }),
	}
}

func group(outcomes []Outcome, key func(Outcome) string) map[string]Row {
	groups := map[string][]Outcome{}
	for _, o := range outcomes {
		groups[key(o)] = append(groups[key(o)], o)
	}
	out := map[string]Row{}
	for k, members := range groups {
		var costs []Cost
		repositories := map[string][]Figures{}
		for _, o := range members {
			costs = append(costs, o.Cost)
			repositories[o.Repository] = append(repositories[o.Repository], o.Figures)
		}
		var means []Figures
		for _, name := range slices.Sorted(maps.Keys(repositories)) {
			means = append(means, mean(repositories[name]))
		}
		out[k] = Row{mean(means), meanCost(costs)}
	}
	return out
}

func mean(all []Figures) Figures {
	var m Figures
	n := float64(len(all))
	for _, f := range all {
		m.Questions += f.Questions
		m.NDCG += f.NDCG / n
		m.First += f.First / n
		m.Recall1 += f.Recall1 / n
		m.Recall5 += f.Recall5 / n
		m.Recall10 += f.Recall10 / n
		m.MRR += f.MRR / n
		m.Recall3 += f.Recall3 / n
	}
	return m
}

func meanCost(all []Cost) Cost {
	var m Cost
	n := float64(len(all))
	for _, c := range all {
		m.Tokens += c.Tokens / n
		m.Spent += c.Spent / n
		for i := range c.Recall {
			m.Recall[i] += c.Recall[i] / n
		}
	}
	return m
}

// Percentile returns the least of the times that the share p, 0..1, of them do
// not exceed; 0 of none. It sorts times.
func Percentile(times []time.Duration, p float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[max(int(math.Ceil(float64(len(times))*p))-1, 0)]
}
