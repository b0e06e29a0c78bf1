package summary

import (
	"slices"
	"strings"
)

// mostBullets is how many units L2 takes; the specification's 500 tokens have no room for
// more sentences of the usual length.
const mostBullets = 14

// mostOfTopic is how many bullets L2 has of a goal, a focus, a decision, a blocker or a next
// step: a text that is about errors has their words in every sentence.
const mostOfTopic = 4

// leastBullet is what a unit must be worth, besides those that were chosen, to be one more:
// L2 has no filling.
const leastBullet = 0.1

// sectionsOfL2 are the four parts of the specification's L2 in their order; the fourth, the
// references, is made of names.
var sectionsOfL2 = [...][]topic{{goal, focus}, {decision, technical, nothing}, {blocker, next}}

// bullets makes L2.
func (t *texter) bullets(units []ranked) (string, bool) {
	references, truncated := t.references()
	c := newChoice(units)
	of := func(topics ...topic) func(*ranked) bool {
		return func(r *ranked) bool { return says(r) && slices.Contains(topics, r.topic) }
	}
	// One of each kind first; the rest goes by what it is worth.
	turns := []func(*ranked) bool{of(goal), of(decision), of(blocker), of(focus), of(next), of(decision), of(blocker)}
	most := min(mostBullets, max(6, len(units)/2))
	var chosen []*ranked
	taken := map[topic]int{}
	for turn := 0; len(chosen) < most; turn++ {
		var may func(*ranked) bool
		if turn < len(turns) {
			may = turns[turn]
		} else {
			c.least = leastBullet
			may = func(r *ranked) bool { return says(r) && (r.topic.label() == "" || taken[r.topic] < mostOfTopic) }
		}
		i := c.best(may)
		if i < 0 && turn < len(turns) {
			continue
		}
		if i < 0 {
			break
		}
		with := append(slices.Clone(chosen), &units[i])
		if !t.fits(bulleted(with, references)) {
			truncated = true
			continue
		}
		chosen = with
		taken[units[i].topic]++
	}
	if len(chosen) == 0 {
		if references != "" {
			return references, true
		}
		return t.cutBest(units, "- ")
	}
	return bulleted(chosen, references), truncated
}

// references is the bullet of files and functions. It takes a third of the budget at most.
func (t *texter) references() (string, bool) {
	functions := functionsIn(t.content)
	files, cut := listing("Files: ", t.files, mostReferences, t.budget/5, t.Count)
	names, more := listing("Functions: ", functions, mostReferences, t.budget/5, t.Count)
	parts := slices.DeleteFunc([]string{files, names}, func(s string) bool { return s == "" })
	if len(parts) == 0 {
		return "", cut || more
	}
	return "- " + strings.Join(parts, ". "), cut || more
}

// mostReferences is how many files, and how many functions, L2 names.
const mostReferences = 12

// bulleted puts units under their parts, in the order of the text within each.
func bulleted(units []*ranked, references string) string {
	units = slices.Clone(units)
	slices.SortFunc(units, func(a, b *ranked) int { return a.order - b.order })
	var lines []string
	for _, topics := range sectionsOfL2 {
		for _, topic := range topics {
			if topic == nothing {
				continue
			}
			for _, u := range units {
				if u.topic == topic || topic == technical && u.topic == nothing {
					lines = append(lines, "- "+labelOf(u)+u.shown())
				}
			}
		}
	}
	if references != "" {
		lines = append(lines, references)
	}
	return strings.Join(lines, "\n")
}

// labelOf is what a bullet begins with, unless the unit says so itself.
func labelOf(u *ranked) string {
	if labelled().MatchString(u.text) || u.form == entry || u.form == failure || u.form == frame || u.form == code {
		return ""
	}
	word := strings.ToLower(strings.TrimSuffix(u.topic.label(), ": "))
	if word != "" && strings.HasPrefix(strings.ToLower(u.text), word) {
		return ""
	}
	return u.topic.label()
}
