package callgraph

import "time"

// moveFor is how long move holds up answers at once. A checkout moves hundreds of files,
// which takes a second or two.
const moveFor = 5 * time.Millisecond

// move does those changes that only places in a file have felt, as of a comment or a
// blank line. The others stay for the next resolve, and with them all later ones of
// the same files. The caller holds mu, which move lets go of now and then: answers
// between two files see a part of the changes, and that the graph is behind.
func (c *Graph) move() {
	for c.moveSome(time.Now().Add(moveFor)) {
		c.Mu.Unlock()
		c.Mu.Lock()
	}
}

// moveSome is move until some time, and reports whether there is more to look at. Only who
// holds mu takes changes away, so that the first ones are the same before and after.
func (c *Graph) moveSome(until time.Time) (more bool) {
	c.pending.Lock()
	changes := c.Changes
	idle := c.remaking != nil || c.Missing.Load() || c.Broken.Load()
	c.pending.Unlock()
	if idle {
		return false
	}
	stay := map[string]bool{}
	var kept []Change
	looked, tried, moved := 0, 0, 0 // moved: expressions
	for ; looked < len(changes); looked++ {
		change := changes[looked]
		// What was not there cannot move: of a first build that is all, and a pass for every
		// few of a hundred thousand changes would never end.
		if !change.stays && len(change.Was) > 0 && !stay[change.Path] {
			if tried > 0 && time.Now().After(until) {
				break
			}
			tried++
			if c.moveOne(&change) {
				if change.File != nil {
					moved += len(change.File.Exprs)
				}
				continue
			}
		}
		change.stays = true
		stay[change.Path] = true
		kept = append(kept, change)
	}
	c.pending.Lock()
	defer c.pending.Unlock()
	c.Changes = append(kept, c.Changes[looked:]...)
	c.waiting -= moved
	return looked < len(changes)
}

func (c *Graph) moveOne(change *Change) bool {
	old, err := c.Forms.Unpack(change.Was, nil)
	now, failed := c.Forms.Unpack(change.Now, nil)
	if err != nil || failed != nil || now == nil || !c.Graph.Move(change.Path, old, now) {
		return false
	}
	c.Held.Keep(change.Path, change.Now)
	c.Version.Add(1)
	return true
}
