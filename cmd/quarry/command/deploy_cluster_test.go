package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// A deployed is a container of this program.
type deployed struct {
	args   []string
	env    map[string]string // "": it is in a secret
	probes []string          // paths that are asked
}

// foreignVariables are those of a container that are read by what the program is made of: its client of
// PostgreSQL, its client of the store, and git.
var foreignVariables = []string{"PGPASSFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SHARED_CREDENTIALS_FILE", "GIT_CONFIG_GLOBAL"}

var secretName = regexp.MustCompile(`SECRET|PASSWORD|TOKEN|KEY|CREDENTIALS`)

// check has the program read its flags and variables, as far as the database, whose address is not given.
func (d *deployed) check(t *testing.T) {
	t.Helper()
	api := string(page(t, "openapi.yaml"))
	for _, p := range d.probes {
		if !strings.Contains(api, "\n  "+p+":\n") {
			t.Errorf("there is no route %s", p)
		}
	}
	for name, value := range d.env {
		if u, err := url.Parse(value); err == nil && u.User != nil {
			if _, has := u.User.Password(); has {
				t.Errorf("%s holds a password", name)
			}
		}
		if secretName.MatchString(name) && value != "" && !strings.HasPrefix(value, "/run/secrets/") {
			t.Errorf("%s holds a secret", name)
		}
		switch {
		case slices.Contains(foreignVariables, name):
		case strings.HasPrefix(name, "QUARRY_"):
			t.Setenv(name, value)
		default:
			t.Errorf("nobody reads the variable %s", name)
		}
	}
	t.Setenv("QUARRY_DATABASE", "none")
	var said bytes.Buffer
	cmd := New()
	cmd.SetArgs(append(slices.Clone(d.args), "--data-dir", t.TempDir()))
	cmd.SetOut(io.Discard)
	cmd.SetErr(&said)
	if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "the address of the database") {
		t.Errorf("%q: %v", d.args, err)
	}
	if strings.Contains(said.String(), "ignored") {
		t.Errorf("%q: %s", d.args, &said)
	}
}

// tool runs a program that `make check-deploy` fetches, and returns what it prints.
func tool(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	program, err := exec.LookPath(name)
	if err != nil {
		t.Skip(name + " is not installed: make check-deploy fetches it")
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, &complaint)
	}
	return out
}

// TestDeployCompose checks the file for a cluster on one machine.
func TestDeployCompose(t *testing.T) {
	file := filepath.Join(deployDir, "compose", "compose.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var compose struct {
		Services map[string]struct {
			Image       string
			Command     []string
			Environment map[string]string
			Secrets     []string
		}
		Secrets map[string]struct{ File string }
	}
	if err := yaml.Unmarshal(text, &compose); err != nil {
		t.Fatal(err)
	}
	var roles []string
	for name, s := range compose.Services {
		for key, value := range s.Environment {
			if at, ok := strings.CutPrefix(value, "/run/secrets/"); ok && !slices.Contains(s.Secrets, at) {
				t.Errorf("%s has no secret %s for %s", name, at, key)
			}
		}
		if s.Image != "quarry" {
			continue
		}
		roles = append(roles, s.Command[0])
		t.Run(name, func(t *testing.T) { (&deployed{args: s.Command, env: s.Environment}).check(t) })
	}
	if slices.Sort(roles); !slices.Equal(roles, []string{"gateway", "worker"}) {
		t.Errorf("it runs %q", roles)
	}
	for name, s := range compose.Secrets {
		if !strings.HasPrefix(s.File, "secrets/") || !strings.Contains(string(text), "> "+filepath.Base(s.File)) {
			t.Errorf("the comment does not say how %s is made", name)
		}
	}
	t.Run("compose-spec", func(t *testing.T) {
		dir := t.TempDir() // with secrets, which it looks for
		write(t, filepath.Join(dir, "compose.yaml"), string(text))
		write(t, filepath.Join(dir, "secrets", "store.env"), "ROOT_ACCESS_KEY=quarry\n")
		var resolved struct{ Services map[string]any }
		out := tool(t, "compose-spec", "-format", "json", filepath.Join(dir, "compose.yaml"))
		if err := json.Unmarshal(out, &resolved); err != nil || len(resolved.Services) != len(compose.Services) {
			t.Errorf("%d services, %v", len(resolved.Services), err)
		}
	})
}

// A manifest is what the test reads of one of Kubernetes.
type manifest struct {
	Kind string
	Spec struct {
		Template struct {
			Spec struct {
				Containers []container
				Volumes    []struct{ Name string }
			}
		}
	}
}

