package client

import "context"

// A CoachReport says which form of an answer has done best.
type CoachReport struct {
	Enabled  bool          `json:"enabled"`           // the coach is on
	Message  string        `json:"message,omitempty"` // why there is nothing to report; only where the coach is off
	Commands CoachCommands `json:"commands"`          // the forms of the answers of each command
}

// A CoachCommands has the forms of the answers of each command.
type CoachCommands struct {
	Grep []CoachForm `json:"grep"` // by V; Preview counts matches
	Cat  []CoachForm `json:"cat"`  // by V; Preview counts lines
	Find []CoachForm `json:"find"` // by V; Preview counts paths
}

// A CoachForm is a form of an answer, and how it has done.
type CoachForm struct {
	// The V in the header of an answer in this form; 1 is the default form.
	V       int  `json:"v"`
	Preview int  `json:"preview"`  // what a long answer shows at first
	HotZone bool `json:"hot_zone"` // the header says where most of the answer is
	// How often the answer says what it leaves out. One of high, medium, low.
	Density string   `json:"density"`
	N       int      `json:"n"`      // answers in this form that were given to a session
	Scored  int      `json:"scored"` // those of them that were scored
	Mean    *float64 `json:"mean"`   // of the scores; nil where there are none
	Share   float64  `json:"share"`  // of all answers of the command that are counted in N
	// It has the highest mean of the forms that were scored; among equals the one given less
	// often, then the lower V.
	Best   bool `json:"best"`
	Enough bool `json:"enough"` // 30 answers or more were scored. Below that, the mean is mostly chance.
}

// CoachReport asks which form of the answers to Grep, Cat and Find works best.
func (c *Client) CoachReport(ctx context.Context) (*CoachReport, error) {
	return ask[CoachReport](ctx, c, get("/coach/report", nil))
}
