package ops

import (
	"context"
	"time"
)

// SessionRow says which session works which stream, so that a restart finds it.
type SessionRow struct {
	ID        string
	Stream    string
	Character string
	Version   int // of the character
	Purpose   string
	CreatedAt time.Time
	ClosedAt  time.Time
}

type sessionStore interface {
	SaveSession(ctx context.Context, s SessionRow) error
	SessionsOf(ctx context.Context, stream string) ([]SessionRow, error)
	Cursor(ctx context.Context, session string) (Cursor, error) // zero when never followed
	MoveCursor(ctx context.Context, at Cursor) error            // only forward
}
