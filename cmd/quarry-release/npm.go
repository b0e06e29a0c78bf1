package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
)

// scope is whose the npm packages are.
const scope = "@quarry-search"

// nodeNames are Node's names for systems and processors, where they differ from Go's.
var nodeNames = map[string]string{"windows": "win32", "amd64": "x64"}

func nodeName(name string) string {
	if other, ok := nodeNames[name]; ok {
		return other
	}
	return name
}

// A manifest is a package.json.
type manifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	Licence     string            `json:"license"`
	Repository  map[string]string `json:"repository"`
	MCPName     string            `json:"mcpName,omitempty"`
	Bin         map[string]string `json:"bin,omitempty"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	LibC        []string          `json:"libc,omitempty"`
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
	Engines     map[string]string `json:"engines,omitempty"`

	Type    string                       `json:"type,omitempty"`
	Exports map[string]map[string]string `json:"exports,omitempty"`
}

func (r *release) manifest(name, description string) manifest {
	return manifest{Name: scope + "/" + name, Version: r.Version, Description: description, Licence: "Apache-2.0",
		Repository: map[string]string{"type": "git", "url": "git+https://github.com/quarry-search/quarry.git"}}
}

// npmName is the package of a platform.
func npmName(t target) string { return "quarry-" + nodeName(t.OS) + "-" + nodeName(t.Arch) }

// npmPlatform makes the package with the program of one platform, which npm installs only
// there. It needs no script.
func (r *release) npmPlatform(t target) error {
	m := r.manifest(npmName(t), "The program of "+scope+"/quarry for "+t.OS+"/"+t.Arch)
	m.OS, m.CPU = []string{nodeName(t.OS)}, []string{nodeName(t.Arch)}
	if t.OS == "linux" {
		m.LibC = []string{"glibc"}
	}
	files := append(under(t.files, "bin", "lib/quarry"), moved(under(t.files, "share/doc/quarry"), "share/doc/quarry", "")...)
	return r.npm(npmName(t), m, files)
}

//go:embed templates/quarry.js
var launcher string

//go:embed templates/README.md
var page string

// npmMain makes the package that people name, which starts the program of the platform.
func (r *release) npmMain() error {
	m := r.manifest("quarry", summary)
	m.MCPName = mcpName
	m.Bin = map[string]string{"quarry": "bin/quarry.js"}
	m.Engines = map[string]string{"node": ">=18"}
	m.Optional = map[string]string{}
	for _, t := range r.targets {
		m.Optional[scope+"/"+npmName(t)] = r.Version
	}
	start := textFile("bin/quarry.js", launcher)
	start.mode = 0o755
	licence := moved(under(r.targets[0].files, "share/doc/quarry/LICENSE"), "share/doc/quarry", "")
	return r.npm("quarry", m, append(licence, start, textFile("README.md", page)))
}

// npm makes the package that npm publishes or installs as it is.
func (r *release) npm(name string, m manifest, files []file) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	files = append(files, textFile("package.json", string(text)+"\n"))
	return r.create(fmt.Sprintf("quarry-search-%s-%s.tgz", name, r.Version), func(w io.Writer) error {
		return writeTar(w, moved(files, "", "package"), r.date)
	})
}

// npmClient makes the package of the TypeScript client. Its own manifest is that of a folder
// to work in.
func (r *release) npmClient() error {
	if r.client == "" {
		return nil
	}
	files, err := filesIn(r.client)
	if err != nil {
		return err
	}
	licence, err := r.licence("LICENSE")
	if err != nil {
		return err
	}
	m := r.manifest("client", "Asks a running Quarry server, with the types of its description")
	m.Type = "module"
	m.Engines = map[string]string{"node": ">=18.17"}
	m.Exports = map[string]map[string]string{".": {"types": "./dist/index.d.ts", "default": "./dist/index.js"}}
	return r.npm("client", m, append(moved(files, "", "dist"), licence))
}
