package cluster_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/quarry-search/quarry/cmd/quarry/worker"
)

// What TestMany asks: inside repositories, and across all.
const (
	askedInside = 400
	askedAcross = 300
)

// TestMany indexes the repositories of the folder QUARRY_CLUSTER_REMOTES, which has a repository of git in each of its
// folders, for two gateways and for one server. Inside of a repository their answers are the same; across all of
// them, where gateways do not ask all, what is found is nearly as good.
func TestMany(t *testing.T) {
	remotes := os.Getenv("QUARRY_CLUSTER_REMOTES")
	if remotes == "" {
		t.Skip("QUARRY_CLUSTER_REMOTES names no folder")
	}
	c := newCluster(t)
	entries, err := os.ReadDir(remotes)
	if err != nil {
		t.Fatal(err)
	}
	var names, roots []string
	for _, e := range entries {
		at := filepath.Join(remotes, e.Name())
		name := "example.com/" + strings.ReplaceAll(e.Name(), "+", "/")
		root := filepath.Join(c.dir, "clones", e.Name())
		c.run("git", "clone", "--quiet", "--depth=1", "--no-checkout", "file://"+at, root)
		c.write(filepath.Join(root, ".git/info/attributes"), worker.AsCommitted)
		c.run("git", "-C", root, "reset", "--quiet", "--hard")
		c.quarry("catalogue", "add", "--name", name, "file://"+at)
		names, roots = append(names, name), append(roots, root)
	}
	var working sync.WaitGroup
	for range 2 {
		working.Go(func() {
			out, err := c.command(os.Args[0], "worker", "--once", "--data-dir", t.TempDir()).CombinedOutput()
			if err != nil {
				t.Errorf("worker: %v\n%s", err, out)
			}
		})
	}
	working.Wait()
	one := c.serverWithin(10*time.Minute, roots...)
	for _, root := range roots {
		c.within(5*time.Minute, "the call graph of "+root, func() bool {
			return !strings.Contains(c.ask(one.url, root, "/calls", `{"limit": 1}`).answer, "call graph")
		})
	}
	t.Run("inside", func(t *testing.T) {
		c.of(t).manyInside(one, names, roots)
	})
	t.Run("across", func(t *testing.T) {
		c.of(t).manyAcross(one, names, roots)
	})
}

// of is the cluster in a part of its test, whose end what is started there does not outlive.
func (c *cluster) of(t *testing.T) *cluster {
	part := *c
	part.T = t
	return &part
}

// manyInside compares what gateways and a server answer about one repository each.
func (c *cluster) manyInside(one *process, names, roots []string) {
	random := rand.New(rand.NewPCG(31, 31))
	gateways := c.manyGateways(names, len(names))
	less, rounded := 0, 0
	for n := range askedInside {
		i := n % len(names)
		all := questions(sources(c.T, roots[i], random))
		q := all[random.IntN(len(all))]
		got := c.ask(gateways[n%2].url, names[i], q.path, q.body)
		want, have := c.alike(c.ask(one.url, roots[i], q.path, q.body), roots[i]), c.alike(got, names[i])
		if want != have && saysLess(got) {
			less++
			c.Logf("%s %s %s: it lacks something of files that are not indexed, and says so", names[i], q.path, q.body)
			continue
		}
		if want != have && scores.ReplaceAllString(want, "") == scores.ReplaceAllString(have, "") {
			rounded++ // sums of the same numbers in another order
			continue
		}
		if diff := gocmp.Diff(want, have); diff != "" {
			c.Errorf("%s %s %s (-one server +gateway):\n%.2000s", names[i], q.path, q.body, diff)
		}
	}
	c.Logf("%d answers inside of %d repositories compared: %d lack something of files that are not indexed and say so, %d differ in the last digit of a score", askedInside, len(names), less, rounded)
	if rounded > askedInside/100 {
		c.Errorf("%d answers have other scores", rounded)
	}
}

// manyAcross measures how much of what one server finds gateways find that do not ask all repositories.
func (c *cluster) manyAcross(one *process, names, roots []string) {
	asked := sentences(c.T, roots, rand.New(rand.NewPCG(31, 31)))
	best := 0.0
	for _, s := range asked {
		best += c.gain(one, `"projects": "*", `, s, names) / float64(len(asked))
	}
	c.Logf("one server: NDCG@10 %.3f of %d questions across %d repositories", best, len(asked), len(names))
	for _, across := range manyAsked(len(names)) {
		gateways := c.manyGateways(names, across)
		sum, has := 0.0, 0
		for i, s := range asked {
			g := gateways[i%2]
			sum += c.gain(g, "", s, names) / float64(len(asked))
			if strings.Contains(c.ask(g.url, "", "/search", fmt.Sprintf(`{"query": %q, "limit": 1}`, s.text)).answer, `{"project":"`+names[s.root]+`","index"`) {
				has++
			}
		}
		c.Logf("gateways that ask %d: %.3f, %.3f of that; the repository was asked %d times", across, sum, sum/best, has)
		if across >= 32 && sum < 0.97*best {
			c.Errorf("gateways that ask %d of %d repositories: %.3f of what one server finds", across, len(names), sum/best)
		}
	}
}

// scores are those of an answer, indented.
var scores = regexp.MustCompile(`"score": [0-9.]+,?\n`)

