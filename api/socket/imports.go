package socket

import "context"

// imports answers with those of a file.
func (c *call) imports(ctx context.Context, body fields) (answer, error) {
	files := body.list("files")
	if len(files) == 0 {
		return nil, failf("not_found", "the file is not in the index")
	}
	list := modules(files[0].list("imports"))
	return answer{"imports": list, "result": list}.with(body), nil
}

// modules puts what a file picks out of one module on one line together.
func modules(imports []fields) []fields {
	out := []fields{}
	type at struct {
		path string
		line int
	}
	seen := map[at]fields{}
	for _, i := range imports {
		key := at{i.text("path"), i.number("line")}
		name, alias := i.text("name"), i.text("alias")
		m := seen[key]
		if m == nil {
			m = fields{"module": i["path"], "names": []string{}, "is_from": false, "alias": nil, "aliases": fields{}, "line": i["line"]}
			if files, ok := i["files"]; ok {
				m["files"] = files
			}
			seen[key] = m
			out = append(out, m)
		}
		if name == "" || name == i.text("path") {
			if alias != "" {
				m["alias"] = alias
			}
			continue
		}
		if name == "default" && alias != "" { // of JavaScript
			m["default"] = alias
			continue
		}
		m["is_from"] = true
		m["names"] = append(m["names"].([]string), name)
		if alias != "" {
			m["aliases"].(fields)[name] = alias
		}
	}
	return out
}

// importers answers with the files that import a module.
func (c *call) importers(ctx context.Context, body fields) (answer, error) {
	list := []fields{}
	for _, f := range body.list("files") {
		for _, m := range modules(f.list("imports")) {
			list = append(list, fields{"file": f["file"], "line": m["line"], "import": m})
		}
	}
	module := c.f["module"]
	return answer{"module": module, "importers": list, "result": fields{"module": module, "importers": list}}.with(body), nil
}
