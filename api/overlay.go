package api

import (
	"context"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
)

// An overlay is the files that a request brings along as nobody has saved them, and the
// view of the index that is made of them.
type overlay struct {
	files []index.Overlay
	view  *index.Overlaid // nil: not yet
}

// overlayMeta says what of an overlay is in an answer.
type overlayMeta struct {
	Files    int                  `json:"files"` // that the answer sees
	LeftOut  []answer.SkippedFile `json:"left_out,omitempty"`
	GraphOld bool                 `json:"graph_behind,omitempty"` // the call graph does not have them yet
}

// readOverlay reads the field overlay, if there is one. What is wrong with it is in d.err.
func (d *decoder) readOverlay() {
	if !d.has("overlay") {
		return
	}
	list, ok := d.fields["overlay"].([]any)
	switch {
	case !ok:
		d.failf("overlay must be a list of objects with path and content; in a URL it cannot be given")
		return
	case len(list) > index.MaxOverlays:
		d.failf("overlay has %d files, more than %d", len(list), index.MaxOverlays)
		return
	case len(list) == 0:
		return // no file is other than it is saved
	}
	d.overlay = &overlay{}
	d.heavily(true)
	for i, one := range list {
		f, err := overlayFile(one)
		if err != nil {
			if d.err == nil {
				d.err = problemAt(i, err)
			}
			return
		}
		d.overlay.files = append(d.overlay.files, f)
	}
}

// refuseOverlay fails where an answer would be of the saved files and not say so.
func (d *decoder) refuseOverlay() {
	if list, ok := d.fields["overlay"].([]any); d.has("overlay") && (!ok || len(list) > 0) {
		d.failf("overlay is not taken here: the answer would be of the saved files")
	}
}

// problemAt says of which element a problem is.
func problemAt(i int, err error) error {
	return problemf(classify(err).code, "overlay[%d]: %v", i, err)
}

// overlayFile reads an element of the field.
func overlayFile(v any) (f index.Overlay, err error) {
	fields, ok := v.(map[string]any)
	if !ok {
		return f, problemf(codeInvalidRequest, "it must be an object with path and content")
	}
	f.Path, ok = fields["path"].(string)
	switch {
	case !ok || f.Path == "":
		return f, problemf(codeInvalidRequest, "path is missing, empty or no string")
	case len(f.Path) > maxPath:
		return f, problemf(codeInvalidRequest, "path is longer than %d bytes", maxPath)
	}
	content, there := fields["content"]
	switch text := content.(type) {
	case string:
		f.Content = text
	case nil:
		if !there {
			return f, problemf(codeInvalidRequest, "content is missing; null says that the file is gone")
		}
		f.Deleted = true
	default:
		return f, problemf(codeInvalidRequest, "content must be a string, or null for a file that is gone")
	}
	return f, checkPath(f.Path)
}

// see returns the index that a request is to be answered from: the one given, or a view of
// it with the request's overlay. done must be called.
func (d *decoder) see(ctx context.Context, x Index) (seen Index, done func(), err error) {
	if d.overlay == nil {
		return x, func() {}, nil
	}
	for i := range d.overlay.files {
		if err := resolve(x, &d.overlay.files[i].Path); err != nil {
			return nil, nil, problemAt(i, err)
		}
	}
	v, err := x.With(ctx, d.overlay.files)
	if err != nil {
		return nil, nil, err
	}
	d.overlay.view = v
	return v.Index, v.Release, nil
}

// overlaid is what an answer says of the overlay, once the index has been asked; nil: there
// is none.
func (d *decoder) overlaid(cmd string) *overlayMeta {
	if d.overlay == nil || d.overlay.view == nil {
		return nil
	}
	v := d.overlay.view
	m := &overlayMeta{Files: v.Files, LeftOut: v.LeftOut}
	switch cmd {
	case "calls", "impact", "context", "trace", "extract", "startup": // they read the call graph
		m.GraphOld = v.GraphOld()
	}
	return m
}

// deleted reports whether a path is one that the overlay says is gone.
func (d *decoder) deleted(path string) bool {
	if d.overlay == nil {
		return false
	}
	for i := range d.overlay.files {
		if f := &d.overlay.files[i]; f.Deleted && f.Path == path {
			return true
		}
	}
	return false
}
