package ops

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"urakata/internal/agent"
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

// Jobs a character can have.
const (
	JobOperations = "stream-operations"
	JobStrategy   = "channel-strategy"
)

// Bounds of a character's fields, in runes.
const (
	MaxName  = 60
	MaxBrief = 20000
)

// Minds makes the mind a character thinks with, and lists what there is to choose from.
type Minds interface {
	// Mind returns a backend, or an error for a person when it cannot be had (no key, unknown name).
	Mind(ctx context.Context, c Character) (agent.Backend, error)
	Choices() []MindChoice
}

// MindChoice is a backend a character may use. Why is a catalogue key that says what is missing when it is not ready.
type MindChoice struct {
	ID    string
	Name  string
	Ready bool
	Why   string
}

// CharactersConfig makes the service. Store and Minds are required.
type CharactersConfig struct {
	Store Store
	Minds Minds
	Now   func() time.Time
	NewID func(prefix string) string
}

// Characters keeps the people who are at work.
type Characters struct {
	store Store
	minds Minds
	now   func() time.Time
	newID func(prefix string) string
}

// NewCharacters returns the service.
func NewCharacters(c CharactersConfig) *Characters {
	return &Characters{store: c.Store, minds: c.Minds, now: clock(c.Now), newID: ids(c.NewID)}
}

// List gives all characters.
func (c *Characters) List(ctx context.Context) ([]Character, error) {
	all, err := c.store.Characters(ctx)
	if err != nil {
		return nil, fmt.Errorf("characters: %w", err)
	}
	return all, nil
}

// Get gives one character as it is now.
func (c *Characters) Get(ctx context.Context, id string) (Character, error) {
	one, err := c.store.Character(ctx, id)
	if err != nil {
		return Character{}, fmt.Errorf("character %s: %w", id, err)
	}
	return one, nil
}

// Versions gives every version of a character, newest first.
func (c *Characters) Versions(ctx context.Context, id string) ([]Character, error) {
	all, err := c.store.Versions(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("versions of %s: %w", id, err)
	}
	return all, nil
}

// Choices lists the minds a character may have.
func (c *Characters) Choices() []MindChoice { return c.minds.Choices() }

// Save stores a new version; without an ID it makes a new character. InvalidError names each field that is wrong, *Stale a newer version.
func (c *Characters) Save(ctx context.Context, who Who, ch Character) (Character, error) {
	if !who.May(RoleOperator) {
		return Character{}, fmt.Errorf("save character %s: %w", ch.ID, ErrForbidden)
	}
	ch.Name, ch.Brief = strings.TrimSpace(ch.Name), strings.TrimSpace(ch.Brief)
	if wrong := c.check(ch); len(wrong) > 0 {
		return Character{}, wrong
	}
	if ch.ID == "" {
		ch.ID, ch.Version = c.newID("char"), 0
	}
	if ch.Art == "" {
		ch.Art = "nagi"
	}
	ch.UpdatedAt, ch.UpdatedBy = c.now(), who.Name
	saved, err := c.store.SaveCharacter(ctx, ch)
	if err != nil {
		return Character{}, fmt.Errorf("save character %s: %w", ch.ID, err)
	}
	return saved, record(ctx, c.store, AuditEntry{At: c.now(), By: who.Name, Action: AuditCharacter, Ref: saved.ID, Detail: fmt.Sprintf("version %d", saved.Version)})
}

func (c *Characters) check(ch Character) InvalidError {
	var wrong InvalidError
	add := func(field, say string, args map[string]any) {
		wrong = append(wrong, Invalid{Field: field, Say: say, Args: args})
	}
	text := func(field, value string, most int) {
		switch n := utf8.RuneCountInString(value); {
		case n == 0:
			add(field, "invalid.required", nil)
		case n > most:
			add(field, "invalid.long", map[string]any{"Max": most})
		case !utf8.ValidString(value) || strings.ContainsRune(value, 0):
			add(field, "invalid.text", nil)
		}
	}
	text("name", ch.Name, MaxName)
	text("brief", ch.Brief, MaxBrief)
	if ch.Job != JobOperations && ch.Job != JobStrategy {
		add("job", "invalid.choice", nil)
	}
	if ch.Language != "ja" && ch.Language != "en" {
		add("language", "invalid.choice", nil)
	}
	if !c.knows(ch.Backend) {
		add("backend", "invalid.choice", nil)
	}
	for id, rule := range ch.Tools {
		wrong = append(wrong, checkRule(id, rule)...)
	}
	return wrong
}

