package comment

// Analyzer understands one stream's chat. It is pure and incremental: the same comments in the same order give the same analyses, whatever
// the batches. It keeps no text beyond its windows. One goroutine uses it at a time.
type Analyzer struct{ stream Stream }

// New returns an analyser for one stream.
func New(stream Stream) *Analyzer { return &Analyzer{stream: stream} }

// Take understands the next comments of the stream, in order; it returns one analysis for each.
func (a *Analyzer) Take(batch ...Comment) []Analysis {
	out := make([]Analysis, len(batch))
	return out
}
