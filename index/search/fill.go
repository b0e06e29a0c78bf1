package search

// A Form is how something is given for tokens.
type Form int

const (
	Nowhere Form = iota
	Short        // brief, or a reference
	Full
	Whole // more than was asked for, where there is room
	forms
)

// An Offer is something that a reader may be given in one of its forms.
type Offer struct {
	Worth [forms]float64
	Cost  [forms]int // 0 but for nowhere: there is no such form
	Most  Form       // that there is
	Given Form
	Group int // whose title costs, too, when nothing else of the group is given
}

// Fill gives of the offers what adds most worth for its cost, one step after the other,
// until nothing more fits what is left to spend. titles are the costs by group; nil: there
// are none. It returns what is left.
func Fill(offers []*Offer, titles []int, left int) int {
	open := make([]bool, len(titles))
	for {
		var best *Offer
		var step Form
		most, price := 0.0, 0
		for _, o := range offers {
			extra := 0
			if titles != nil && !open[o.Group] {
				extra = titles[o.Group]
			}
			for f := o.Given + 1; f <= o.Most; f++ {
				more := o.Cost[f] - o.Cost[o.Given] + extra
				if o.Cost[f] == 0 || more > left {
					continue
				}
				if gain := (o.Worth[f] - o.Worth[o.Given]) / float64(max(more, 1)); gain > most {
					best, step, most, price = o, f, gain, more
				}
			}
		}
		if best == nil {
			return left
		}
		best.Given = step
		left -= price
		if titles != nil {
			open[best.Group] = true
		}
	}
}
