package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// stage is what `make install` puts below a prefix, small.
const stage = `
-- bin/quarry --
program
-- lib/quarry/libonnxruntime.so.1 --
library
-- lib/systemd/user/quarry@.service --
unit
-- share/doc/quarry/LICENSE --
licence
-- share/man/man1/quarry.1 --
page
`

// made makes a release of the stage, written at the same date in another order.
func made(t *testing.T, backwards bool) string {
	t.Helper()
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	dir, out, client := t.TempDir(), t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(client, "index.js"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	files := txtar.Parse([]byte(stage)).Files
	if backwards {
		slices.Reverse(files)
	}
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		mode := os.FileMode(0o600)
		if f.Name == "bin/quarry" {
			mode = 0o700
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, f.Data, mode)); err != nil {
			t.Fatal(err)
		}
	}
	windows := t.TempDir()
	if err := errors.Join(os.CopyFS(windows, os.DirFS(dir)), os.Rename(filepath.Join(windows, "bin", "quarry"), filepath.Join(windows, "bin", "quarry.exe"))); err != nil {
		t.Fatal(err)
	}
	r := &release{Version: "1.2.3", root: filepath.Join("..", ".."), client: client}
	if err := r.run(io.Discard, []string{out, "linux-amd64=" + dir, "linux-arm64=" + dir, "darwin-arm64=" + dir, "windows-amd64=" + windows}); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSameBytes: neither the order in which files came nor their dates and owners matter.
func TestSameBytes(t *testing.T) {
	one, other := made(t, false), made(t, true)
	a, err := os.ReadFile(filepath.Join(one, "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(other, "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(a), string(b)); diff != "" {
		t.Errorf("two releases of the same files differ:\n%s", diff)
	}
	if n := bytes.Count(a, []byte("\n")); n != 22 {
		t.Errorf("%d files are summed:\n%s", n, a)
	}
}

// inTar returns the contents of a compressed archive, by name and mode.
func inTar(t *testing.T, name string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return all
		}
		text, errText := io.ReadAll(r)
		if err := errors.Join(err, errText); err != nil {
			t.Fatal(err)
		}
		if h.ModTime.Unix() != 1700000000 || h.Uname != "" || h.Uid != 0 {
			t.Errorf("%s is of %v and %q", h.Name, h.ModTime, h.Uname)
		}
		all[h.FileInfo().Mode().String()+" "+h.Name] = string(text)
	}
}

func TestArchives(t *testing.T) {
	out := made(t, false)
	got := inTar(t, filepath.Join(out, "quarry-1.2.3-linux-amd64.tar.gz"))
	want := map[string]string{
		"-rwxr-xr-x quarry-1.2.3-linux-amd64/bin/quarry":                       "program\n",
		"-rw-r--r-- quarry-1.2.3-linux-amd64/lib/quarry/libonnxruntime.so.1":   "library\n",
		"-rw-r--r-- quarry-1.2.3-linux-amd64/lib/systemd/user/quarry@.service": "unit\n",
		"-rw-r--r-- quarry-1.2.3-linux-amd64/share/doc/quarry/LICENSE":         "licence\n",
		"-rw-r--r-- quarry-1.2.3-linux-amd64/share/man/man1/quarry.1":          "page\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	platform := inTar(t, filepath.Join(out, "quarry-search-quarry-linux-x64-1.2.3.tgz"))
	for _, name := range []string{"-rwxr-xr-x package/bin/quarry", "-rw-r--r-- package/lib/quarry/libonnxruntime.so.1", "-rw-r--r-- package/LICENSE", "-rw-r--r-- package/package.json"} {
		if platform[name] == "" {
			t.Errorf("npm's package of a platform lacks %s", name)
		}
	}
	var m manifest
	if err := json.Unmarshal([]byte(inTar(t, filepath.Join(out, "quarry-search-quarry-1.2.3.tgz"))["-rw-r--r-- package/package.json"]), &m); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"@quarry-search/quarry-darwin-arm64": "1.2.3", "@quarry-search/quarry-linux-arm64": "1.2.3", "@quarry-search/quarry-linux-x64": "1.2.3", "@quarry-search/quarry-win32-x64": "1.2.3"}, m.Optional); diff != "" {
		t.Error(diff)
	}
}

