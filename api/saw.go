package api

import "github.com/quarry-search/quarry/api/coach"

// saw tells the coach what a session has done besides the envelope: it is what the answer
// before it led to. Of readings, files are what the bill is of.
func (s *Server) saw(endpoint string, rd *reader, body trimmer, b *bill) {
	if s.opt.Coach == nil || rd == nil || rd.id == "" {
		return
	}
	a := coach.Action{Kind: coach.Other}
	switch endpoint {
	case "/search", "/related":
		a = coach.Action{Kind: coach.Search, Cmd: "search", Query: rd.query}
	case "/extract", "/context", "/skeleton":
		a = coach.Action{Kind: coach.Read, Cmd: "extract"}
		if outline, ok := body.(*outlineBody); ok {
			a.Files = []string{outline.File}
		}
		if b != nil {
			for file := range b.files {
				a.Files = append(a.Files, file[1])
			}
		}
	}
	s.opt.Coach.Saw(rd.id, a)
}
