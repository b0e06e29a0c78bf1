package main

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

const (
	summary = "Code search for people, editors and coding agents, offline"
	mcpName = "io.github.quarry-search/quarry"
)

//go:embed templates
var templates embed.FS

// fill executes a template with the release, or with what is given.
func (r *release) fill(name string, of any) (string, error) {
	t, err := template.New(name).Funcs(template.FuncMap{"sum": r.sum}).ParseFS(templates, "templates/"+name)
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	err = t.Execute(&text, of)
	return text.String(), err
}

// sum returns the checksum of a file of the release, or "" if there is none of that name.
func (r *release) sum(name string) string {
	i := slices.IndexFunc(r.made, func(a artefact) bool { return a.Name == name })
	if i < 0 {
		return ""
	}
	return r.made[i].SHA256
}

// linuxPackages has nfpm make a deb and an rpm.
func (r *release) linuxPackages(t target) error {
	if t.OS != "linux" || r.nfpm == "" {
		return nil
	}
	text, err := r.fill("nfpm.yaml", map[string]any{"Version": r.Version, "Arch": t.Arch, "Dir": t.dir, "Summary": summary, "Date": r.date.Format("2006-01-02T15:04:05Z")})
	if err != nil {
		return err
	}
	config, err := os.CreateTemp("", "nfpm-*.yaml")
	if err != nil {
		return err
	}
	defer os.Remove(config.Name())
	_, err = config.WriteString(text)
	if err := cmp.Or(err, config.Close()); err != nil {
		return err
	}
	for packager, name := range map[string]string{"deb": "quarry_%s_%s.deb", "rpm": "quarry-%s-%s.rpm"} {
		name = fmt.Sprintf(name, r.Version, t.Arch)
		cmd := exec.Command(r.nfpm, "package", "--config", config.Name(), "--packager", packager, "--target", filepath.Join(r.out, name))
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", name, err, out)
		}
		if err := r.add(name); err != nil {
			return err
		}
	}
	return nil
}

// A platform is a target, as Homebrew calls it.
type platform struct{ System, Processor, Archive string }

// Platforms are those that Homebrew knows.
func (r *release) Platforms() (all []platform) {
	systems := map[string]string{"linux": "linux", "darwin": "macos"}
	processors := map[string]string{"amd64": "intel", "arm64": "arm"}
	for _, t := range r.targets {
		if systems[t.OS] != "" && processors[t.Arch] != "" {
			all = append(all, platform{systems[t.OS], processors[t.Arch], r.archiveName(t) + ".tar.gz"})
		}
	}
	return all
}

// manifests writes what refers to the other files by their checksums, and the checksums.
func (r *release) manifests() error {
	slices.SortFunc(r.made, func(a, b artefact) int { return strings.Compare(a.Name, b.Name) })
	sums := func(w io.Writer) error {
		for _, a := range r.made {
			if _, err := fmt.Fprintf(w, "%s  %s\n", a.SHA256, a.Name); err != nil {
				return err
			}
		}
		return nil
	}
	for _, name := range []string{"quarry.rb", "server.json"} {
		text, err := r.fill(name, r)
		if err != nil {
			return err
		}
		if err := r.create(name, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
			return err
		}
	}
	return r.create("checksums.txt", sums)
}