// TestWheel: each file is in RECORD, which pip checks and uninstalls by.
func TestWheel(t *testing.T) {
	z, err := zip.OpenReader(filepath.Join(made(t, false), "quarry_search-1.2.3-py3-none-manylinux_2_28_x86_64.whl"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	f, err := z.Open("quarry_search-1.2.3.dist-info/RECORD")
	if err != nil {
		t.Fatal(err)
	}
	record, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	var listed, there []string
	for line := range strings.Lines(string(record)) {
		name, _, _ := strings.Cut(line, ",")
		listed = append(listed, name)
	}
	for _, f := range z.File {
		there = append(there, f.Name)
	}
	if diff := cmp.Diff(there, listed); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"data/scripts/quarry", "data/scripts/quarry-search", "data/data/lib/quarry/libonnxruntime.so.1", "dist-info/licenses/LICENSE", "dist-info/METADATA"} {
		if !slices.Contains(there, "quarry_search-1.2.3."+name) {
			t.Errorf("the wheel lacks %s", name)
		}
	}
}

// TestEditors: the extensions have what they say, and none of their tests.
func TestEditors(t *testing.T) {
	out := made(t, false)
	z, err := zip.OpenReader(filepath.Join(out, "quarry-vscode-1.2.3.vsix"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var manifest struct {
		Metadata struct {
			Identity struct {
				ID string `xml:"Id,attr"`
			}
		}
		Assets struct {
			Asset []struct {
				Path string `xml:",attr"`
			}
		}
	}
	text, err := fs.ReadFile(z, "extension.vsixmanifest")
	if err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(text, &manifest); err != nil || manifest.Metadata.Identity.ID != "quarry" || len(manifest.Assets.Asset) == 0 {
		t.Errorf("%+v, %v", manifest, err)
	}
	for _, a := range manifest.Assets.Asset {
		if _, err := fs.Stat(z, a.Path); err != nil {
			t.Error(err)
		}
	}
	types, err := fs.ReadFile(z, "[Content_Types].xml")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		if strings.Contains(f.Name, "test") {
			t.Errorf("%s is a test", f.Name)
		}
		if ext := filepath.Ext(f.Name); f.Name != "[Content_Types].xml" && !bytes.Contains(types, []byte(`Extension="`+ext+`"`)) {
			t.Errorf("the types do not say what %s is", f.Name)
		}
	}
	for name, want := range map[string][]string{
		"quarry.nvim-1.2.3.tar.gz":       {"quarry.nvim/plugin/quarry.lua", "quarry.nvim/LICENSE", "quarry.nvim/README.md"},
		"quarry-search-client-1.2.3.tgz": {"package/LICENSE", "package/dist/index.js", "package/package.json"},
	} {
		got := inTar(t, filepath.Join(out, name))
		for _, file := range want {
			if _, ok := got["-rw-r--r-- "+file]; !ok {
				t.Errorf("%s lacks %s", name, file)
			}
		}
	}
}

// TestWindows: its archive and its packages have the program under the name that it can be run by.
func TestWindows(t *testing.T) {
	out := made(t, false)
	z, err := zip.OpenReader(filepath.Join(out, "quarry-1.2.3-windows-amd64.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if _, err := fs.Stat(z, "quarry-1.2.3-windows-amd64/bin/quarry.exe"); err != nil {
		t.Error(err)
	}
	if inTar(t, filepath.Join(out, "quarry-search-quarry-win32-x64-1.2.3.tgz"))["-rwxr-xr-x package/bin/quarry.exe"] == "" {
		t.Error("npm's package lacks the program")
	}
	w, err := zip.OpenReader(filepath.Join(out, "quarry_search-1.2.3-py3-none-win_amd64.whl"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if scripts, err := fs.Glob(w, "quarry_search-1.2.3.data/scripts/*"); err != nil || len(scripts) != 1 || path.Base(scripts[0]) != "quarry.exe" {
		t.Errorf("scripts %v, %v", scripts, err)
	}
}

// TestMacOS: pip takes the wheel from the system on that Go's programs run, and Homebrew the archive.
func TestMacOS(t *testing.T) {
	out := made(t, false)
	for _, name := range []string{"quarry-1.2.3-darwin-arm64.tar.gz", "quarry_search-1.2.3-py3-none-macosx_12_0_arm64.whl", "quarry-search-quarry-darwin-arm64-1.2.3.tgz"} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}
	formula, err := os.ReadFile(filepath.Join(out, "quarry.rb"))
	if err != nil || !strings.Contains(string(formula), "on_macos") || !strings.Contains(string(formula), "quarry-1.2.3-darwin-arm64.tar.gz") {
		t.Errorf("%v: %s", err, formula)
	}
}

// TestBundle: what a manifest of an MCP bundle names is in it, and can be executed.
func TestBundle(t *testing.T) {
	for _, system := range []string{"linux-arm64", "darwin-arm64", "windows-amd64"} {
		t.Run(system, func(t *testing.T) { testBundle(t, system) })
	}
}

func testBundle(t *testing.T, system string) {
	z, err := zip.OpenReader(filepath.Join(made(t, false), "quarry-1.2.3-"+system+".mcpb"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	text, err := fs.ReadFile(z, "manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fs.Stat(z, "LICENSE"); err != nil {
		t.Error(err)
	}
	var manifest struct {
		Version string
		Server  struct {
			Entry string `json:"entry_point"`
		}
	}
	if err := json.Unmarshal(text, &manifest); err != nil || manifest.Version != "1.2.3" {
		t.Errorf("%+v, %v", manifest, err)
	}
	if info, err := fs.Stat(z, manifest.Server.Entry); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestManifests: what refers to other files has their checksums.
func TestManifests(t *testing.T) {
	out := made(t, false)
	sums, err := os.ReadFile(filepath.Join(out, "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	formula, err := os.ReadFile(filepath.Join(out, "quarry.rb"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"quarry-1.2.3-linux-amd64.tar.gz", "quarry-1.2.3-linux-arm64.tar.gz"} {
		before, _, ok := strings.Cut(string(sums), "  "+name+"\n")
		if sum := before[max(0, len(before)-64):]; !ok || !strings.Contains(string(formula), `/v1.2.3/`+name+`"`) || !strings.Contains(string(formula), `sha256 "`+sum+`"`) {
			t.Errorf("the formula lacks %s with its checksum:\n%s", name, formula)
		}
	}
	text, err := os.ReadFile(filepath.Join(out, "server.json"))
	if err != nil {
		t.Fatal(err)
	}
	var server struct {
		Name, Version, Description string
		Packages                   []struct{ Identifier, Version string }
	}
	if err := json.Unmarshal(text, &server); err != nil {
		t.Fatal(err)
	}
	if server.Name != mcpName || server.Version != "1.2.3" || server.Description != summary || len(summary) > 100 || len(server.Packages) != 2 {
		t.Errorf("%+v", server)
	}
}

func TestRefused(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	for _, version := range []string{"", "1.2", "v1.2.3", "1.2.3;rm"} {
		r := &release{Version: version}
		if err := r.run(io.Discard, []string{t.TempDir(), "linux-amd64=."}); err == nil {
			t.Errorf("%q is a version", version)
		}
	}
}

// TestLauncher has Node run the program of the platform, and pass on how it ended.
func TestLauncher(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node is not installed")
	}
	dir := t.TempDir()
	platform, err := exec.CommandContext(t.Context(), node, "-p", "process.platform + '-' + process.arch").Output()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "node_modules", "@quarry-search", "quarry-"+strings.TrimSpace(string(platform)), "bin", "quarry")
	script := filepath.Join(dir, "quarry.js")
	if err := errors.Join(os.MkdirAll(filepath.Dir(program), 0o755), os.WriteFile(script, []byte(launcher), 0o644)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), node, script).CombinedOutput(); err == nil || !strings.Contains(string(out), "is not installed") {
		t.Errorf("without a program: %v\n%s", err, out)
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"got $*\"\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), node, script, "a b", "c").CombinedOutput()
	var failed *exec.ExitError
	if !errors.As(err, &failed) || failed.ExitCode() != 3 || string(out) != "got a b c\n" {
		t.Errorf("%v\n%s", err, out)
	}
}
