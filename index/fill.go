package index

// A form is how something is given for tokens.
type form int

const (
	nowhere form = iota
	short        // brief, or a reference
	full
)

// An offer is something that a reader may be given in one of its forms.
type offer struct {
	worth [3]float64
	cost  [3]int // 0 but for nowhere: there is no such form
	most  form   // that there is
	given form
	group int // whose title costs, too, when nothing else of the group is given
}

// fill gives of the offers what adds most worth for its cost, one step after the other,
// until nothing more fits what is left to spend. titles are the costs by group; nil: there
// are none. It returns what is left.
func fill(offers []*offer, titles []int, left int) int {
	open := make([]bool, len(titles))
	for {
		var best *offer
		var step form
		most, price := 0.0, 0
		for _, o := range offers {
			extra := 0
			if titles != nil && !open[o.group] {
				extra = titles[o.group]
			}
			for f := o.given + 1; f <= o.most; f++ {
				more := o.cost[f] - o.cost[o.given] + extra
				if o.cost[f] == 0 || more > left {
					continue
				}
				if gain := (o.worth[f] - o.worth[o.given]) / float64(max(more, 1)); gain > most {
					best, step, most, price = o, f, gain, more
				}
			}
		}
		if best == nil {
			return left
		}
		best.given = step
		left -= price
		if titles != nil {
			open[best.group] = true
		}
	}
}
