package socket

import "context"

// dead answers with the functions that nothing uses, as llm-tldr has them, and with all that the
// endpoint says of them.
func (c *call) dead(_ context.Context, body fields) (answer, error) {
	functions, byFile := []fields{}, map[string][]string{}
	for _, d := range body.list("dead") {
		if !runs(d.text("kind")) {
			continue
		}
		file, name := d.text("file"), d.text("symbol")
		functions = append(functions, fields{"file": file, "function": name, "line": d["line"], "confidence": d["confidence"], "reason": d["reason"]})
		byFile[file] = append(byFile[file], name)
	}
	count := func(list string) (n int) {
		for _, of := range body.list(list) {
			if runs(of.text("kind")) {
				n += of.number("count")
			}
		}
		return n
	}
	found, all := count("counts"), count("looked_at")
	share := 0.0
	if all > 0 {
		share = float64(found*1000/all) / 10
	}
	return answer{"result": fields{
		"dead_functions": functions, "by_file": byFile, "total_dead": found, "total_functions": all, "dead_percentage": share,
		"dead": body["dead"], "counts": body["counts"], "not_looked_at": body["not_looked_at"],
	}}.with(body), nil
}
