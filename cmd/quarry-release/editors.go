package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// licence is the repository's, as a package's file.
func (r *release) licence(name string) (file, error) {
	text, err := os.ReadFile(filepath.Join(r.root, "LICENSE"))
	return textFile(name, string(text)), err
}

// plugin lists the files of an editor's plugin that are of use when it is installed.
func (r *release) plugin(editor string) (files []file, err error) {
	all, err := filesIn(filepath.Join(r.root, "editors", editor))
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		top, _, _ := strings.Cut(f.path, "/")
		if top != "test" && top != "node_modules" && f.path != "doc/tags" && !strings.HasPrefix(top, ".") && path.Ext(f.path) != ".vsix" && f.path != "screenshot.png" {
			files = append(files, f)
		}
	}
	return files, nil
}

// neovim makes the archive of the plugin, to be unpacked below ~/.config/nvim/pack.
func (r *release) neovim() error {
	files, err := r.plugin("neovim")
	if err != nil {
		return err
	}
	licence, err := r.licence("LICENSE")
	if err != nil {
		return err
	}
	return r.create("quarry.nvim-"+r.Version+".tar.gz", func(w io.Writer) error {
		return writeTar(w, moved(append(files, licence), "", "quarry.nvim"), r.date)
	})
}

// vscode makes the extension as a vsix: a package of the Open Packaging Conventions, with a
// manifest of its own besides package.json, which says most of what is in it.
func (r *release) vscode() error {
	files, err := r.plugin("vscode")
	if err != nil {
		return err
	}
	licence, err := r.licence("LICENSE.txt")
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(r.root, "editors", "vscode", "package.json"))
	if err != nil {
		return err
	}
	var extension map[string]any
	if err := json.Unmarshal(text, &extension); err != nil {
		return err
	}
	manifest, err := r.fill("extension.vsixmanifest", extension)
	if err != nil {
		return err
	}
	types, err := r.fill("content_types.xml", nil)
	if err != nil {
		return err
	}
	files = append(moved(append(files, licence), "", "extension"), textFile("extension.vsixmanifest", manifest), textFile("[Content_Types].xml", types))
	return r.create("quarry-vscode-"+r.Version+".vsix", func(w io.Writer) error { return writeZip(w, files, r.date) })
}

// bundle makes an MCP bundle, which an agent's program for the desktop installs: what the
// archive has, and a manifest.
func (r *release) bundle(t target) error {
	text, err := r.fill("manifest.json", map[string]any{"Version": r.Version, "Summary": summary, "OS": nodeName(t.OS), "Program": t.program()})
	if err != nil {
		return err
	}
	files := append(under(t.files, "bin", "lib/quarry"), moved(under(t.files, "share/doc/quarry"), "share/doc/quarry", "")...)
	return r.create(fmt.Sprintf("quarry-%s-%s-%s.mcpb", r.Version, t.OS, t.Arch), func(w io.Writer) error {
		return writeZip(w, append(files, textFile("manifest.json", text)), r.date)
	})
}