func (c *Characters) knows(backend string) bool {
	for _, m := range c.minds.Choices() {
		if m.ID == backend {
			return true
		}
	}
	return false
}

// ids makes ids; nil uses random ones.
func ids(newID func(prefix string) string) func(prefix string) string {
	if newID == nil {
		return randomID
	}
	return newID
}

// Bounds of an approval's deadline, in seconds.
const (
	MinDeadline = 20
	MaxDeadline = 86400
)

// ToolInfo is a tool as the form of a character shows it. Its name and its help are the messages "tool.<id>.name" and "tool.<id>.help".
type ToolInfo struct {
	ID       string
	Risk     agent.Risk
	Effect   agent.Effect
	Deadline time.Duration // of an approval, when the rule names none; 0: never waits for one by itself
	Acts     bool          // reaches the platform: may not be allowed without asking
}

// Tools is the closed list of what a character can be given.
func Tools() []ToolInfo {
	all := specs()
	out := make([]ToolInfo, len(all))
	for i, s := range all {
		out[i] = ToolInfo{ID: s.ID, Risk: s.Risk, Effect: s.Effect, Deadline: s.Approval, Acts: acts(s.Risk)}
	}
	return out
}

// acts reports a risk that reaches beyond this program.
func acts(r agent.Risk) bool {
	return r == agent.Destructive || r == agent.External || r == agent.Write
}

// policyOf turns a character's rules into lists. Nothing is allowed by default: a tool without a rule is denied, and so is one with a
// permission nobody knows. What reaches the platform is asked for even where a rule says allow.
func policyOf(c Character) agent.Lists {
	var lists agent.Lists
	for _, s := range specs() {
		switch rule := c.Tools[s.ID]; {
		case rule.Permission == PermitAsk, rule.Permission == PermitAllow && acts(s.Risk):
			lists.Ask = append(lists.Ask, s.ID)
		case rule.Permission == PermitAllow:
			lists.Allow = append(lists.Allow, s.ID)
		default:
			lists.Deny = append(lists.Deny, s.ID)
		}
	}
	return lists
}

// visible lists the tools a character's session may see.
func visible(c Character) []string {
	lists := policyOf(c)
	return slices.Sorted(slices.Values(append(lists.Ask, lists.Allow...)))
}

// withDeadline gives a tool's specification the deadline of the character's rule.
func withDeadline(s agent.Spec, c Character) agent.Spec {
	if rule, ok := c.Tools[s.ID]; ok && rule.Deadline > 0 {
		s.Approval = time.Duration(rule.Deadline) * time.Second
	}
	return s
}

// checkRule judges one row of the form.
func checkRule(id string, rule ToolRule) InvalidError {
	field := "tool." + id
	at := slices.IndexFunc(Tools(), func(t ToolInfo) bool { return t.ID == id })
	if at < 0 {
		return InvalidError{{Field: field, Say: "invalid.tool"}}
	}
	var wrong InvalidError
	switch rule.Permission {
	case PermitDeny, PermitAsk:
	case PermitAllow:
		if Tools()[at].Acts {
			wrong = append(wrong, Invalid{Field: field, Say: "invalid.toolAllow"})
		}
	default:
		wrong = append(wrong, Invalid{Field: field, Say: "invalid.choice"})
	}
	if rule.Deadline != 0 && (rule.Deadline < MinDeadline || rule.Deadline > MaxDeadline) {
		wrong = append(wrong, Invalid{Field: "deadline." + id, Say: "invalid.range", Args: map[string]any{"Min": MinDeadline, "Max": MaxDeadline}})
	}
	return wrong
}
