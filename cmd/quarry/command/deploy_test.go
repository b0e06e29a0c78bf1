package command

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const deployDir = "../../../deploy"

// A dashboard is what the tests read of Grafana's.
type dashboard struct {
	UID           string
	SchemaVersion int
	Panels        []struct {
		ID          int
		Type        string
		Title       string
		GridPos     struct{ X, Y, W, H int }
		FieldConfig struct{ Defaults struct{ Unit string } }
		Targets     []struct{ RefID, Expr, LegendFormat string }
	}
	Templating struct {
		List []struct{ Name, Query string }
	}
}

func readDashboard(t *testing.T) (d dashboard) {
	t.Helper()
	text, err := os.ReadFile(deployDir + "/grafana/quarry.json")
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// An alert is a rule for Prometheus.
type alert struct{ name, expr, runbook string }

// readAlerts reads the rules, as far as our file goes in YAML: an expression stands on
// its line, or below "expr: |", indented.
func readAlerts(t *testing.T, file string) (all []alert) {
	t.Helper()
	text, err := os.ReadFile(deployDir + "/prometheus/" + file + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	inside := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		field := strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(field, "- alert: "); ok {
			all, inside = append(all, alert{name: name}), false
			continue
		}
		if len(all) == 0 {
			continue
		}
		last := &all[len(all)-1]
		if inside = inside && strings.HasPrefix(line, strings.Repeat(" ", 10)); inside {
			last.expr += " " + field
		} else if expr, ok := strings.CutPrefix(field, "expr: "); ok {
			if inside = expr == "|"; !inside {
				last.expr = expr
			}
		} else if at, ok := strings.CutPrefix(field, "runbook: "); ok {
			last.runbook = at
		}
	}
	for _, a := range all {
		if a.expr == "" || a.runbook == "" {
			t.Errorf("%+v lacks something", a)
		}
	}
	if len(all) < 5 {
		t.Errorf("%s has %d alerts", file, len(all))
	}
	return all
}

// expressions are those of the dashboard and of the alerts, by where they stand.
func expressions(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, p := range readDashboard(t).Panels {
		for _, q := range p.Targets {
			expr := strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*").Replace(q.Expr)
			all[fmt.Sprintf("panel %q, %s", p.Title, q.RefID)] = expr
		}
	}
	for _, a := range readAlerts(t, "quarry-alerts") {
		all["alert "+a.name] = a.expr
	}
	return all
}

// shown are the metrics of a server: the labels of each, and the values that they have.
type shown map[string]map[string][]string

var (
	sample   = regexp.MustCompile(`(?m)^([a-z_]+)(?:\{(.*)\})? \S+$`)
	labelled = regexp.MustCompile(`([a-z_]+)(=~|!~|!=|=)"((?:[^"\\]|\\.)*)"`)
)

func readMetrics(text string) shown {
	all := shown{}
	for _, m := range sample.FindAllStringSubmatch(text, -1) {
		if all[m[1]] == nil {
			all[m[1]] = map[string][]string{}
		}
		for _, l := range labelled.FindAllStringSubmatch(m[2], -1) {
			all[m[1]][l[1]] = append(all[m[1]][l[1]], l[3])
		}
	}
	return all
}

// selector is a metric in an expression, with what is asked of its labels; grouping is
// the labels by which something is grouped. What is left is functions and words of the
// language.
var (
	selector = regexp.MustCompile(`\b([a-z]+_[a-z_]+|up)(?:\{([^}]*)\})?(\s*\()?`)
	grouping = regexp.MustCompile(`\b(?:by|on|ignoring|without) \(([a-z_, ]*)\)`)
)

// wrong says what an expression asks for that no server has.
func (all shown) wrong(expr string) (faults []string) {
	labels := map[string]bool{"instance": true, "job": true}
	rest := grouping.ReplaceAllString(expr, "()")
	for _, m := range selector.FindAllStringSubmatch(rest, -1) {
		name, matchers, call := m[1], m[2], m[3]
		if call != "" || name == "up" || slices.Contains([]string{"group_left", "group_right"}, name) {
			continue
		}
		if all[name] == nil {
			faults = append(faults, "no metric "+name)
			continue
		}
		for l := range all[name] {
			labels[l] = true
		}
		for _, l := range labelled.FindAllStringSubmatch(matchers, -1) {
			label, op, value := l[1], l[2], l[3]
			have, known := all[name][label]
			switch {
			case label == "instance" || label == "job":
			case !known:
				faults = append(faults, name+" has no label "+label)
			case op == "=" && !slices.Contains(have, value):
				faults = append(faults, fmt.Sprintf("%s has no %s %q", name, label, value))
			}
		}
	}
	for _, g := range grouping.FindAllStringSubmatch(expr, -1) {
		for _, label := range strings.FieldsFunc(g[1], func(c rune) bool { return c == ' ' || c == ',' }) {
			if !labels[label] {
				faults = append(faults, "nothing has the label "+label)
			}
		}
	}
	return faults
}

// busyServer serves a folder and has been asked something in most ways, so that
// /metrics shows what it ever does.
func busyServer(t *testing.T) (metrics string) {
	t.Helper()
	root := t.TempDir()
	for i := range 3 {
		text := fmt.Sprintf("package shop\n\n// Pay%d pays for a cart.\nfunc Pay%d(cart int) int { return cart }\n", i, i)
		if err := os.WriteFile(filepath.Join(root, fmt.Sprintf("pay%d.go", i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := startServer(t, root, "--tldr-socket=false")
	for _, target := range []string{"/search?query=pay+for+a+cart&limit=1&session_id=s", "/search?query=", "/metrics"} {
		var err error
		if metrics, err = s.text(t.Context(), target); err != nil {
			t.Fatal(err)
		}
	}
	return metrics
}

// TestDeployNames compares what the dashboard and the alerts ask for with what a real
// server shows: a metric or a label that is renamed fails it.
func TestDeployNames(t *testing.T) {
	metrics := busyServer(t)
	have := readMetrics(metrics)
	for where, expr := range expressions(t) {
		for _, fault := range have.wrong(expr) {
			t.Errorf("%s: %s\n\t%s", where, fault, expr)
		}
	}
	for _, v := range readDashboard(t).Templating.List {
		if name, ok := strings.CutPrefix(v.Query, "label_values("); ok && have[strings.Split(name, ",")[0]] == nil {
			t.Errorf("the variable %s: no metric in %s", v.Name, v.Query)
		}
	}
	// The test sees what is not there.
	for expr, want := range map[string]string{
		`rate(quarry_nothing_total[5m])`:                       "no metric quarry_nothing_total",
		`sum by (agent) (quarry_index_files)`:                  "nothing has the label agent",
		`quarry_index_files{project="x"} > 0`:                  "quarry_index_files has no label project",
		`quarry_projects_in_state{state="asleep", job="q"}`:    `quarry_projects_in_state has no state "asleep"`,
		`histogram_quantile(0.9, sum by (le) (quarry_absent))`: "no metric quarry_absent",
	} {
		if got := have.wrong(expr); !slices.Contains(got, want) {
			t.Errorf("%s: %q", expr, got)
		}
	}
	t.Run("promtool", func(t *testing.T) { promtool(t, metrics, "check", "metrics") })
}

// TestDeployExpressions has promtool parse the dashboard's queries, as rules.
func TestDeployExpressions(t *testing.T) {
	rules := "groups:\n- name: all\n  rules:\n"
	n := 0
	for where, expr := range expressions(t) {
		n++
		rules += fmt.Sprintf("  # %s\n  - record: a%d\n    expr: %q\n", where, n, expr)
	}
	path := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(path, []byte(rules), 0o644); err != nil {
		t.Fatal(err)
	}
	promtool(t, "", "check", "rules", "--lint=none", path)
}

// promtool runs that program, which `make check-deploy` sees to.
func promtool(t *testing.T, input string, args ...string) {
	t.Helper()
	program, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed: make check-deploy fetches it")
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Stdin = strings.NewReader(input)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// TestDeployAlerts sees to it that each alert is tried, and explained where it says.
func TestDeployAlerts(t *testing.T) {
	for file, page := range map[string]string{"quarry-alerts": "docs/operations.md", "quarry-repositories-alerts": "docs/repositories.md"} {
		tried, err := os.ReadFile(deployDir + "/prometheus/" + file + "-test.yaml")
		if err != nil {
			t.Fatal(err)
		}
		explained, err := os.ReadFile("../../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range readAlerts(t, file) {
			if want := page + "#" + strings.ToLower(a.name); a.runbook != want {
				t.Errorf("%s is explained in %s, not in %s", a.name, a.runbook, want)
			}
			if !strings.Contains(string(explained), "\n### "+a.name+"\n") {
				t.Errorf("%s does not explain %s", page, a.name)
			}
			if !strings.Contains(string(tried), "alertname: "+a.name+"\n        exp_alerts:\n") {
				t.Errorf("no case in which %s fires", a.name)
			}
		}
	}
}

// TestDeployRepositories looks for the metrics of gateways and workers, which the page of these has.
func TestDeployRepositories(t *testing.T) {
	known := string(page(t, "docs/repositories.md"))
	for _, a := range readAlerts(t, "quarry-repositories-alerts") {
		for _, name := range regexp.MustCompile(`quarry_[a-z_]+`).FindAllString(a.expr, -1) {
			if !strings.Contains(known, "`"+name+"`") {
				t.Errorf("%s: there is no metric %s", a.name, name)
			}
		}
	}
}

// TestDeployDashboard looks for what Grafana would show wrong: it cannot be run here.
func TestDeployDashboard(t *testing.T) {
	d := readDashboard(t)
	if d.UID == "" || d.SchemaVersion < 39 || len(d.Panels) < 20 {
		t.Errorf("%s, version %d, %d panels", d.UID, d.SchemaVersion, len(d.Panels))
	}
	ids, taken := map[int]bool{}, map[[2]int]string{}
	for _, p := range d.Panels {
		if ids[p.ID] || p.ID == 0 || p.Title == "" {
			t.Errorf("panel %d %q has no id or title of its own", p.ID, p.Title)
		}
		ids[p.ID] = true
		if p.GridPos.W < 1 || p.GridPos.H < 1 || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("%q is outside the grid", p.Title)
		}
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				if other, ok := taken[at]; ok {
					t.Fatalf("%q lies over %q", p.Title, other)
				}
				taken[at] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		refs := map[string]bool{}
		for _, q := range p.Targets {
			if refs[q.RefID] || q.RefID == "" || q.LegendFormat == "" || !strings.Contains(q.Expr, `instance=~"$instance"`) {
				t.Errorf("%q: %+v has no reference, no legend, or is of all servers", p.Title, q)
			}
			refs[q.RefID] = true
		}
		if len(p.Targets) == 0 || p.FieldConfig.Defaults.Unit == "" {
			t.Errorf("%q shows nothing, or without a unit", p.Title)
		}
	}
}
