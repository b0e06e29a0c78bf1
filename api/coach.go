package api

import (
	"net/http"

	"github.com/quarry-search/quarry/api/coach"
)

type coachBody struct {
	Enabled  bool                   `json:"enabled"`
	Message  string                 `json:"message,omitempty"` // why there is nothing
	Commands map[string][]coachForm `json:"commands"`
}

type coachForm struct {
	V       int           `json:"v"`
	Preview int           `json:"preview"`
	HotZone bool          `json:"hot_zone"`
	Density coach.Density `json:"density"`
	N       int           `json:"n"`
	Scored  int           `json:"scored"`
	Mean    *float64      `json:"mean"` // null where nothing was scored
	Share   float64       `json:"share"`
	Best    bool          `json:"best"`
	Enough  bool          `json:"enough"`
}

// coachReport says which form of an answer has done how well.
func (s *Server) coachReport(w http.ResponseWriter, r *http.Request) {
	body := coachBody{Enabled: s.opt.Coach != nil, Commands: map[string][]coachForm{}}
	if !body.Enabled {
		body.Message = "the coach is turned off: every answer has its default form, and none is scored"
	}
	for cmd, records := range s.opt.Coach.Report() {
		forms := make([]coachForm, len(records))
		for i, f := range records {
			forms[i] = coachForm{f.ID, f.Preview, f.HotZone, f.Density, f.N, f.Scored, nil, f.Share, f.Best, f.Enough}
			if f.Scored > 0 {
				forms[i].Mean = &f.Mean
			}
		}
		body.Commands[cmd] = forms
	}
	s.write(w, r, http.StatusOK, body)
}
