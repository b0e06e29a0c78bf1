package code

import (
	"strings"
)

// demand is how a comment says what must be so.
var demand = whenUsed(`(?i)\b(?:must(?: not)?|never|always|not (?:thread-?)?safe|(?:thread|goroutine|concurrency)-?safe|` +
	`safe for concurrent|invariant|(?:the )?caller (?:holds|must|is responsible|owns)|only (?:once|one|` +
	`valid|if|when|called|used)|panics? (?:if|when|on)|guarantee[sd]?|do not|don't|at (?:most|` +
	`least) (?:once|one)|not be called|requires? that|undefined behaviou?r)\b|\bO\([^)]{1,20}\)`)

// Notes returns the sentences of comments that state requirements and costs, at most that
// many, in their order.
func Notes(comments []string, most int) (notes []string) {
	for _, c := range comments {
		if !demand().MatchString(c) || legal().MatchString(c) {
			continue
		}
		for _, part := range paragraphs(c) {
			for part != "" && len(notes) < most {
				one := cutSentence(part)
				part = strings.TrimLeft(strings.TrimPrefix(part, one), ".!? ")
				if n := len(strings.Fields(one)); n < 4 || n > 30 || !demand().MatchString(one) || strings.ContainsAny(one, "\x00{};=") || machine().MatchString(one) {
					continue
				}
				if one = firstOf(remarked().ReplaceAllString(one, ""), nil); one != "" {
					notes = appendNew(notes, shorten(one, 110))
				}
			}
		}
	}
	return notes
}
