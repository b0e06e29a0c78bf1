package index

import "time"

// moveFor is how long move holds up answers at once. A checkout moves hundreds of files,
// which takes a second or two.
const moveFor = 5 * time.Millisecond

// move does those changes that only places in a file have felt, as of a comment or a
// blank line. The others stay for the next resolve, and with them all later ones of
// the same files. The caller holds mu, which move lets go of now and then: answers
// between two files see a part of the changes, and that the graph is behind.
func (c *callGraph) move() {
	for c.moveSome(time.Now().Add(moveFor)) {
		c.mu.Unlock()
		c.mu.Lock()
	}
}

// moveSome is move until some time, and reports whether there is more to look at. Only who
// holds mu takes changes away, so that the first ones are the same before and after.
func (c *callGraph) moveSome(until time.Time) (more bool) {
	c.pending.Lock()
	changes := c.changes
	idle := c.remaking != nil || c.missing.Load() || c.broken.Load()
	c.pending.Unlock()
	if idle {
		return false
	}
	stay := map[string]bool{}
	var kept []graphChange
	looked, tried, moved := 0, 0, 0 // moved: expressions
	for ; looked < len(changes); looked++ {
		change := changes[looked]
		// What was not there cannot move: of a first build that is all, and a pass for every
		// few of a hundred thousand changes would never end.
		if !change.stays && len(change.was) > 0 && !stay[change.path] {
			if tried > 0 && time.Now().After(until) {
				break
			}
			tried++
			if c.moveOne(&change) {
				if change.file != nil {
					moved += len(change.file.Exprs)
				}
				continue
			}
		}
		change.stays = true
		stay[change.path] = true
		kept = append(kept, change)
	}
	c.pending.Lock()
	defer c.pending.Unlock()
	c.changes = append(kept, c.changes[looked:]...)
	c.waiting -= moved
	return looked < len(changes)
}

func (c *callGraph) moveOne(change *graphChange) bool {
	old, err := c.forms.restore(change.was, nil)
	now, failed := c.forms.restore(change.now, nil)
	if err != nil || failed != nil || now == nil || !c.graph.Move(change.path, old, now) {
		return false
	}
	c.held.keep(change.path, change.now)
	return true
}
