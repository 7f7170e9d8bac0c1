package ops

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
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

// rank orders roles; an unknown one is the least.
func (r OperatorRole) rank() int {
	switch r {
	case RoleModerator:
		return 1
	case RoleOperator:
		return 2
	case RoleOwner:
		return 3
	}
	return 0
}

// Who asks: it comes from a login or an API token. The zero Who is nobody.
type Who struct {
	ID   string
	Name string
	Role OperatorRole
}

// May reports whether somebody has at least a role. Nobody may nothing, not even look.
func (w Who) May(need OperatorRole) bool { return w.ID != "" && w.Role.rank() >= need.rank() }

// HostWho is the program itself, for commands given at its own machine.
func HostWho() Who { return Who{ID: "host", Name: "urakata", Role: RoleOwner} }

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

// How long a one-time link and a login last, and what a password needs.
const (
	LinkLife    = 15 * time.Minute
	LoginLife   = 14 * 24 * time.Hour
	MinPassword = 10  // runes
	MaxPassword = 200 // bytes
)

// What argon2id costs: the least that OWASP names for it.
const (
	argonTime   = 2
	argonMemory = 19 * 1024
	argonLanes  = 1
	argonBytes  = 32
)

// OperatorsConfig makes the service. Store is required.
type OperatorsConfig struct {
	Store Store
	Now   func() time.Time
	NewID func(prefix string) string
}

// Operators knows the people who may log in. Tokens are random; only their digests are kept.
type Operators struct {
	store Store
	now   func() time.Time
	newID func(prefix string) string
	decoy string // compared with when a name is unknown, so that asking costs the same
}

// NewOperators returns the service.
func NewOperators(c OperatorsConfig) *Operators {
	return &Operators{store: c.Store, now: clock(c.Now), newID: ids(c.NewID), decoy: hashPassword("nobody has this password")}
}

// First makes the owner "owner" in an empty database.
func (o *Operators) First(ctx context.Context) (bool, error) {
	all, err := o.store.Operators(ctx)
	if err != nil {
		return false, fmt.Errorf("operators: %w", err)
	}
	if len(all) > 0 {
		return false, nil
	}
	_, err = o.Add(ctx, HostWho(), "owner", RoleOwner)
	return err == nil, err
}

// List gives everybody who may log in.
func (o *Operators) List(ctx context.Context) ([]OperatorAccount, error) {
	all, err := o.store.Operators(ctx)
	if err != nil {
		return nil, fmt.Errorf("operators: %w", err)
	}
	return all, nil
}

// Add makes an account without a password: its first login is by a link.
func (o *Operators) Add(ctx context.Context, who Who, name string, role OperatorRole) (OperatorAccount, error) {
	if !who.May(RoleOwner) {
		return OperatorAccount{}, fmt.Errorf("add operator: %w", ErrForbidden)
	}
	name = strings.TrimSpace(name)
	var wrong InvalidError
	if n := utf8.RuneCountInString(name); n == 0 || n > 40 || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		wrong = append(wrong, Invalid{Field: "name", Say: "invalid.name", Args: map[string]any{"Max": 40}})
	}
	if role != RoleViewer && role.rank() == 0 {
		wrong = append(wrong, Invalid{Field: "role", Say: "invalid.choice"})
	}
	if len(wrong) > 0 {
		return OperatorAccount{}, wrong
	}
	a := OperatorAccount{ID: o.newID("op"), Name: name, Role: role, CreatedAt: o.now()}
	if err := o.store.SaveOperator(ctx, a); err != nil {
		return OperatorAccount{}, fmt.Errorf("add operator: %w", err)
	}
	return a, o.audit(ctx, who.Name, AuditOperatorAdd, a.ID, string(role))
}

// Link makes a one-time login link's token for somebody, by name.
func (o *Operators) Link(ctx context.Context, operatorName string) (string, error) {
	a, err := o.store.OperatorByName(ctx, operatorName)
	if err != nil {
		return "", fmt.Errorf("operator %q: %w", operatorName, err)
	}
	token, digest := newToken()
	if err := o.store.SaveLink(ctx, digest, a.ID, o.now().Add(LinkLife)); err != nil {
		return "", fmt.Errorf("link for %q: %w", operatorName, err)
	}
	return token, o.audit(ctx, HostWho().Name, AuditLink, a.ID, "")
}

// TakeLink spends a link and logs its owner in. Whoever comes second gets ErrForbidden, as with any token that is not one.
func (o *Operators) TakeLink(ctx context.Context, token string) (Who, string, error) {
	id, err := o.store.TakeLink(ctx, digestOf(token), o.now())
	if errors.Is(err, ErrNotFound) {
		return Who{}, "", fmt.Errorf("login link: %w", ErrForbidden)
	}
	if err != nil {
		return Who{}, "", fmt.Errorf("login link: %w", err)
	}
	a, err := o.store.Operator(ctx, id)
	if err != nil {
		return Who{}, "", fmt.Errorf("login link: %w", err)
	}
	return o.enter(ctx, a, "link")
}

