package source

import (
	"flag"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/git"
	"github.com/quarry-search/quarry/index/git/gittest"
)

var everywhere = flag.Bool("everywhere", false, "TestHostile makes each case in each kind of place, and not in one or two")

// TestHostile reaches hostile repositories in each kind of place by all that asks git. Nothing
// that they name may run, nothing outside be told, and nothing wait for ever; and what is in
// the tree is found whatever becomes of git.
func TestHostile(t *testing.T) {
	noSettings(t)
	maker := gittest.New(t)
	for i, c := range gittest.Cases() {
		kinds := gittest.Kinds
		switch {
		case *everywhere:
		case c.Bites != "":
			kinds = []string{"root", gittest.Kinds[1+i%3]}
		default:
			kinds = gittest.Kinds[i%4:][:1]
		}
		for _, kind := range kinds {
			t.Run(c.Name+" as "+kind, func(t *testing.T) {
				t.Parallel()
				place := maker.Make(t, kind, c)
				tree := open(t, place.Root)
				prefix := strings.TrimPrefix(strings.TrimPrefix(place.Work, place.Root), "/")
				files, skips, err := tree.Walk(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				told := summary(files, skips)
				for _, want := range []string{"a.go", "dir/b.go"} {
					want = join(prefix, want)
					if listed := strings.Contains("\n"+strings.Join(told, "\n")+"\n", "\n"+want+"\n"); !listed {
						t.Errorf("%s is not listed: %q", want, told)
					}
					found, _, gone, err := tree.Lookup(t.Context(), []string{want})
					if err != nil || len(found) != 1 || len(gone) > 0 {
						t.Errorf("%s by itself: %v %v %v", want, found, gone, err)
					}
				}
				if _, err := tree.Admit(t.Context(), join(prefix, "new.go")); err != nil {
					t.Error(err)
				}
				head, err := tree.HeadCommit(t.Context())
				if err != nil {
					t.Error(err)
				}
				told = append(told, head)
				_, why := tree.Source()
				told = append(told, why)
				client := git.New(git.Options{})
				defer client.Close()
				told = append(told, whole(t, client, place.Work)...)
				if all := strings.Join(told, "\n"); strings.Contains(all, gittest.Outsider) {
					t.Errorf("something outside is told: %s", all)
				}
				if ran := place.Ran(t); len(ran) > 0 {
					t.Errorf("%d programs ran", len(ran))
				}
				if opened := place.Opened(t); len(opened) > 0 {
					t.Errorf("%q are opened outside", opened)
				}
			})
		}
	}
}

// whole returns all that git can be asked about a folder. Where it refuses, that is told.
func whole(t *testing.T, client *git.Client, folder string) (told []string) {
	r, err := client.Around(t.Context(), folder)
	if err != nil {
		return []string{err.Error()}
	}
	list, err := r.List(t.Context(), folder, toolFolders, nil)
	told = append(list, failure(err))
	head, err := r.Head()
	told = append(told, head, failure(err))
	log, err := r.Log(t.Context(), folder, 10)
	told = append(told, log, failure(err))
	diff, err := r.Diff(t.Context(), folder, "main", 1<<20)
	told = append(told, diff, failure(err))
	_, err = r.Leaves(t.Context(), folder+"/dir")
	return append(told, failure(err))
}

func failure(err error) string {
	if err != nil {
		return err.Error()
	}
	return ""
}

// TestHostileBites shows that the cases are what they are meant to be: plain git runs what
// they name.
func TestHostileBites(t *testing.T) {
	noSettings(t)
	maker := gittest.New(t)
	n := 0
	for _, c := range gittest.Cases() {
		if c.Bites == "" {
			continue
		}
		n++
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			place := maker.Make(t, "root", c)
			place.Bite(t, c)
			if len(place.Ran(t)) == 0 {
				t.Errorf("%q runs nothing", c.Bites)
			}
		})
	}
	if n < 20 {
		t.Errorf("%d cases", n)
	}
}
