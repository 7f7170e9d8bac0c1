package ops

import (
	"context"
	"time"
)

// Character is someone at work: a name, a brief, a mind and what it may do. The zero Permission denies.
type Character struct {
	ID        string
	Name      string
	Job       string // "stream-operations" or "channel-strategy"
	Brief     string
	Language  string
	Backend   string // "rules" or "openai"
	Model     string // openai: empty means the default of the environment
	Art       string // which drawing: "nagi", "haru"
	Tools     map[string]ToolRule
	Paused    bool
	Version   int // 1, 2, …; a save names the version it read
	UpdatedAt time.Time
	UpdatedBy string
}

// ToolRule says whether a character may use a tool and how long its approval may wait.
type ToolRule struct {
	Permission Permission `json:"permission"`
	Deadline   int        `json:"deadlineSeconds,omitempty"` // 0: the tool's own, 20–86400
}

// Permission is allow, ask or deny.
type Permission string

// Permissions. The zero value denies.
const (
	PermitDeny  Permission = ""
	PermitAsk   Permission = "ask"
	PermitAllow Permission = "allow"
)

// characterStore keeps characters and every version they had. SaveCharacter stores version c.Version+1 when c.Version is still the current one
// (0 creates), else *Stale with the one that stands.
type characterStore interface {
	SaveCharacter(ctx context.Context, c Character) (Character, error)
	Character(ctx context.Context, id string) (Character, error)
	Characters(ctx context.Context) ([]Character, error)
	Versions(ctx context.Context, id string) ([]Character, error) // newest first
}
