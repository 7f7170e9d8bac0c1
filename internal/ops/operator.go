package ops

import (
	"context"
	"time"
)

// OperatorRole says what a person may do; the zero value may only look.
type OperatorRole string

// Roles, least first.
const (
	RoleViewer    OperatorRole = ""
	RoleModerator OperatorRole = "moderator" // decides
	RoleOperator  OperatorRole = "operator"  // also streams and characters
	RoleOwner     OperatorRole = "owner"     // also operators
)

// OperatorAccount is a person who may log in.
type OperatorAccount struct {
	ID        string
	Name      string // unique, case folded
	Role      OperatorRole
	Hash      string // argon2id in PHC form; empty: no password yet
	Language  string // "", "en", "ja"
	CreatedAt time.Time
}

// Login is a browser that is logged in. Only a digest of its token is kept.
type Login struct {
	Digest    string
	Operator  string
	CreatedAt time.Time
	ExpiresAt time.Time
}

type operatorStore interface {
	SaveOperator(ctx context.Context, o OperatorAccount) error // by ID; a taken name is ErrTaken
	OperatorByName(ctx context.Context, name string) (OperatorAccount, error)
	Operator(ctx context.Context, id string) (OperatorAccount, error)
	Operators(ctx context.Context) ([]OperatorAccount, error)
}

type loginStore interface {
	SaveLogin(ctx context.Context, l Login) error
	LoginByDigest(ctx context.Context, digest string, now time.Time) (Login, error)
	DropLogin(ctx context.Context, digest string) error
	TakeLink(ctx context.Context, digest string, now time.Time) (operator string, err error) // one-time link: the first taker wins; ErrNotFound for the rest
}

type linkStore interface {
	SaveLink(ctx context.Context, digest, operator string, expires time.Time) error
}
