package views

import (
	"context"
	"time"

	"urakata/internal/lang"
)

// Setting is what a component may know of the request it is drawn for.
type Setting struct {
	Printer lang.Printer
	Base    string         // path the site is mounted at, without a slash at its end: "" or "/urakata"
	CSRF    string         // token of the forms; "" when the request's origin is proof enough
	Now     time.Time      // the server's moment; the zero time is time.Now
	Zone    *time.Location // nil: UTC
}

type settingKey struct{}

// With gives the components drawn with the context their setting.
func With(ctx context.Context, s Setting) context.Context {
	return context.WithValue(ctx, settingKey{}, s)
}

// WithPrinter changes only the language.
func WithPrinter(ctx context.Context, p lang.Printer) context.Context {
	s := setting(ctx)
	s.Printer = p
	return With(ctx, s)
}

func setting(ctx context.Context) Setting {
	s, _ := ctx.Value(settingKey{}).(Setting)
	if s.Now.IsZero() {
		s.Now = time.Now()
	}
	if s.Zone == nil {
		s.Zone = time.UTC
	}
	return s
}

func printer(ctx context.Context) lang.Printer { return setting(ctx).Printer }

// T is a message of the catalogue in the reader's language, filled from pairs.
func T(ctx context.Context, key string, pairs ...any) string {
	return printer(ctx).Text(key, pairs...)
}

// N is a message in the plural form that n asks for.
func N(ctx context.Context, key string, n int, pairs ...any) string {
	return printer(ctx).Count(key, n, pairs...)
}
