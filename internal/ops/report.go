package ops

import (
	"context"
	"encoding/json"
	"time"
)

// Report is what stands after a stream. Data is the JSON of ReportData; the numbers are computed from rows, the words are the character's.
type Report struct {
	ID        string
	Stream    string
	Version   int
	Title     string
	Character string
	At        time.Time
	Data      json.RawMessage
}

// reportStore keeps reports. SaveReport is idempotent by (stream, version) and moves the stream to ended in the same transaction.
type reportStore interface {
	SaveReport(ctx context.Context, r Report) (Report, error)
	Report(ctx context.Context, id string) (Report, error)
	Reports(ctx context.Context, p Page) ([]Report, error) // newest first
	ReportOf(ctx context.Context, stream string) (Report, error)
}