// saysLess reports whether a gateway says of an answer that a server, which has files that are not indexed, may have
// another.
func saysLess(a asked) bool {
	var v struct {
		Unread     int
		Incomplete []string
		Meta       struct {
			Cuts []string `json:"truncated_by"`
		}
	}
	unread := func(text string) bool { return strings.HasPrefix(text, "files that could not be read: ") }
	return json.Unmarshal([]byte(a.answer), &v) == nil && (v.Unread > 0 || slices.ContainsFunc(v.Incomplete, unread) || slices.Contains(v.Meta.Cuts, "left_out"))
}

// alike is same for answers of which one is of a server of several projects, which knows calls between them.
func (c *cluster) alike(a asked, root string) string {
	c.Helper()
	var v map[string]any
	if json.Unmarshal([]byte(a.answer), &v) != nil {
		return c.same(a, root)
	}
	delete(v, "across")
	if meta, ok := v["meta"].(map[string]any); ok {
		delete(meta, "unchecked")
	}
	text, err := json.Marshal(v)
	if err != nil {
		c.Fatal(err)
	}
	a.answer = string(text)
	return c.same(a, root)
}

// manyAsked are how many repositories gateways ask, in turn.
func manyAsked(all int) (list []int) {
	if text := os.Getenv("QUARRY_CLUSTER_ACROSS"); text != "" {
		for one := range strings.SplitSeq(text, ",") {
			n, _ := strconv.Atoi(one)
			list = append(list, n)
		}
		return list
	}
	return []int{all, 32}
}

// manyGateways starts two gateways, and returns when all repositories are in their memory.
func (c *cluster) manyGateways(names []string, across int) (gateways []*process) {
	c.Helper()
	ports := []string{c.freePort(), c.freePort()}
	peers := "http://127.0.0.1:" + ports[0] + ",http://127.0.0.1:" + ports[1]
	for _, port := range ports {
		gateways = append(gateways, c.serve("gateway", "--bind", "127.0.0.1", "--port", port, "--peers", peers, "--gateway-across", strconv.Itoa(across)))
	}
	for _, g := range gateways {
		c.eventually("the gateways know each other", func() bool { return c.figure(g, "quarry_gateway_peers_up") == 2 })
	}
	for _, name := range names {
		c.eventually(name+" is in memory", func() bool {
			return c.ask(gateways[0].url, name, "/search", `{"query": "x"}`).status == http.StatusOK
		})
	}
	return gateways
}

// sources are some files of a work tree.
func sources(t *testing.T, root string, random *rand.Rand) (files []txtar.File) {
	t.Helper()
	for _, path := range paths(t, root) {
		files = append(files, txtar.File{Name: path, Data: read(t, filepath.Join(root, path))})
	}
	random.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	return files[:min(len(files), 8)]
}

var code = regexp.MustCompile(`\.(go|py|js|ts|rb|rs|java|kt|cs|php|ex|c|h|cpp|cc|lua)$`)

func paths(t *testing.T, root string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root {
			return filepath.SkipDir
		}
		if rel, _ := filepath.Rel(root, path); err == nil && d.Type().IsRegular() && code.MatchString(path) {
			list = append(list, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A sentence is what is said above a definition, without its name, and where.
type sentence struct {
	text string
	root int
	file string
}

var (
	remark  = regexp.MustCompile(`^\s*(?://+!?|#+|\*|/\*\*|--+)\s+([A-Z][\w' ,-]{30,160})\.?\s*$`)
	ending  = regexp.MustCompile(`^\s*\*+/\s*$`)
	defines = regexp.MustCompile(`\b(?:func|def|function|class|fn|struct|interface|trait|void|int|static|public|const|local)\b[^=;]*?(\w+)\s*[({<:]`)
)

// sentences draws some, as many of each repository as it can.
func sentences(t *testing.T, roots []string, random *rand.Rand) (list []sentence) {
	t.Helper()
	var all [][]sentence
	for i, root := range roots {
		var of []sentence
		for _, path := range paths(t, root) {
			lines := strings.Split(string(read(t, filepath.Join(root, path))), "\n")
			for n := range lines[:max(0, len(lines)-2)] {
				m := remark.FindStringSubmatch(lines[n])
				if m == nil {
					continue
				}
				next := lines[n+1]
				if ending.MatchString(next) {
					next = lines[n+2]
				}
				if d := defines.FindStringSubmatch(next); d != nil && strings.Count(m[1], " ") >= 5 {
					text := regexp.MustCompile(`(?i)\b`+regexp.QuoteMeta(d[1])+`\b`).ReplaceAllString(m[1], "")
					of = append(of, sentence{strings.Join(strings.Fields(text), " "), i, path})
				}
			}
		}
		random.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
		all = append(all, of)
	}
	for n := 0; len(list) < askedAcross && n < askedAcross; n++ {
		for _, of := range all {
			if n < len(of) && len(list) < askedAcross {
				list = append(list, of[n])
			}
		}
	}
	return list
}

// gain is the NDCG@10 of the file that a sentence is from.
func (c *cluster) gain(p *process, projects string, s sentence, names []string) float64 {
	c.Helper()
	a := c.ask(p.url, "", "/search", fmt.Sprintf(`{%s"query": %q, "limit": 10}`, projects, s.text))
	var got struct {
		Results []struct{ Project, File string }
	}
	if a.status != http.StatusOK || json.Unmarshal([]byte(a.answer), &got) != nil {
		c.Fatalf("%q: %d %s", s.text, a.status, a.answer)
	}
	for i, r := range got.Results {
		if r.File == s.file && "example.com/"+strings.ReplaceAll(strings.TrimPrefix(r.Project, "example.com/"), "+", "/") == names[s.root] {
			return 1 / math.Log2(float64(i+2))
		}
	}
	return 0
}
