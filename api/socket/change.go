package socket

import (
	"context"
	"slices"
)

// changeImpact answers with the tests that a change may break: that of files, of a diff, of
// what git says has changed since a revision, or of the files that were edited. It is /impact,
// whose fields it takes, in another form.
func (c *call) changeImpact(ctx context.Context) (answer, error) {
	files, base := c.f.texts("files"), c.f.text("git_base")
	f := fields{"limit": 1000}
	for _, own := range impactFields() {
		if v := c.f[own]; v != nil && v != "" {
			f[own] = v
		}
	}
	session := c.f["session"]
	switch {
	case c.f["diff"] != nil:
		f["diff"] = c.f["diff"]
	case len(files) > 0:
		f["files"] = files
	case session != nil && session != false && session != "false" && session != "" && !c.f.flag("git") && base == "":
		f["edited"] = true
	default:
		f["git"], f["base"] = true, base
	}
	body, err := c.get(ctx, "/impact", f)
	if err != nil {
		return nil, err
	}
	tests, changed, functions := append([]string{}, body.texts("tests")...), []string{}, []string{}
	add := func(list *[]string, name string) {
		if name != "" && !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	for _, ch := range body.list("changed") {
		add(&changed, ch.text("file"))
		if ch.text("symbol") != "" && (f["diff"] != nil || f["git"] != nil || runs(ch.text("kind"))) {
			add(&functions, place(ch))
		}
	}
	for _, l := range body.list("left_out") {
		add(&changed, l.text("file"))
	}
	result := fields{
		"affected_tests": tests, "changed_files": changed, "changed_functions": functions,
		"summary": fields{"files_changed": len(changed), "functions_changed": len(functions), "tests_affected": len(tests)},
	}
	if len(changed) == 0 && f["diff"] == nil {
		result["message"] = "No changed files"
	}
	reply := answer{"result": result, "truncated": body.flag("truncated")}
	for name, v := range result {
		reply[name] = v
	}
	result["callers"], result["ambiguous"] = named(body.list("callers")), named(body.list("ambiguous"))
	result["left_out"], result["truncated"], result["complete"] = body.list("left_out"), body.flag("truncated"), body.flag("complete")
	for _, also := range []string{"unfollowed", "runs", "incomplete", "index", "counts", "meta"} {
		if v := body[also]; v != nil {
			result[also] = v
		}
	}
	return reply, nil
}

// impactFields are the fields of /impact that change_impact takes besides its own.
func impactFields() []string {
	return []string{"depth", "limit", "offset", "path", "glob", "tests", "include_tests", "commands", "overlay", "timeout_ms", "strict"}
}
