package mixed

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load"
	"github.com/quarry-search/quarry/cmd/quarry-lab/load/model"
)

// kinds are what clients ask, and how often, of a hundred.
var kinds = []struct {
	weight int
	draw   func(*mixed, *rand.Rand) question
}{
	{14, (*mixed).search}, {10, (*mixed).searchPlanted}, {6, (*mixed).searchSymbol}, {6, (*mixed).searchRegex},
	{2, (*mixed).batch}, {1, (*mixed).overlay}, {4, (*mixed).tagged}, {3, (*mixed).related},
	{6, (*mixed).grep}, {4, (*mixed).grepRaw}, {3, (*mixed).grepText}, {3, (*mixed).find}, {3, (*mixed).cat}, {3, (*mixed).catPart}, {2, (*mixed).handle},
	{4, (*mixed).calls}, {4, (*mixed).impact}, {3, (*mixed).context}, {3, (*mixed).trace}, {4, (*mixed).extract},
	{2, (*mixed).structure}, {2, (*mixed).skeleton}, {2, (*mixed).imports}, {1, (*mixed).summarize}, {1, (*mixed).startup},
	{2, (*mixed).state}, {2, (*mixed).refuse},
}

// draw chooses the next question of a client.
func (m *mixed) draw(r *rand.Rand) question {
	n := r.IntN(100)
	for _, kind := range kinds {
		if n -= kind.weight; n < 0 {
			return kind.draw(m, r)
		}
	}
	return m.state(r)
}

func (m *mixed) refuse(r *rand.Rand) question { return m.refused[r.IntN(len(m.refused))] }

// drawFunc chooses a planted function, and says in which file it was at that time.
func (m *mixed) drawFunc(r *rand.Rand) (name, file string) {
	for {
		paths, states := m.tree.Now()
		at := r.IntN(len(paths))
		if s := states[at].Source; s != nil {
			return s.Funcs[r.IntN(len(s.Funcs))].Name, paths[at]
		}
	}
}

// drawFile chooses a planted file.
func (m *mixed) drawFile(r *rand.Rand) string {
	paths, _ := m.tree.Now()
	return paths[r.IntN(len(paths))]
}

// drawFolder chooses the folder of a planted file.
func (m *mixed) drawFolder(r *rand.Rand) string { return path.Dir(m.drawFile(r)) }

// mayBeGone complains of an answer that a folder does not exist while it had files.
func (m *mixed) mayBeGone(folder string, r *reply) []string {
	for file, states := range m.tree.Planted(folder, r.window) {
		if !slices.ContainsFunc(states, func(s model.State) bool { return s.Gone }) {
			return []string{file + " is there"}
		}
	}
	return nil
}

// mentions complains of an answer about a planted function that does not say where it is.
func (m *mixed) mentions(name string, got load.Answer, r *reply) []string {
	defined := m.definitions(name, r.window)
	if got.Code != "" {
		for file, states := range defined {
			if got.Code != "not_found" || !slices.ContainsFunc(states, func(s model.State) bool { return span(s, name) == nil }) {
				return []string{fmt.Sprintf("%s: %s defines %s", got.Code, file, name)}
			}
		}
		return nil
	}
	for file, states := range defined {
		for _, s := range states {
			if f := span(s, name); f != nil && strings.Contains(string(got.Text), fmt.Sprintf("%s:%d", file, f.Line)) {
				return nil
			}
		}
	}
	return []string{fmt.Sprintf("it does not say where %s is", name)}
}
