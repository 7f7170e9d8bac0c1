package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"urakata/internal/ops"
)

type loginRow struct {
	Digest   string `gorm:"primaryKey"`
	Operator string
	Created  *int64 `gorm:"column:created_at"`
	Expires  *int64 `gorm:"column:expires_at"`
}

func (loginRow) TableName() string { return "logins" }

type linkRow struct {
	Digest   string `gorm:"primaryKey"`
	Operator string
	Expires  *int64 `gorm:"column:expires_at"`
	Taken    *int64 `gorm:"column:taken_at"`
}

func (linkRow) TableName() string { return "links" }

// SaveLogin stores a login and forgets those that have expired.
func (d *DB) SaveLogin(ctx context.Context, l ops.Login) error {
	if l.Digest == "" || l.ExpiresAt.IsZero() {
		return errors.New("save login: it has no digest or never expires")
	}
	return d.inTx(ctx, func(t *tx) error {
		created := t.orNow(l.CreatedAt)
		if _, err := t.exec("DELETE FROM logins WHERE expires_at <= ?", nanos(created)); err != nil {
			return fmt.Errorf("save login: %w", err)
		}
		row := loginRow{Digest: l.Digest, Operator: l.Operator, Created: nanos(created), Expires: nanos(l.ExpiresAt)}
		return loginError("save login", t.Create(&row).Error)
	})
}

// loginError reads what a login or a link can be refused for.
func loginError(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, gorm.ErrForeignKeyViolated):
		err = fmt.Errorf("operator: %w", ops.ErrNotFound)
	case errors.Is(err, gorm.ErrDuplicatedKey):
		err = ops.ErrTaken
	}
	return fmt.Errorf("%s: %w", what, err)
}

// LoginByDigest finds a login that has not expired.
func (d *DB) LoginByDigest(ctx context.Context, digest string, now time.Time) (ops.Login, error) {
	row, ok, err := one[loginRow](d.read.WithContext(ctx), "SELECT * FROM logins WHERE digest = ? AND expires_at > ?", digest, nanos(now))
	if err == nil && !ok {
		err = ops.ErrNotFound
	}
	if err != nil {
		return ops.Login{}, fmt.Errorf("login: %w", err)
	}
	return ops.Login{Digest: row.Digest, Operator: row.Operator, CreatedAt: moment(row.Created), ExpiresAt: moment(row.Expires)}, nil
}

// DropLogin ends a login; one that is not there is ended already.
func (d *DB) DropLogin(ctx context.Context, digest string) error {
	return d.inTx(ctx, func(t *tx) error {
		if _, err := t.exec("DELETE FROM logins WHERE digest = ?", digest); err != nil {
			return fmt.Errorf("drop login: %w", err)
		}
		return nil
	})
}

// SaveLink stores a link that logs an operator in once.
func (d *DB) SaveLink(ctx context.Context, digest, operator string, expires time.Time) error {
	if digest == "" || expires.IsZero() {
		return errors.New("save link: it has no digest or never expires")
	}
	return d.inTx(ctx, func(t *tx) error {
		row := linkRow{Digest: digest, Operator: operator, Expires: nanos(expires)}
		return loginError("save link", t.Create(&row).Error)
	})
}

// TakeLink uses a link up and says whose it is. The first taker wins; for all others, and after its time, there is none.
func (d *DB) TakeLink(ctx context.Context, digest string, now time.Time) (string, error) {
	var operator string
	err := d.inTx(ctx, func(t *tx) error {
		taken, ok, err := one[string](t.DB, "UPDATE links SET taken_at = ? WHERE digest = ? AND taken_at IS NULL AND expires_at > ? RETURNING operator",
			nanos(t.orNow(now)), digest, nanos(t.orNow(now)))
		if err == nil && !ok {
			err = ops.ErrNotFound
		}
		if err != nil {
			return fmt.Errorf("take link: %w", err)
		}
		operator = taken
		return nil
	})
	return operator, err
}
