package summary

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// A topic is what a unit is about, as far as its words tell. They are English; in other
// languages the place of a unit and its vector decide alone.
type topic uint8

const (
	nothing   topic = iota
	goal            // what is worked on
	focus           // how far it is
	technical       // how it works
	decision        // what was decided, and why
	blocker         // what is in the way, or thought to be
	next            // what is to be done
)

// label is what a bullet about the topic begins with.
func (t topic) label() string {
	return [...]string{"", "Goal: ", "Focus: ", "", "Decision: ", "Blocker: ", "Next: "}[t]
}

// cues are the words that tell, by topic; the first topic that matches is the unit's.
var cues = []struct {
	topic topic
	worth float64
	has   string // what a text in small letters has, one of these, if it has the words; "": anything
	words func() *regexp.Regexp
}{
	{goal, 0.45, "please|can you|could you|need you|want you", whenUsed(`(?i)\b(?:please|can you|could you|need you to|want you to) (?:\w+ )?(?:add|fix|implement|write|make|build|change|refactor|find|help|remove|update|create|explain|look)\b`)},
	{next, 0.35, "todo|fixme|next|follow|action item|still|yet |remains",
		whenUsed(`(?i)^(?:todo|fixme|next(?: steps?)?|follow-?ups?|action items?)\b|\b(?:todo|fixme)\b|` +
			`\bnext(?: steps?| up)? (?:is|are|we|i)\b|\b(?:still|yet) (?:need|have|has) to\b|\bremains to\b`)},
	{blocker, 0.4, "hypothes|suspect|root cause|block|stuck|crash|regress|deadlock|unresolved|open question|broken|bug|" +
		"panic|fatal|critical|off-by|off by|caused|denied|data loss|race|leak|cannot|can't|n't |not |fail|" +
		"error|exception|time",
		whenUsed(`(?i)\b(?:hypothes[ie]s|suspect\w*|root cause|blocked|blockers?|stuck|crash\w*|regress\w*|` +
			`deadlock\w*|unresolved|open questions?|broken|bugs?|panics?|fatal|critical|off[- ]by[- ]one|` +
			`caused by|denied|data loss|race condition|leaks?)\b|\b(?:cannot|can't|doesn't|does not|` +
			`won't) (?:work|pass|be|start|build|find|connect)\b|\b(?:fail(?:s|ed|ing|ures?)?|errors?|exceptions?|` +
			`timeouts?|timed out)\b`)},
	{decision, 0.45, "decid|decision|chose|agreed|settled|went with|opted|switch|reject|trade|instead|rather|we ",
		whenUsed(`(?i)\b(?:decid\w+|decisions?|chose|chosen|agreed|settled on|went with|opted|switch(?:ed)? to|` +
			`rejected|trade-?offs?|instead of|rather than)\b|\bwe(?:'ll| will| shall) (?:use|keep|drop|go|not|` +
			`store|have|make|put|write|return)\b`)},
	{goal, 0.4, "goal|objective|task|aim|purpose|work|want|need|plan|feature|requirement|asked",
		whenUsed(`(?i)\b(?:goals?|objectives?|the task|the aim|purpose|working on|work on|we want|i want|we need|` +
			`i need|the plan is|the feature|requirements?|is asked for)\b`)},
	{focus, 0.3, "current|focus|progress|status|so far|moment|right now|done|finished|completed|merged|implemented|pass",
		whenUsed(`(?i)\b(?:current(?:ly)?|focus\w*|in progress|progress|status|so far|at the moment|right now|is done|` +
			`are done|finished|completed|merged|implemented|(?:now )?pass(?:es|ing)?)\b`)},
	{technical, 0.1, "", whenUsed("\\d|`|\\w\\(|\\w_\\w|[a-z][A-Z]|\\b[A-Z]{2,}\\d*\\b")},
}

var (
	chatter  = whenUsed(`(?i)^(?:\w+: )?(?:thanks|thank you|thx|ok(?:ay)?|sure|great|hi|hello|hey|yes|no|yep|got it|sounds good|perfect|cool|nice|good (?:idea|point|morning|catch)|let me|lgtm|will do|makes sense|you're welcome)\b`)
	mild     = whenUsed(`(?i)\b(?:debug|trace|info)\b`)
	severe   = whenUsed(`(?i)\b(?:error|fatal|critical|panic|fail(?:ed|ure)?|exception|err=)\b`)
	warning  = whenUsed(`(?i)\bwarn(?:ing)?\b`)
	labelled = whenUsed(`^\**[A-Z][\w -]{0,30}\**:\**\s`)
)

// told reports whether a text has the words of a cue. Most have not, which looking for
// some letters finds out much faster.
func told(i int, text, lower string) bool {
	c := &cues[i]
	if c.has == "" {
		return c.words().MatchString(text)
	}
	for word := range strings.SplitSeq(c.has, "|") {
		if strings.Contains(lower, word) {
			return c.words().MatchString(text)
		}
	}
	return false
}

// cue returns what a unit is about, and what its words and its form add to its worth.
func (u *unit) cue() (topic, float64) {
	about, worth := nothing, 0.0
	lower, under := strings.ToLower(u.text), strings.ToLower(u.under)
	for i, c := range cues {
		if told(i, u.text, lower) {
			about, worth = c.topic, c.worth
			break
		}
	}
	if about == nothing || about == technical { // what it stands under tells, too
		for i, c := range cues[:len(cues)-1] {
			if u.under != "" && u.form != heading && told(i, u.under, under) {
				about, worth = c.topic, c.worth/2
				break
			}
		}
	}
	if len(pathsIn(u.text)) > 0 {
		worth += 0.1
	}
	if about != technical && about != nothing && cues[len(cues)-1].words().MatchString(u.text) {
		worth += 0.05
	}
	switch u.form {
	case heading:
		worth -= 0.6
	case code:
		worth -= 0.3
	case frame:
		about, worth = blocker, worth-0.1
	case failure:
		about, worth = blocker, worth+0.4
	case entry:
		switch {
		case severe().MatchString(u.text):
			about, worth = blocker, worth+0.2
		case warning().MatchString(u.text):
			worth += 0.1
		case mild().MatchString(u.text):
			worth -= 0.2
		}
	}
	if strings.HasSuffix(u.text, ":") || strings.HasSuffix(u.text, "：") { // what it announces is not in it
		worth -= 0.4
	}
	words := strings.Count(u.text, " ") + 1
	if n := utf8.RuneCountInString(u.text); u.form == prose && n < 20 || words < 3 && n < 12 {
		worth -= 0.3
	}
	if words < 12 && chatter().MatchString(u.text) {
		worth -= 0.8
	}
	return about, worth
}
