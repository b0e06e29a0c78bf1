package socket

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
)

// tree answers with the files as a tree, folders first, each by name.
func (c *call) tree(ctx context.Context) (answer, error) {
	base := c.f.text("path")
	if base == "." {
		base = ""
	}
	hidden := c.f["exclude_hidden"] != nil && !c.f.flag("exclude_hidden")
	var endings []string
	for _, e := range c.f.texts("extensions") {
		endings = append(endings, "."+strings.TrimPrefix(e, "."))
	}
	text, _, err := c.ask(ctx, "/find", fields{"path": base, "type": "f", "raw": true, "project": c.f["project"]})
	if err != nil {
		return nil, err
	}
	root := &folder{}
	files := 0
	for file := range strings.Lines(text) {
		file = strings.TrimSuffix(file, "\n")
		if !hidden && strings.Contains("/"+file, "/.") {
			continue
		}
		if len(endings) > 0 && !slices.Contains(endings, path.Ext(file)) {
			continue
		}
		files++
		root.add(file)
	}
	name := "."
	ready, err := c.get(ctx, "/ready", fields{"project": c.f["project"]})
	if err != nil {
		return nil, err
	}
	if r := ready.object("index").text("root"); r != "" {
		name = path.Base(strings.ReplaceAll(r, `\`, "/"))
	}
	return answer{"result": root.show(name), "files": files}, nil
}

// A folder is one of a tree.
type folder struct {
	folders map[string]*folder
	files   []string // paths
}

func (d *folder) add(file string) {
	at := d
	for dir := range strings.SplitSeq(path.Dir(file), "/") {
		if dir == "." {
			break
		}
		next := at.folders[dir]
		if next == nil {
			if at.folders == nil {
				at.folders = map[string]*folder{}
			}
			next = &folder{}
			at.folders[dir] = next
		}
		at = next
	}
	at.files = append(at.files, file)
}

func (d *folder) show(name string) fields {
	children := []fields{}
	for name, f := range d.folders {
		children = append(children, f.show(name))
	}
	slices.SortFunc(children, func(a, b fields) int { return cmp.Compare(a.text("name"), b.text("name")) })
	slices.Sort(d.files)
	for _, file := range d.files {
		children = append(children, fields{"name": path.Base(file), "type": "file", "path": file})
	}
	return fields{"name": name, "type": "dir", "children": children}
}
