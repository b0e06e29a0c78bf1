package quarry_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// licences are the texts by which a licence is known, and whether it may be linked. What
// asks for more than its own text besides the program has a sentence in NOTICE.
var licences = []struct{ name, text string }{
	{"MPL-2.0", "Mozilla Public License Version 2.0"},
	{"Apache-2.0", "Apache License Version 2.0"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"BSD-3-Clause", "SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0-only"}, // we take the first
	{"BSD-2-Clause", "Redistribution and use in source and binary forms, with or without modification, are permitted"},
}

// licenceOf returns the licence that a text is, or "".
func licenceOf(text []byte) string {
	plain := strings.ToLower(strings.Join(strings.Fields(string(text)), " "))
	for _, l := range licences {
		if i := strings.Index(strings.ReplaceAll(plain, ",", ""), strings.ToLower(strings.ReplaceAll(l.text, ",", ""))); i >= 0 && i < 2000 {
			if l.name == "BSD-2-Clause" && strings.Contains(plain, "neither the name") {
				return "BSD-3-Clause"
			}
			return l.name
		}
	}
	return ""
}

// rows reads a table of scripts/licences, by its first column.
func rows(t *testing.T, name string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("scripts/licences/" + name)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSpace(line), ",")
		all[fields[0]] = fields[1:]
	}
	delete(all, "module")
	delete(all, "grammar")
	return all
}

// bundled returns the licences of the npm packages that the page contains, by name.
func bundled(t *testing.T) map[string][]byte {
	t.Helper()
	text, err := os.ReadFile("web/dist/assets/licences.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, part := range bytes.Split(text, []byte("\n== "))[1:] {
		head, licence, _ := bytes.Cut(part, []byte("\n"))
		name, _, _ := strings.Cut(string(head), " ")
		all[name] = licence
	}
	if len(all) == 0 {
		t.Fatal("the page contains nothing of others: the list is not read rightly")
	}
	return all
}

// TestLicences collects the licences of all modules that the program links, as the image
// has them: each has one that is known, and NOTICE names those that ask for more.
func TestLicences(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	notice, err := os.ReadFile("NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if msg, err := exec.CommandContext(t.Context(), sh, "scripts/licences/collect.sh", out).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	list, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}}{{end}}{{end}}", "./cmd/quarry").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string]bool{"go": true}
	for _, m := range strings.Fields(string(list)) {
		modules[m] = true
	}
	if len(modules) < 30 {
		t.Fatalf("%d modules: too few to be all", len(modules))
	}
	said := rows(t, "modules.csv")
	for m := range modules {
		found := ""
		for _, name := range []string{"LICENSE", "LICENSE.txt", "LICENSE.md", "License", "COPYING"} {
			if text, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(m), name)); err == nil {
				found = licenceOf(text)
			}
		}
		path, _, _ := strings.Cut(m, "@")
		row := said[path]
		delete(said, path)
		switch {
		case found == "":
			t.Errorf("%s has no licence that is known", m)
		case len(row) != 1 || row[0] != found:
			t.Errorf("scripts/licences/modules.csv must have the line %s,%s", path, found)
		case found == "MPL-2.0" && (!bytes.Contains(notice, []byte(path)) || !bytes.Contains(notice, []byte("Mozilla Public License"))):
			t.Errorf("%s is under the Mozilla Public License, which NOTICE must say, and where its source is", m)
		}
	}
	for path := range said {
		t.Errorf("scripts/licences/modules.csv has %s, which is not linked", path)
	}
	for name, text := range bundled(t) {
		switch found := licenceOf(text); {
		case found == "":
			t.Errorf("the page contains %s, whose licence is not known", name)
		case !bytes.Contains(notice, []byte(name+" (")):
			t.Errorf("the page contains %s, which NOTICE must say", name)
		}
	}
	image, err := os.ReadFile("Dockerfile")
	if err != nil || !bytes.Contains(image, []byte("scripts/licences/collect.sh")) || !bytes.Contains(image, []byte("/opt/quarry/licences")) {
		t.Errorf("the image does not have the licences: %v", err)
	}
	for text, want := range map[string]string{"GNU GENERAL PUBLIC LICENSE Version 3": "", "Apache License\n  Version 2.0, January 2004": "Apache-2.0"} {
		if got := licenceOf([]byte(text)); got != want {
			t.Errorf("%q is taken for %q", text, got)
		}
	}
}

// TestGrammars: each grammar that is linked stands in scripts/licences/grammars.csv, with
// the revision that the module says it has, and with a licence that may be linked. The
// module has no licences of its grammars: they are what their repositories say.
func TestGrammars(t *testing.T) {
	const module = "github.com/smacker/go-tree-sitter"
	list, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{.ImportPath}}", "./cmd/quarry").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{}
	for _, path := range strings.Fields(string(list)) {
		if below, ok := strings.CutPrefix(path, module+"/"); ok {
			name, _, _ := strings.Cut(below, "/")
			linked[name] = true
		}
	}
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "_automation", "grammars.json"))
	if err != nil {
		t.Fatal(err)
	}
	var grammars []struct{ Language, URL, Revision string }
	if err := json.Unmarshal(text, &grammars); err != nil {
		t.Fatal(err)
	}
	said := rows(t, "grammars.csv")
	for _, g := range grammars {
		row := said[g.Language]
		delete(said, g.Language)
		switch {
		case linked[g.Language] != (len(row) == 3):
			t.Errorf("%s: linked %t, in scripts/licences/grammars.csv %q", g.Language, linked[g.Language], row)
		case len(row) == 3 && ("https://"+row[0] != g.URL || row[1] != g.Revision):
			t.Errorf("%s is of %s at %s, not of %s at %s", g.Language, g.URL, g.Revision, row[0], row[1])
		case len(row) == 3 && row[2] != "MIT" && row[2] != "Apache-2.0":
			t.Errorf("%s has the licence %q: it is not known to be one that may be linked", g.Language, row[2])
		}
		delete(linked, g.Language)
	}
	if len(said)+len(linked) > 0 {
		t.Errorf("the module knows nothing of %v, %v", said, linked)
	}
}
