package api

// These say whether a response leaves something out, for /metrics: all that the
// interface trimmer has a method for.

func (b *searchBody) short() bool    { return b.Meta.Truncated }
func (b *callsBody) short() bool     { return b.Meta.Truncated }
func (b *contextBody) short() bool   { return b.Meta.Truncated }
func (b *extractBody) short() bool   { return b.Meta.Truncated }
func (b *outlineBody) short() bool   { return b.Meta.Truncated }
func (b *impactBody) short() bool    { return b.Meta.Truncated }
func (b *importsBody) short() bool   { return b.Meta.Truncated }
func (b *skeletonBody) short() bool  { return b.Meta.Truncated }
func (b *startupBody) short() bool   { return b.Meta.Truncated }
func (b *structureBody) short() bool { return b.Meta.Truncated }
func (b *summarizeBody) short() bool { return b.Meta.Truncated }
func (b *traceBody) short() bool     { return b.Meta.Truncated }
func (b *verifyBody) short() bool    { return b.Truncated }

func (b *batchBody) short() bool {
	for i := range b.Answers {
		if b.Answers[i].Meta.Truncated {
			return true
		}
	}
	return false
}