type container struct {
	Args []string
	Env  []struct {
		Name, Value string
		From        map[string]any `yaml:"valueFrom"`
	}
	Ports  []struct{ Name string }
	Mounts []struct {
		Name string
		Path string `yaml:"mountPath"`
	} `yaml:"volumeMounts"`
	Liveness  probe `yaml:"livenessProbe"`
	Readiness probe `yaml:"readinessProbe"`
}

type probe struct {
	HTTP struct{ Path, Port string } `yaml:"httpGet"`
}

// TestDeployHelm renders the chart with the least values that it takes, and with all.
func TestDeployHelm(t *testing.T) {
	chart := filepath.Join(deployDir, "helm", "quarry")
	least := []string{"--kube-version", "1.32.0", "--set", "database.secret=d,gateway.token.secret=t", "--set", "snapshots=s3://team/quarry?region=eu-central-1"}
	all := append(slices.Clone(least), "--set", "store.secret=s,gateway.webhooks.secret=w,worker.git=g,serviceAccount.name=a",
		"--set", "gateway.oidc.issuer=https://login.example,gateway.oidc.audience=quarry,gateway.oidc.permissions=p")
	for name, values := range map[string][]string{"least": least, "all": all, "alone": append(slices.Clone(least), "--set", "gateway.replicas=1")} {
		t.Run(name, func(t *testing.T) {
			tool(t, "helm", append([]string{"lint", "--strict", chart}, values...)...)
			text := tool(t, "helm", append([]string{"template", "q", chart, "--namespace", "code"}, values...)...)
			if peers := strings.Count(string(text), "--peers=http://q-gateway-0.q-peers.code:3456,http://q-gateway-1.q-peers.code:3456\n"); (peers == 1) != (name != "alone") {
				t.Errorf("the gateways do not know each other:\n%s", text)
			}
			var roles []string
			for docs := yaml.NewDecoder(bytes.NewReader(text)); ; {
				var m manifest
				if err := docs.Decode(&m); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				if m.Kind == "Secret" {
					t.Error("it has a secret")
				}
				roles = append(roles, m.check(t)...)
			}
			if slices.Sort(roles); !slices.Equal(roles, []string{"gateway", "worker"}) {
				t.Errorf("it runs %q", roles)
			}
		})
	}
	helm, err := exec.LookPath("helm")
	if err != nil {
		t.Skip("helm is not installed: make check-deploy HELM=build builds it")
	}
	for _, name := range []string{"database.secret", "gateway.token.secret", "snapshots"} {
		args := append([]string{"template", "q", chart}, least...)
		out, err := exec.CommandContext(t.Context(), helm, append(args, "--set", name+"=")...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), name+" must") {
			t.Errorf("without %s: %v\n%s", name, err, out)
		}
	}
}

// check checks the containers of a manifest, and returns what they run.
func (m *manifest) check(t *testing.T) (roles []string) {
	t.Helper()
	pod := &m.Spec.Template.Spec
	for i := range pod.Containers {
		c := &pod.Containers[i]
		d := deployed{args: c.Args, env: map[string]string{}}
		for _, v := range c.Env {
			if d.env[v.Name] = v.Value; (v.Value == "") != (v.From != nil) {
				t.Errorf("%s has no value, or two", v.Name)
			}
		}
		for _, p := range []probe{c.Liveness, c.Readiness} {
			if p.HTTP.Path == "" {
				continue
			}
			if d.probes = append(d.probes, p.HTTP.Path); len(c.Ports) != 1 || c.Ports[0].Name != p.HTTP.Port {
				t.Errorf("%s: there is no port %s", p.HTTP.Path, p.HTTP.Port)
			}
		}
		if len(d.probes) == 0 {
			t.Errorf("%s is not asked how it is", c.Args[0])
		}
		mounted := map[string]bool{}
		for _, at := range c.Mounts {
			mounted[at.Path] = slices.Contains(pod.Volumes, struct{ Name string }{at.Name})
		}
		for _, arg := range append(slices.Clone(c.Args), "="+d.env["GIT_CONFIG_GLOBAL"]) {
			if _, value, _ := strings.Cut(arg, "="); strings.HasPrefix(value, "/") && !mounted[path.Dir(value)] {
				t.Errorf("%s is not mounted", value)
			}
		}
		t.Run(c.Args[0], func(t *testing.T) { d.check(t) })
		roles = append(roles, c.Args[0])
	}
	return roles
}