// Login checks a name and a password. Every refusal is ErrForbidden and costs the same.
func (o *Operators) Login(ctx context.Context, name, password string) (Who, string, error) {
	a, err := o.store.OperatorByName(ctx, strings.TrimSpace(name))
	if err != nil && !errors.Is(err, ErrNotFound) {
		return Who{}, "", fmt.Errorf("login: %w", err)
	}
	known, hash := err == nil && a.Hash != "", a.Hash
	if !known {
		hash = o.decoy
	}
	if len(password) > MaxPassword {
		password, known = "", false
	}
	if !samePassword(hash, password) || !known {
		return Who{}, "", errors.Join(fmt.Errorf("login: %w", ErrForbidden), o.audit(ctx, "", AuditRefused, a.ID, ""))
	}
	return o.enter(ctx, a, "password")
}

func (o *Operators) enter(ctx context.Context, a OperatorAccount, how string) (Who, string, error) {
	token, digest := newToken()
	now := o.now()
	if err := o.store.SaveLogin(ctx, Login{Digest: digest, Operator: a.ID, CreatedAt: now, ExpiresAt: now.Add(LoginLife)}); err != nil {
		return Who{}, "", fmt.Errorf("login: %w", err)
	}
	return Who{ID: a.ID, Name: a.Name, Role: a.Role}, token, o.audit(ctx, a.Name, AuditLogin, a.ID, how)
}

// Who tells who a session token belongs to. A token that is unknown or too old is ErrForbidden.
func (o *Operators) Who(ctx context.Context, session string) (Who, error) {
	l, err := o.store.LoginByDigest(ctx, digestOf(session), o.now())
	if errors.Is(err, ErrNotFound) {
		return Who{}, fmt.Errorf("session: %w", ErrForbidden)
	}
	if err != nil {
		return Who{}, fmt.Errorf("session: %w", err)
	}
	a, err := o.store.Operator(ctx, l.Operator)
	if err != nil {
		return Who{}, fmt.Errorf("session: %w", err)
	}
	return Who{ID: a.ID, Name: a.Name, Role: a.Role}, nil
}

// Logout forgets a session token.
func (o *Operators) Logout(ctx context.Context, session string) error {
	who, err := o.Who(ctx, session)
	if errors.Is(err, ErrForbidden) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := o.store.DropLogin(ctx, digestOf(session)); err != nil {
		return fmt.Errorf("logout: %w", err)
	}
	return o.audit(ctx, who.Name, AuditLogout, who.ID, "")
}

// SetPassword gives somebody a password: oneself, or anybody for an owner.
func (o *Operators) SetPassword(ctx context.Context, who Who, id, password string) error {
	if who.ID == "" || (who.ID != id && !who.May(RoleOwner)) {
		return fmt.Errorf("password of %s: %w", id, ErrForbidden)
	}
	switch {
	case utf8.RuneCountInString(password) < MinPassword:
		return InvalidError{{Field: "password", Say: "invalid.short", Args: map[string]any{"Min": MinPassword}}}
	case len(password) > MaxPassword:
		return InvalidError{{Field: "password", Say: "invalid.long", Args: map[string]any{"Max": MaxPassword}}}
	}
	a, err := o.store.Operator(ctx, id)
	if err != nil {
		return fmt.Errorf("password of %s: %w", id, err)
	}
	a.Hash = hashPassword(password)
	if err := o.store.SaveOperator(ctx, a); err != nil {
		return fmt.Errorf("password of %s: %w", id, err)
	}
	return o.audit(ctx, who.Name, AuditPassword, id, "")
}

// Reset takes somebody's password away and makes a one-time link, for the command line.
func (o *Operators) Reset(ctx context.Context, name string) (string, error) {
	a, err := o.store.OperatorByName(ctx, name)
	if err != nil {
		return "", fmt.Errorf("operator %q: %w", name, err)
	}
	a.Hash = ""
	if err := o.store.SaveOperator(ctx, a); err != nil {
		return "", fmt.Errorf("reset %q: %w", name, err)
	}
	if err := o.audit(ctx, HostWho().Name, AuditReset, a.ID, ""); err != nil {
		return "", err
	}
	return o.Link(ctx, name)
}

func (o *Operators) audit(ctx context.Context, by, action, ref, detail string) error {
	return record(ctx, o.store, AuditEntry{At: o.now(), By: by, Action: action, Ref: ref, Detail: detail})
}

// newToken makes 32 random bytes for a browser and the digest that is kept of them.
func newToken() (token, digest string) {
	raw := make([]byte, 32)
	rand.Read(raw) // never fails: crypto/rand ends the program instead
	token = base64.RawURLEncoding.EncodeToString(raw)
	return token, digestOf(token)
}

func digestOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// randomID makes an id that nobody can guess and that sorts nowhere in particular.
func randomID(prefix string) string {
	raw := make([]byte, 12)
	rand.Read(raw)
	return prefix + "_" + hex.EncodeToString(raw)
}

// hashPassword is argon2id in PHC form.
func hashPassword(password string) string {
	salt := make([]byte, 16)
	rand.Read(salt)
	sum := argon2.IDKey([]byte(password), salt, argonTime, argonMemory, argonLanes, argonBytes)
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonLanes, b64.EncodeToString(salt), b64.EncodeToString(sum))
}

// samePassword compares in constant time. A hash that is not one of ours matches nothing.
func samePassword(hash, password string) bool {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false
	}
	var memory, rounds uint32
	var lanes uint8
	if n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &rounds, &lanes); n != 3 || err != nil || memory > 1<<20 || rounds == 0 || rounds > 16 || lanes == 0 {
		return false
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil || len(want) == 0 || len(want) > 128 {
		return false
	}
	got := argon2.IDKey([]byte(password), salt, rounds, memory, lanes, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1
}
