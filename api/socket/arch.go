package socket

import (
	"context"
	"slices"
)

// mostInLayer is how many functions of a layer llm-tldr has in an answer.
const mostInLayer = 20

// mostModules is how many folders and cycles it has here.
const mostModules = 1000

// arch answers as llm-tldr does: functions that nothing calls and that call nothing, folders by how
// many calls lead out of them and in, and the cycles of files. Who asks for what only the endpoint
// has gets that answer.
func (c *call) arch(ctx context.Context) (answer, error) {
	for _, name := range []string{"section", "level", "draw", "rules", "kinds", "depth", "format", "limit", "offset"} {
		if v := c.f[name]; v != nil && v != "" {
			return c.through(ctx, nil)
		}
	}
	ask := func(level, section string, limit, offset int) (fields, error) {
		f := fields{"level": level, "section": section, "limit": limit, "offset": offset}
		for _, name := range []string{"path", "glob", "lang", "tests", "overlay", "project", "timeout_ms", "strict"} {
			if v := c.f[name]; v != nil {
				f[name] = v
			}
		}
		return c.get(ctx, "/arch", f)
	}
	entries, err := ask("file", "functions", mostInLayer, 0)
	if err != nil {
		return nil, err
	}
	leaves, err := ask("file", "functions", mostInLayer, entries.object("totals").number("functions_entry"))
	if err != nil {
		return nil, err
	}
	folders, err := ask("folder", "modules", mostModules, 0)
	if err != nil {
		return nil, err
	}
	cycles, err := ask("file", "cycles", mostModules, 0)
	if err != nil {
		return nil, err
	}
	return archShape(entries, leaves, folders, cycles), nil
}

func archShape(entries, leaves, folders, cycles fields) answer {
	layers := map[string][]fields{"entry": {}, "leaf": {}}
	for layer, of := range map[string]fields{"entry": entries, "leaf": leaves} {
		for _, f := range of.list("functions") {
			if f.text("layer") == layer {
				layers[layer] = append(layers[layer], fields{"file": f["file"], "function": f["symbol"], "line": f["line"]})
			}
		}
	}
	count := entries.object("totals")
	directories := []fields{}
	for _, m := range folders.list("modules") {
		in, out := m.number("calls_in"), m.number("calls_out")
		layer := "MIDDLE (service)"
		switch { // as llm-tldr draws the lines
		case out > 2*in:
			layer = "HIGH (entry/controller)"
		case in > 2*out:
			layer = "LOW (utility/data)"
		}
		directories = append(directories, fields{
			"directory": m["name"], "calls_out": out, "calls_in": in, "inferred_layer": layer, "function_count": m["functions"],
			"layer": m["layer"], "rank": m["rank"], "instability": m["instability"],
		})
	}
	slices.SortStableFunc(directories, func(a, b fields) int { return b.number("calls_out") - a.number("calls_out") })
	circular := []fields{}
	for _, cycle := range cycles.list("cycles") {
		path := cycle.texts("path")
		for i, file := range path {
			if to := path[(i+1)%len(path)]; len(path) > 2 || file < to {
				circular = append(circular, fields{"a": file, "b": to, "modules": cycle["modules"]})
			}
		}
	}
	result := fields{
		"entry_layer": layers["entry"], "leaf_layer": layers["leaf"], "middle_layer_count": count.number("functions_middle"), "directory_layers": directories,
		"circular_dependencies": circular,
		"summary": fields{
			"entry_count": count.number("functions_entry"), "leaf_count": count.number("functions_leaf"), "middle_count": count.number("functions_middle"), "circular_count": len(circular),
		},
		"cycles": cycles["cycles"], "truncated": folders.flag("truncated") || cycles.flag("truncated"),
	}
	return answer{"result": result}.with(folders)
}
